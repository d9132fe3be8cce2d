#include "base/address.h"

#include "base/str.h"

#include <arpa/inet.h>

static const uint8_t mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

bool kd_address_parse(struct kd_str text, struct kd_address *ret)
{
    char copy[INET6_ADDRSTRLEN];
    struct kd_address address = { .v4 = false };
    if (text.len == 0 || text.len >= sizeof(copy)) {
        return false;
    }
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    if (inet_pton(AF_INET, copy, address.bytes + 12) == 1) {
        memcpy(address.bytes, mapped, sizeof(mapped));
        address.v4 = true;
    } else if (inet_pton(AF_INET6, copy, address.bytes) == 1) {
        address.v4 = memcmp(address.bytes, mapped, sizeof(mapped)) == 0;
    } else {
        return false;
    }
    *ret = address;
    return true;
}

bool kd_address_eq(const struct kd_address *a, const struct kd_address *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

bool kd_address_is_loopback(const struct kd_address *address)
{
    static const uint8_t one[16] = { [15] = 1 };
    return address->v4 ? address->bytes[12] == 127 : memcmp(address->bytes, one, sizeof(one)) == 0;
}

bool kd_network_parse(struct kd_str text, struct kd_network *ret)
{
    struct kd_network network;
    uint64_t bits = 0;
    struct kd_str rest = text;
    struct kd_str base = kd_str_cut(&rest, '/');
    if (!rest.ptr || !kd_address_parse(base, &network.base) || rest.len > 3 ||
        !kd_str_to_u64(rest, &bits)) {
        return false;
    }
    bool v4 = memchr(base.ptr, ':', base.len) == NULL;
    if (bits > (v4 ? 32 : 128)) {
        return false;
    }
    network.bits = (unsigned)bits + (v4 ? 96 : 0);
    *ret = network;
    return true;
}

bool kd_network_has(const struct kd_network *network, const struct kd_address *address)
{
    if (network->base.v4 != address->v4) {
        return false; /* ::/0 holds no IPv4 address */
    }
    for (unsigned i = 0; i < network->bits; i++) {
        uint8_t mask = (uint8_t)(0x80u >> (i % 8));
        if ((network->base.bytes[i / 8] ^ address->bytes[i / 8]) & mask) {
            return false;
        }
    }
    return true;
}

struct kd_str kd_host_of(struct kd_str text)
{
    struct kd_str rest = text;
    if (text.len > 0 && text.ptr[0] == '[') {
        rest.ptr++;
        rest.len--;
        return kd_str_cut(&rest, ']');
    }
    struct kd_str host = kd_str_cut(&rest, ':');
    bool is_v6 = rest.len > 0 && memchr(rest.ptr, ':', rest.len);
    return is_v6 ? text : host;
}

bool kd_host_is_loopback(struct kd_str host)
{
    struct kd_address address;
    return kd_str_is(host, "localhost") ||
           (kd_address_parse(host, &address) && kd_address_is_loopback(&address));
}
