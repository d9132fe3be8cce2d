#include "ctl/plugin_new.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What stands for what. */
struct word {
    const char *mark;
    const char *text;
};

/* "widgets" -> "Widget", "policies" -> "Policy", "ingresses" -> "Ingress". */
static char *kind_of(const char *resource)
{
    static const struct {
        const char *plural, *singular;
    } ends[] = { { "ies", "y" },   { "sses", "ss" }, { "xes", "x" },
                 { "ches", "ch" }, { "ss", "ss" },   { "s", "" } };
    size_t len = strlen(resource);
    const char *end = "";
    size_t cut = 0;
    for (size_t i = 0; cut == 0 && i < KD_ARRAY_LEN(ends); i++) {
        size_t n = strlen(ends[i].plural);
        if (len > n && strcmp(resource + len - n, ends[i].plural) == 0) {
            cut = n;
            end = ends[i].singular;
        }
    }
    char *kind = kd_asprintf("%.*s%s", (int)(len - cut), resource, end);
    kind[0] = (char)toupper((unsigned char)kind[0]);
    for (char *at = kind; (at = strchr(at, '-')) != NULL;) { /* a kind has no dashes */
        memmove(at, at + 1, strlen(at));
    }
    return kind;
}

/* A name as part of a C identifier. */
static char *id_of(const char *name)
{
    char *id = kd_strdup(name);
    for (char *at = id; (at = strchr(at, '-')) != NULL;) {
        *at = '_';
    }
    return id;
}

static int expand(const char *text, const struct word *words, size_t n, struct kd_buf *out)
{
    for (const char *at = text; *at;) {
        size_t i = 0;
        while (i < n && strncmp(at, words[i].mark, strlen(words[i].mark)) != 0) {
            i++;
        }
        if (i < n) {
            KD_TRY(kd_buf_puts(out, words[i].text));
            at += strlen(words[i].mark);
        } else {
            KD_TRY(kd_buf_putc(out, *at++));
        }
    }
    return 0;
}

static int fail_at(struct kd_error *reterr, const char *path)
{
    int code = errno == EEXIST ? KD_EEXIST : errno == EACCES ? KD_EPERM : KD_EIO;
    return kd_fail(reterr, code, "%s: %s", path, strerror(errno));
}

static int make_folder(const char *path, struct kd_error *reterr)
{
    return mkdir(path, 0777) == 0 ? 0 : fail_at(reterr, path);
}

static int write_template(const char *folder, const struct kd_ctl_template *file,
                          const struct word *words, size_t n, struct kd_error *reterr)
{
    KD_AUTO_BUF struct kd_buf name;
    KD_AUTO_BUF struct kd_buf text;
    kd_buf_init(&name, KD_KIB);
    kd_buf_init(&text, KD_MIB);
    if (expand(file->path, words, n, &name) < 0 || expand(file->text, words, n, &text) < 0) {
        return kd_fail(reterr, KD_ETOOBIG, "%s: the names are too long", file->path);
    }
    KD_AUTO_FREE char *path = kd_path_join(folder, name.ptr);
    return kd_file_create(path, 0666, kd_buf_str(&text), reterr);
}

int kd_ctl_plugin_write(const struct kd_ctl_plugin *plugin, struct kd_error *reterr)
{
    const char *folder = plugin->folder ? plugin->folder : plugin->name;
    KD_AUTO_FREE char *kind = plugin->kind ? kd_strdup(plugin->kind) : kind_of(plugin->resource);
    KD_AUTO_FREE char *id = id_of(plugin->name);
    KD_AUTO_FREE char *tests = kd_path_join(folder, "tests");
    KD_AUTO_FREE char *api =
        kd_asprintf("%s%s%s", plugin->group, plugin->group[0] ? "/" : "", plugin->version);
    KD_AUTO_FREE char *ref =
        kd_asprintf("%s%s%s%s%s", kind, plugin->group[0] ? "." : "", plugin->group,
                    plugin->group[0] ? ":" : "", plugin->group[0] ? plugin->version : "");
    const struct word words[] = {
        { "@NAME@", plugin->name },
        { "@ID@", id },
        { "@GROUP@", plugin->group },
        { "@VERSION@", plugin->version },
        { "@RESOURCE@", plugin->resource },
        { "@KIND@", kind },
        { "@API@", api },
        { "@REF@", ref },
        { "@KINDRED@", KINDRED_VERSION },
    };
    KD_TRY(make_folder(folder, reterr));
    KD_TRY(make_folder(tests, reterr));
    for (const struct kd_ctl_template *file = kd_ctl_plugin_templates; file->path; file++) {
        KD_TRY(write_template(folder, file, words, KD_ARRAY_LEN(words), reterr));
    }
    return 0;
}
