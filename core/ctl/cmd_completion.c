/* completion: the scripts. What there is to complete, each asks kindredctl itself. */
#include "ctl/commands.h"

#include <string.h>

static const char bash_script[] =
    "# kindredctl in bash: source <(kindredctl completion bash)\n"
    "_kindredctl() {\n"
    "    local IFS=$'\\n'\n"
    "    COMPREPLY=($(kindredctl __complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null))\n"
    "    if [ \"${COMPREPLY[0]}\" = :files ]; then\n"
    "        COMPREPLY=($(compgen -f -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
    "        compopt -o filenames 2>/dev/null\n"
    "    elif [ \"${#COMPREPLY[@]}\" = 1 ] && [ \"${COMPREPLY[0]%/}\" != \"${COMPREPLY[0]}\" ]; "
    "then\n"
    "        compopt -o nospace 2>/dev/null\n"
    "    fi\n"
    "}\n"
    "complete -F _kindredctl kindredctl\n";

static const char zsh_script[] =
    "#compdef kindredctl\n"
    "# kindredctl in zsh: source <(kindredctl completion zsh)\n"
    "_kindredctl() {\n"
    "    local -a found open\n"
    "    found=(\"${(@f)$(kindredctl __complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)}\")\n"
    "    if [[ $found[1] == :files ]]; then\n"
    "        _files\n"
    "        return\n"
    "    fi\n"
    "    open=(${(M)found:#*/})\n"
    "    found=(${found:#*/})\n"
    "    (( $#open )) && compadd -S '' -- $open\n"
    "    (( $#found )) && compadd -- $found\n"
    "}\n"
    "if [[ $funcstack[1] == _kindredctl ]]; then\n" /* a file that zsh has loaded by itself */
    "    _kindredctl \"$@\"\n"
    "else\n"
    "    compdef _kindredctl kindredctl\n"
    "fi\n";

static const char fish_script[] =
    "# kindredctl in fish: kindredctl completion fish | source\n"
    "function __kindredctl_complete\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    set -l found (kindredctl __complete $words[2..-1] 2>/dev/null)\n"
    "    if test \"$found[1]\" = :files\n"
    "        __fish_complete_path (commandline -ct)\n"
    "    else\n"
    "        printf '%s\\n' $found\n"
    "    end\n"
    "end\n"
    "complete -c kindredctl -f -a '(__kindredctl_complete)'\n";

int kd_ctl_run_completion(struct kd_ctl_session *session, struct kd_error *reterr)
{
    static const struct {
        const char *shell;
        const char *script;
    } scripts[] = { { "bash", bash_script }, { "zsh", zsh_script }, { "fish", fish_script } };
    for (size_t i = 0; i < KD_ARRAY_LEN(scripts); i++) {
        if (strcmp(session->options->file, scripts[i].shell) == 0) {
            (void)kd_buf_puts(&session->out, scripts[i].script); /* looked at when written */
            return 0;
        }
    }
    return kd_fail(reterr, KD_EINVAL, "completion %s: it is there for bash, zsh and fish",
                   session->options->file);
}
