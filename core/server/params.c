#include "server/params.h"

#include "base/str.h"

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static int decode(struct kd_str raw, struct kd_arena *arena, struct kd_str *ret,
                  struct kd_error *reterr)
{
    char *out = kd_arena_alloc(arena, raw.len + 1);
    size_t n = 0;
    if (!out) {
        return kd_fail(reterr, KD_ETOOBIG, "the query is too long");
    }
    for (size_t i = 0; i < raw.len; i++) {
        char c = raw.ptr[i];
        if (c == '%') {
            int high = raw.len - i > 2 ? hex_digit(raw.ptr[i + 1]) : -1;
            int low = raw.len - i > 2 ? hex_digit(raw.ptr[i + 2]) : -1;
            if (high < 0 || low < 0) {
                return kd_fail(reterr, KD_EINVAL,
                               "bad percent encoding in the query: write %%25 "
                               "for a percent sign");
            }
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+') {
            c = ' ';
        }
        if (c == '\0') { /* no name holds one, and some are compared as C strings */
            return kd_fail(reterr, KD_EINVAL, "a NUL has no place in the query");
        }
        out[n++] = c;
    }
    out[n] = '\0';
    *ret = (struct kd_str){ out, n };
    return 0;
}

int kd_params_parse(struct kd_str query, struct kd_arena *arena, struct kd_params *ret,
                    struct kd_error *reterr)
{
    size_t room = 1;
    for (size_t i = 0; i < query.len; i++) {
        room += query.ptr[i] == '&';
    }
    struct kd_params params = { kd_arena_alloc(arena, room * sizeof(struct kd_param)), 0 };
    if (!params.items) {
        return kd_fail(reterr, KD_ETOOBIG, "the query is too long");
    }
    while (query.ptr && query.len > 0) {
        struct kd_str part = kd_str_cut(&query, '&');
        struct kd_str name = kd_str_cut(&part, '=');
        struct kd_param *param = &params.items[params.n];
        if (name.len == 0) {
            continue;
        }
        KD_TRY(decode(name, arena, &param->name, reterr));
        KD_TRY(decode(part, arena, &param->value, reterr));
        params.n++;
    }
    *ret = params;
    return 0;
}

static const struct kd_param *find(const struct kd_params *params, const char *name)
{
    for (size_t i = 0; i < params->n; i++) {
        if (kd_str_is(params->items[i].name, name)) {
            return &params->items[i];
        }
    }
    return NULL;
}

struct kd_str kd_params_get(const struct kd_params *params, const char *name)
{
    const struct kd_param *param = find(params, name);
    return param ? param->value : (struct kd_str){ NULL, 0 };
}

bool kd_params_has(const struct kd_params *params, const char *name)
{
    return find(params, name) != NULL;
}

int kd_params_number(const struct kd_params *params, const char *name, uint64_t max,
                     uint64_t fallback, uint64_t *ret, struct kd_error *reterr)
{
    struct kd_str text = kd_params_get(params, name);
    uint64_t number = fallback;
    if (text.len > 0 && (!kd_str_to_u64(text, &number) || number > max)) {
        return kd_fail(reterr, KD_EINVAL, "%s must be a whole number from 0 to %llu", name,
                       (unsigned long long)max);
    }
    *ret = number;
    return 0;
}
