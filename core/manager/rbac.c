/* `kindred rbac`. */
#include "base/limits.h"
#include "manager/manager.h"
#include "manager/rules.h"
#include "manager/setup.h"

#include <stdio.h>

#define TEXT_MAX (16 * KD_MIB)

static int print_rules(const struct kd_setup *setup, const struct kd_grantee *to)
{
    KD_AUTO_BUF struct kd_buf text;
    struct kd_rules rules;
    kd_buf_init(&text, TEXT_MAX);
    kd_rules_make(setup->config, setup->plugins, &rules);
    kd_rules_write(&rules, to, &text);
    kd_rules_release(&rules);
    bool written = !kd_buf_failed(&text) && fwrite(text.ptr, 1, text.len, stdout) == text.len &&
                   fflush(stdout) == 0;
    if (!written) {
        (void)fprintf(stderr, "kindred: the rules cannot be written\n");
    }
    return written ? KD_EXIT_CLEAN : KD_EXIT_FAILED;
}

int kd_manager_rbac(const char *config_path, const char *name, const char *ns, char *const *env)
{
    struct kd_setup setup;
    int rc = kd_setup_load(&setup, config_path, env, true);
    for (size_t i = 0; i < setup.faults.n; i++) {
        (void)fprintf(stderr, "kindred: %s\n", setup.faults.items[i]);
    }
    int code = KD_EXIT_CONFIG;
    if (rc == 0) {
        const struct kd_grantee to = { .name = name, .ns = ns ? ns : setup.config->leader.ns };
        code = print_rules(&setup, &to);
    }
    kd_setup_release(&setup);
    return code;
}
