/* Checks of single values that the table names. */
#include "base/limits.h"
#include "config/keys.h"

#include <stdio.h>
#include <sys/un.h>

#define DNS_LABEL_MAX 63
#define NAME_MAX_LEN 253

/* Puts a reason; cut to fit by design. */
#define WHY(why, ...) ((void)snprintf((why), KD_CONF_WHY, __VA_ARGS__), false)

static bool is_port(struct kd_str text)
{
    uint64_t port = 0;
    return kd_str_to_u64(text, &port) && port <= UINT16_MAX;
}

static bool is_host(struct kd_str host)
{
    if (host.len >= 2 && host.ptr[0] == '[') {
        return host.ptr[host.len - 1] == ']' && host.len > 2;
    }
    for (size_t i = 0; i < host.len; i++) {
        if (strchr(":/ []@", host.ptr[i])) {
            return false;
        }
    }
    return true;
}

bool kd_conf_check_bind(struct kd_str value, char why[KD_CONF_WHY])
{
    const struct kd_str unix_prefix = KD_STR_INIT("unix:");
    if (kd_str_is(value, "0")) {
        return true;
    }
    if (kd_str_starts(value, unix_prefix)) {
        size_t len = value.len - unix_prefix.len;
        size_t max = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1;
        if (len == 0 || len > max) {
            return WHY(why, "names a socket path of %zu bytes; it takes 1 to %zu", len, max);
        }
        return true;
    }
    size_t colon = value.len;
    while (colon > 0 && value.ptr[colon - 1] != ':') {
        colon--;
    }
    struct kd_str host = { value.ptr, colon ? colon - 1 : 0 };
    struct kd_str port = { value.ptr + colon, value.len - colon };
    if (colon == 0 || !is_port(port) || !is_host(host)) {
        return WHY(
            why,
            "is \"%.*s\"; write \"HOST:PORT\", \"[IPV6]:PORT\", \":PORT\", \"unix:PATH\", or "
            "\"0\" for off",
            KD_STR_ARG(value));
    }
    return true;
}

bool kd_conf_check_path(struct kd_str value, char why[KD_CONF_WHY])
{
    return value.len > 0 || WHY(why, "is empty; name a path, or leave the key out");
}

bool kd_conf_check_selector(struct kd_str value, char why[KD_CONF_WHY])
{
    for (size_t i = 0; i < value.len; i++) {
        if ((unsigned char)value.ptr[i] >= 0x80) {
            return WHY(why, "holds a character that is not ASCII; no label or field has one");
        }
    }
    return true;
}

static bool is_lower_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool kd_conf_check_namespace(struct kd_str value, char why[KD_CONF_WHY])
{
    bool ok = value.len > 0 && value.len <= DNS_LABEL_MAX && is_lower_or_digit(value.ptr[0]) &&
              is_lower_or_digit(value.ptr[value.len - 1]);
    for (size_t i = 0; ok && i < value.len; i++) {
        ok = is_lower_or_digit(value.ptr[i]) || value.ptr[i] == '-';
    }
    return ok ||
           WHY(why, "holds \"%.*s\"; the name of a namespace has at most 63 of a-z, 0-9 and '-'",
               KD_STR_ARG(value));
}

static bool is_name(struct kd_str value)
{
    bool ok = value.len > 0 && value.len <= NAME_MAX_LEN && value.ptr[0] != '.';
    for (size_t i = 0; ok && i < value.len; i++) {
        char c = value.ptr[i];
        ok = is_lower_or_digit(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
    }
    return ok;
}

bool kd_conf_check_name(struct kd_str value, char why[KD_CONF_WHY])
{
    return value.len == 0 || is_name(value) ||
           WHY(why, "is \"%.*s\"; a name has letters, digits, '-', '_' and '.' only",
               KD_STR_ARG(value));
}

bool kd_conf_check_plugin(struct kd_str value, char why[KD_CONF_WHY])
{
    const struct kd_str suffix = KD_STR_INIT(".so");
    if (value.len && memchr(value.ptr, '/', value.len)) {
        return value.ptr[value.len - 1] != '/' ||
               WHY(why, "is \"%.*s\"; write a name, and its folder into plugins.extra",
                   KD_STR_ARG(value));
    }
    if (!is_name(value)) {
        return WHY(why, "is \"%.*s\"; write the plugin's name, such as \"pod\"", KD_STR_ARG(value));
    }
    if (value.len > suffix.len &&
        memcmp(value.ptr + value.len - suffix.len, suffix.ptr, suffix.len) == 0) {
        return WHY(why, "is \"%.*s\"; write \"%.*s\"", KD_STR_ARG(value),
                   (int)(value.len - suffix.len), value.ptr);
    }
    return true;
}
