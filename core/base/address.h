/* Internet addresses, networks and hosts as text; an IPv4 address mapped into IPv6 is that IPv4
 * address. */
#ifndef KD_BASE_ADDRESS_H
#define KD_BASE_ADDRESS_H

#include <kindred/types.h>
#include <stdbool.h>

struct kd_address {
    uint8_t bytes[16];
    bool v4; /* then bytes[12..15] */
};

struct kd_network {
    struct kd_address base;
    unsigned bits; /* of a 16-byte address */
};

bool kd_address_parse(struct kd_str text, struct kd_address *ret);
bool kd_address_eq(const struct kd_address *a, const struct kd_address *b);
bool kd_address_is_loopback(const struct kd_address *address);
/* "10.0.0.0/8", "fd00::/8". */
bool kd_network_parse(struct kd_str text, struct kd_network *ret);
bool kd_network_has(const struct kd_network *network, const struct kd_address *address);

/* The host of "HOST:PORT" or "[::1]:PORT", or of one without a port; without brackets. */
struct kd_str kd_host_of(struct kd_str text);
/* Whether a host, without port and brackets, is this machine by its name or its address. */
bool kd_host_is_loopback(struct kd_str host);

#endif
