#include "ctl/places.h"

#define NAMES_MAX 300 /* a message is short; more of them would not help */

void kd_ctl_places_init(struct kd_ctl_places *places)
{
    *places = (struct kd_ctl_places){ 0 };
    kd_buf_init(&places->names, NAMES_MAX);
}

void kd_ctl_places_release(struct kd_ctl_places *places)
{
    kd_buf_release(&places->names);
}

void kd_ctl_places_add(struct kd_ctl_places *places, const struct kd_ref *ref)
{
    struct kd_buf *names = &places->names;
    size_t before = names->len;
    bool fits =
        kd_buf_puts(names, places->n > 0 ? ", " : "") == 0 && kd_buf_put_str(names, ref->ns) == 0;
    names->len = fits ? names->len : before;
    places->n++;
}

int kd_ctl_places_check(const struct kd_ctl_places *places, const char *kind, const char *name,
                        struct kd_error *reterr)
{
    if (places->n <= 1) {
        return 0;
    }
    return kd_fail(reterr, KD_EINVAL, "%s \"%s\" is in %zu namespaces: choose one with -n (%.*s%s)",
                   kind, name, places->n, (int)places->names.len, places->names.ptr,
                   places->names.failed ? ", ..." : "");
}
