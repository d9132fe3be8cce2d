/* kindred: run, check, version. */
#include "manager/manager.h"

#include <getopt.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_CONFIG "/etc/kindred/kindred.conf"
#define MAX_ARENAS 2

extern char **environ;

static const char usage_text[] =
    "usage: kindred run     [--config FILE]   keep the graph of a cluster\n"
    "       kindred check   [--config FILE]   check configuration and plugins, exit 0 or 2\n"
    "               [--cluster]       and ask the cluster whether it lets us; exit 1 when not\n"
    "       kindred version | --version\n"
    "FILE is " DEFAULT_CONFIG " when not given.\n";

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

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "config", required_argument, NULL, 'c' },
        { "cluster", no_argument, NULL, 'k' },
        { "help", no_argument, NULL, 'h' },
        { "version", no_argument, NULL, 'v' },
        { NULL, 0, NULL, 0 },
    };
    const char *config = DEFAULT_CONFIG;
    bool cluster = false;
    int option;
    while ((option = getopt_long(argc, argv, "c:h", options, NULL)) != -1) {
        if (option == 'h') {
            return usage(stdout, KD_EXIT_CLEAN);
        }
        if (option == 'v') {
            return print_version();
        }
        if (option == 'k') {
            cluster = true;
        } else if (option == 'c') {
            config = optarg;
        } else {
            return usage(stderr, KD_EXIT_CONFIG);
        }
    }
    if (argc - optind != 1) {
        return usage(stderr, KD_EXIT_CONFIG);
    }
    const char *command = argv[optind];
    (void)mallopt(M_ARENA_MAX, MAX_ARENAS); /* memory of few threads is memory kept small */
    if (strcmp(command, "run") == 0) {
        return kd_manager_run(config, environ);
    }
    if (strcmp(command, "check") == 0) {
        return kd_manager_check(config, cluster, environ);
    }
    if (strcmp(command, "version") == 0) {
        return print_version();
    }
    (void)fprintf(stderr, "kindred: no command \"%s\"\n", command);
    return usage(stderr, KD_EXIT_CONFIG);
}
