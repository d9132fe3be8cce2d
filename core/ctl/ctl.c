#include "ctl/ctl.h"

#include "base/limits.h"
#include "base/str.h"
#include "ctl/commands.h"
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

typedef int (*command_fn)(struct kd_ctl_session *session, struct kd_error *reterr);

static int fail(const struct kd_error *error, int code)
{
    if (error->code != KD_CTL_CLOSED) {
        (void)fprintf(stderr, "kindredctl: %s%s\n", error->text,
                      code == KD_CTL_USAGE ? " (kindredctl --help says more)" : "");
    }
    return code;
}

static const char *server_of(const struct kd_ctl_options *options)
{
    const char *from_environment = getenv("KINDRED_SERVER");
    if (options->server) {
        return options->server;
    }
    return from_environment && from_environment[0] ? from_environment : KD_CTL_DEFAULT_SERVER;
}

static int print(struct kd_ctl_session *session, const char *text, struct kd_error *reterr)
{
    (void)kd_buf_puts(&session->out, text); /* looked at by the flush */
    return kd_ctl_flush(session, reterr);
}

static int ask(struct kd_ctl_session *session, struct kd_error *reterr)
{
    static const command_fn commands[] = {
        [KD_CTL_GET] = kd_ctl_run_get,         [KD_CTL_GRAPH] = kd_ctl_run_graph,
        [KD_CTL_PATH] = kd_ctl_run_path,       [KD_CTL_IMPACT] = kd_ctl_run_impact,
        [KD_CTL_ORPHANS] = kd_ctl_run_get,     [KD_CTL_UNRESOLVED] = kd_ctl_run_unresolved,
        [KD_CTL_TRACE] = kd_ctl_run_trace,     [KD_CTL_KINDS] = kd_ctl_run_kinds,
        [KD_CTL_PLUGINS] = kd_ctl_run_plugins, [KD_CTL_CHANGES] = kd_ctl_run_changes,
        [KD_CTL_STATUS] = kd_ctl_run_status,   [KD_CTL_STORE] = kd_ctl_run_store,
        [KD_CTL_DEBUG] = kd_ctl_run_debug,
    };
    (void)curl_global_init(CURL_GLOBAL_DEFAULT); /* its failure shows as one of the handle */
    session->http = kd_ctl_http_new(session->address);
    int rc = kd_ctl_http_identify(session->http, session->options->ca, session->options->token,
                                  reterr);
    rc = rc < 0 ? rc : commands[session->options->command](session, reterr);
    if (rc == 0) {
        rc = kd_ctl_flush(session, reterr);
    }
    kd_ctl_http_free(session->http);
    curl_global_cleanup();
    return rc;
}

int kd_ctl_run(int argc, char **argv)
{
    struct kd_error error = { 0 };
    struct kd_ctl_options options;
    struct kd_ctl_address address;
    if (argc > 1 && strcmp(argv[1], "plugin") == 0) { /* asks no server */
        return kd_ctl_plugin_run(argc - 1, argv + 1);
    }
    if (argc > 1 && strcmp(argv[1], "rbac") == 0) { /* nor does this */
        return kd_ctl_rbac_run(argv + 1);
    }
    if (kd_ctl_options_parse(argc, argv, &options, &error) < 0 ||
        kd_ctl_address_parse(server_of(&options), &address, &error) < 0) {
        return fail(&error, KD_CTL_USAGE);
    }
    struct kd_ctl_session session = {
        .options = &options,
        .address = &address,
        .clock = &kd_system_clock,
        .fd = STDOUT_FILENO,
        .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
    };
    kd_buf_init(&session.out, OUTPUT_MAX);
    (void)signal(SIGPIPE, SIG_IGN); /* a closed output is an error of write, and no death */
    int rc = options.command == KD_CTL_HELP ? print(&session, kd_ctl_help, &error)
             : options.command == KD_CTL_VERSION
                 ? print(&session, "kindredctl " KINDRED_VERSION "\n", &error)
                 : ask(&session, &error);
    kd_buf_release(&session.out);
    return rc < 0 ? fail(&error, KD_CTL_FAILED) : KD_CTL_DONE;
}
