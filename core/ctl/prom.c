#include "ctl/prom.h"

#include "base/buf.h"
#include "base/str.h"

#include <stdlib.h>

/* label="value" among the labels of a line. */
static bool has_label(struct kd_str labels, const char *label, struct kd_str value)
{
    size_t name = strlen(label);
    while (labels.len > name + 2 + value.len) {
        bool is = memcmp(labels.ptr, label, name) == 0 &&
                  memcmp(labels.ptr + name, "=\"", 2) == 0 &&
                  (value.len == 0 || memcmp(labels.ptr + name + 2, value.ptr, value.len) == 0) &&
                  labels.ptr[name + 2 + value.len] == '"';
        if (is) {
            return true;
        }
        const char *next = memchr(labels.ptr, ',', labels.len);
        if (!next) {
            return false;
        }
        labels.len -= (size_t)(next + 1 - labels.ptr);
        labels.ptr = next + 1;
    }
    return false;
}

static double number_of(struct kd_str text)
{
    char copy[64];
    size_t len = text.len < sizeof(copy) ? text.len : sizeof(copy) - 1;
    memcpy(copy, text.ptr, len);
    copy[len] = '\0';
    return strtod(copy, NULL);
}

double kd_ctl_prom_sum(struct kd_str page, const char *name, const char *label, struct kd_str value)
{
    struct kd_str wanted = kd_str_from(name);
    double sum = 0;
    while (page.ptr) {
        struct kd_str line = kd_str_cut(&page, '\n');
        if (!kd_str_starts(line, wanted) || line.len <= wanted.len) {
            continue;
        }
        struct kd_str rest = { line.ptr + wanted.len, line.len - wanted.len };
        struct kd_str labels = { NULL, 0 };
        if (rest.ptr[0] == '{') {
            const char *end = memrchr(rest.ptr, '}', rest.len);
            labels = (struct kd_str){ rest.ptr + 1, end ? (size_t)(end - rest.ptr) - 1 : 0 };
            rest = (struct kd_str){ end ? end + 1 : rest.ptr,
                                    end ? rest.len - (size_t)(end + 1 - rest.ptr) : 0 };
        }
        if (rest.len > 1 && rest.ptr[0] == ' ' && (!label || has_label(labels, label, value))) {
            sum += number_of((struct kd_str){ rest.ptr + 1, rest.len - 1 });
        }
    }
    return sum;
}
