#include "client/execgrant.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "client/program.h"

#define INFO "KUBERNETES_EXEC_INFO="

extern char **environ;

struct exec_grantor {
    struct kd_loop *loop;
    const struct kd_cluster *cluster;
    int64_t timeout_ns;
    const struct kd_stats *stats;
    struct kd_program_run *run;
    struct kd_provider *provider;
};

void *kd_exec_grantor_new(struct kd_loop *loop, const struct kd_cluster *cluster,
                          int64_t timeout_ns, const struct kd_stats *stats)
{
    struct exec_grantor *self = kd_zalloc(sizeof(*self));
    *self = (struct exec_grantor){
        .loop = loop, .cluster = cluster, .timeout_ns = timeout_ns, .stats = stats
    };
    return self;
}

static void on_done(void *arg, int error, const char *why, struct kd_str output)
{
    struct exec_grantor *self = arg;
    struct kd_error fault = { 0 };
    struct kd_grant grant = { 0 };
    const struct kd_exec *exec = self->cluster->exec;
    self->run = NULL;
    bool ran = error == 0;
    if (ran) {
        error = kd_exec_answer(output, exec->api_version, &grant, &fault);
    }
    kd_stats_exec(self->stats, !ran,
                  error == 0 ? "no_error"
                  : ran      ? "client_internal_error"
                             : "plugin_execution_error");
    if (error < 0) {
        KD_AUTO_FREE char *text =
            why[0] ? kd_asprintf("credential program: %s", why)
                   : kd_asprintf("credential program %s: %s", exec->command,
                                 fault.text[0] ? fault.text : kd_errno_text(error));
        kd_provider_fail(self->provider, error, text);
        return;
    }
    KD_DEBUG("credentials from a program", KD_F("program", exec->command));
    kd_provider_take(self->provider, &grant);
}

static bool is_ours(const struct kd_exec *exec, const char *entry)
{
    if (strncmp(entry, INFO, strlen(INFO)) == 0) {
        return true;
    }
    for (size_t i = 0; i < exec->n_env; i++) {
        size_t len = strlen(exec->env[i].name);
        if (strncmp(entry, exec->env[i].name, len) == 0 && entry[len] == '=') {
            return true;
        }
    }
    return false;
}

/* Ours without what the kubeconfig sets anew, then that, then the protocol's variable. The first
 * *ret_borrowed entries are not to be freed. */
static char **make_environment(const struct kd_cluster *cluster, size_t *ret_borrowed)
{
    const struct kd_exec *exec = cluster->exec;
    size_t n = 0;
    while (environ[n]) {
        n++;
    }
    char **out = kd_zalloc_array(n + exec->n_env + 2, sizeof(*out));
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_ours(exec, environ[i])) {
            out[used++] = environ[i];
        }
    }
    *ret_borrowed = used;
    for (size_t i = 0; i < exec->n_env; i++) {
        out[used++] = kd_asprintf("%s=%s", exec->env[i].name, exec->env[i].value);
    }
    KD_AUTO_FREE char *info = kd_exec_info(cluster);
    out[used] = kd_asprintf(INFO "%s", info);
    return out;
}

static void free_environment(char **envp, size_t borrowed)
{
    for (size_t i = borrowed; envp[i]; i++) {
        kd_free_secret(envp[i], strlen(envp[i]));
    }
    kd_free(envp);
}

static int ask(void *arg, struct kd_provider *provider, struct kd_error *reterr)
{
    struct exec_grantor *self = arg;
    const struct kd_exec *exec = self->cluster->exec;
    size_t borrowed = 0;
    char **envp = make_environment(self->cluster, &borrowed);
    char **argv = kd_zalloc_array(exec->args.n + 2, sizeof(*argv));
    argv[0] = exec->command;
    for (size_t i = 0; i < exec->args.n; i++) {
        argv[i + 1] = exec->args.items[i];
    }
    const struct kd_program program = {
        .argv = argv, .envp = envp, .timeout_ns = self->timeout_ns, .max_output = KD_MAX_EXEC_OUTPUT
    };
    self->provider = provider;
    int rc = kd_program_start(self->loop, &program, on_done, self, &self->run, reterr);
    free_environment(envp, borrowed);
    kd_free(argv);
    if (rc < 0) {
        kd_stats_exec(self->stats, 1,
                      rc == KD_ENOENT ? "plugin_not_found_error" : "plugin_execution_error");
    }
    if (rc == KD_ENOENT && exec->install_hint) {
        KD_AUTO_FREE char *hint = kd_strdup(exec->install_hint);
        kd_one_line_in_place(hint);
        return kd_fail(reterr, KD_ECONFIG, "credential program %s is not there: %s", exec->command,
                       hint);
    }
    return rc < 0 ? kd_fail_prefix(reterr, KD_ECONFIG, "credential program") : 0;
}

static void free_grantor(void *arg)
{
    struct exec_grantor *self = arg;
    kd_program_cancel(self->run);
    kd_free(self);
}

const struct kd_grantor kd_exec_grantor = { ask, free_grantor };
