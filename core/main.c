/* kindred: run, check, rbac, version. */
#include "manager/manager.h"

#include <getopt.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_CONFIG "/etc/kindred/kindred.conf"
#define DEFAULT_ACCOUNT "antimetal-agent"
#define MAX_ARENAS 2

extern char **environ;

static const char usage_text[] =
    "usage: kindred run     [--config FILE]   keep the graph of a cluster\n"
    "       kindred check   [--config FILE]   check configuration and plugins, exit 0 or 2\n"
    "               [--cluster]       and ask the cluster whether it lets us; exit 1 when not\n"
    "       kindred rbac    [--config FILE]   print the RBAC rules that the configuration needs\n"
    "               [--name NAME]     of the roles and the service account, else " DEFAULT_ACCOUNT
    "\n"
    "               [--namespace NS]  of the service account, else that of the Lease\n"
    "       kindred version | --version\n"
    "FILE is " DEFAULT_CONFIG " when not given.\n";

struct words {
    const char *config;
    const char *name; /* of the service account */
    const char *ns;
    bool cluster;
};

static int usage(FILE *to, int code)
{
    (void)fputs(usage_text, to);
    return code;
}

static int print_version(void)
{
    printf("kindred %s\n", KINDRED_VERSION);
    return KD_EXIT_CLEAN;
}

/* 0, or the letter of what is to be said instead: 'h', 'v' or '?'. */
static int read_options(int argc, char **argv, struct words *words)
{
    static const struct option options[] = {
        { "config", required_argument, NULL, 'c' },    { "cluster", no_argument, NULL, 'k' },
        { "name", required_argument, NULL, 'n' },      { "help", no_argument, NULL, 'h' },
        { "namespace", required_argument, NULL, 'N' }, { "version", no_argument, NULL, 'v' },
        { NULL, 0, NULL, 0 },
    };
    int option;
    while ((option = getopt_long(argc, argv, "c:h", options, NULL)) != -1) {
        switch (option) {
        case 'c':
            words->config = optarg;
            break;
        case 'n':
            words->name = optarg;
            break;
        case 'N':
            words->ns = optarg;
            break;
        case 'k':
            words->cluster = true;
            break;
        default:
            return option;
        }
    }
    return 0;
}

static int run_command(const char *command, const struct words *words)
{
    if (strcmp(command, "run") == 0) {
        return kd_manager_run(words->config, environ);
    }
    if (strcmp(command, "check") == 0) {
        return kd_manager_check(words->config, words->cluster, environ);
    }
    if (strcmp(command, "rbac") == 0) {
        return kd_manager_rbac(words->config, words->name, words->ns, environ);
    }
    if (strcmp(command, "version") == 0) {
        return print_version();
    }
    (void)fprintf(stderr, "kindred: no command \"%s\"\n", command);
    return usage(stderr, KD_EXIT_CONFIG);
}

int main(int argc, char **argv)
{
    struct words words = { .config = DEFAULT_CONFIG, .name = DEFAULT_ACCOUNT };
    int option = read_options(argc, argv, &words);
    if (option == 'h') {
        return usage(stdout, KD_EXIT_CLEAN);
    }
    if (option == 'v') {
        return print_version();
    }
    if (option != 0 || argc - optind != 1) {
        return usage(stderr, KD_EXIT_CONFIG);
    }
    (void)mallopt(M_ARENA_MAX, MAX_ARENAS); /* memory of few threads is memory kept small */
    return run_command(argv[optind], &words);
}
