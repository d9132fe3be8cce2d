#include "ctl/rbac.h"

#include "base/alloc.h"
#include "ctl/ctl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SELF_MAX 4096

/* kindred in the folder of this program; NULL when that cannot be found out. The caller's. */
static char *program_beside(void)
{
    char self[SELF_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self));
    const char *slash = len > 0 ? memrchr(self, '/', (size_t)len) : NULL;
    return slash && len < (ssize_t)sizeof(self)
               ? kd_asprintf("%.*s/kindred", (int)(slash - self), self)
               : NULL;
}

int kd_ctl_rbac_run(char **argv)
{
    char name[] = "kindred";
    size_t n = 0;
    while (argv[n]) {
        n++;
    }
    KD_AUTO_FREE char *beside = program_beside();
    KD_AUTO_FREE char **words = kd_zalloc_array(n + 2, sizeof(*words));
    words[0] = name;
    memcpy(words + 1, argv, n * sizeof(*argv));
    if (beside) {
        (void)execv(beside, words); /* comes back only where there is none */
    }
    (void)execvp(name, words); /* likewise */
    (void)fprintf(stderr, "kindredctl: rbac needs the program kindred, beside kindredctl or in "
                          "PATH: %s\n",
                  strerror(errno));
    return KD_CTL_FAILED;
}
