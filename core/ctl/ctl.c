#include "ctl/ctl.h"

#include "base/limits.h"
#include "base/str.h"
#include "ctl/access.h"
#include "ctl/commands.h"
#include "ctl/complete.h"
#include "ctl/help.h"
#include "ctl/plugin_new.h"
#include "ctl/rbac.h"

#include <curl/curl.h>
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define OUTPUT_MAX KD_GIB

/* 0, an exit code of its own, or a negative code with its text. */
typedef int (*command_fn)(struct kd_ctl_session *session, struct kd_error *reterr);

static int run_help(struct kd_ctl_session *session, struct kd_error *reterr)
{
    (void)reterr;
    kd_ctl_help_put(&session->out);
    return 0;
}

static int run_version(struct kd_ctl_session *session, struct kd_error *reterr)
{
    (void)reterr;
    (void)kd_buf_puts(&session->out, "kindredctl " KINDRED_VERSION "\n"); /* looked at later */
    return 0;
}

static int run_plugin(struct kd_ctl_session *session, struct kd_error *reterr)
{
    (void)session;
    return kd_fail(reterr, KD_EINVAL, "plugin is the first word: kindredctl plugin new NAME ...");
}

static int run_rbac(struct kd_ctl_session *session, struct kd_error *reterr)
{
    (void)session;
    return kd_fail(reterr, KD_EINVAL, "rbac is the first word: kindredctl rbac --config FILE");
}

static const struct command {
    command_fn run;
    bool offline; /* asks no server */
    int failed;   /* exit code of a failure */
} commands[KD_CTL_COMMANDS] = {
    [KD_CTL_GET] = { kd_ctl_run_get, false, KD_CTL_FAILED },
    [KD_CTL_GRAPH] = { kd_ctl_run_graph, false, KD_CTL_FAILED },
    [KD_CTL_PATH] = { kd_ctl_run_path, false, KD_CTL_FAILED },
    [KD_CTL_IMPACT] = { kd_ctl_run_impact, false, KD_CTL_FAILED },
    [KD_CTL_ORPHANS] = { kd_ctl_run_get, false, KD_CTL_FAILED },
    [KD_CTL_UNRESOLVED] = { kd_ctl_run_unresolved, false, KD_CTL_FAILED },
    [KD_CTL_TRACE] = { kd_ctl_run_trace, false, KD_CTL_FAILED },
    [KD_CTL_KINDS] = { kd_ctl_run_kinds, false, KD_CTL_FAILED },
    [KD_CTL_PLUGINS] = { kd_ctl_run_plugins, false, KD_CTL_FAILED },
    [KD_CTL_CHANGES] = { kd_ctl_run_changes, false, KD_CTL_FAILED },
    [KD_CTL_STATUS] = { kd_ctl_run_status, false, KD_CTL_FAILED },
    [KD_CTL_TOP] = { kd_ctl_run_top, false, KD_CTL_FAILED },
    [KD_CTL_STORE] = { kd_ctl_run_store, false, KD_CTL_FAILED },
    [KD_CTL_EXPORT] = { kd_ctl_run_export, false, KD_CTL_FAILED },
    [KD_CTL_IMPORT] = { kd_ctl_run_import, true, KD_CTL_FAILED },
    [KD_CTL_DIFF] = { kd_ctl_run_diff, true, KD_CTL_USAGE }, /* 1 says that there are differences */
    [KD_CTL_DEBUG] = { kd_ctl_run_debug, false, KD_CTL_FAILED },
    [KD_CTL_PLUGIN] = { run_plugin, true, KD_CTL_USAGE },
    [KD_CTL_RBAC] = { run_rbac, true, KD_CTL_USAGE },
    [KD_CTL_COMPLETION] = { kd_ctl_run_completion, true, KD_CTL_USAGE },
    [KD_CTL_VERSION] = { run_version, true, KD_CTL_FAILED },
    [KD_CTL_HELP] = { run_help, true, KD_CTL_FAILED },
};

static int fail(const struct kd_error *error, int code)
{
    if (error->code != KD_CTL_CLOSED) {
        (void)fprintf(stderr, "kindredctl: %s\n", error->text);
    }
    return code;
}

static int fail_usage(const struct kd_error *error)
{
    (void)fprintf(stderr, "kindredctl: %s (kindredctl --help says more)\n", error->text);
    return KD_CTL_USAGE;
}

static int run_command(struct kd_ctl_session *session, struct kd_error *reterr)
{
    const struct command *command = &commands[session->options->command];
    int rc = command->run(session, reterr);
    if (rc >= 0) {
        KD_TRY(kd_ctl_flush(session, reterr));
    }
    return rc;
}

static int ask(struct kd_ctl_session *session, struct kd_error *reterr)
{
    (void)curl_global_init(CURL_GLOBAL_DEFAULT); /* its failure shows as one of the handle */
    session->http = kd_ctl_http_new(session->address);
    int rc = run_command(session, reterr);
    kd_ctl_http_free(session->http);
    curl_global_cleanup();
    return rc;
}

/* Colour is for people who have not said no: https://no-color.org. */
static bool wants_colour(void)
{
    const char *no = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no && no[0]) && !(term && strcmp(term, "dumb") == 0);
}

int kd_ctl_run(int argc, char **argv)
{
    struct kd_error error = { 0 };
    struct kd_ctl_options options;
    struct kd_ctl_address address = { 0 };
    KD_AUTO_BUF struct kd_buf token;
    kd_buf_init(&token, KD_MAX_TOKEN);
    if (argc > 1 && strcmp(argv[1], "plugin") == 0) { /* has options of its own */
        return kd_ctl_plugin_run(argc - 1, argv + 1);
    }
    if (argc > 1 && strcmp(argv[1], "rbac") == 0) { /* has kindred's */
        return kd_ctl_rbac_run(argv + 1);
    }
    if (argc > 1 && strcmp(argv[1], "__complete") == 0) { /* asked by shells, not by people */
        return kd_ctl_complete_run(argc - 2, argv + 2);
    }
    if (kd_ctl_options_parse(argc, argv, &options, &error) < 0) {
        return fail_usage(&error);
    }
    const struct command *command = &commands[options.command];
    bool offline = command->offline || (options.command == KD_CTL_EXPORT && options.file);
    if (!offline && kd_ctl_access_read(&options, &address, &token, &error) < 0) {
        return fail_usage(&error);
    }
    struct kd_ctl_session session = {
        .options = &options,
        .address = &address,
        .clock = &kd_system_clock,
        .fd = STDOUT_FILENO,
        .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
        .colour = wants_colour(),
    };
    kd_buf_init(&session.out, OUTPUT_MAX);
    (void)signal(SIGPIPE, SIG_IGN); /* a closed output is an error of write, and no death */
    int rc = offline ? run_command(&session, &error) : ask(&session, &error);
    kd_buf_release(&session.out);
    return rc < 0 ? fail(&error, command->failed) : rc;
}
