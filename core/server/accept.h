/* What a client says that it takes: Accept and Accept-Encoding (RFC 9110, 12.5). */
#ifndef KD_SERVER_ACCEPT_H
#define KD_SERVER_ACCEPT_H

#include <kindred/types.h>
#include <stdbool.h>

/*
 * How much an element of a header's list is wanted, from 0 (not at all) to 1000, by its "q". Names
 * are compared without regard to case, parameters but q and the wanted one are passed over.
 * `parameter` may be NULL, or demands "name=value" of elements that say this name at all.
 * -1: the list does not name it. A NULL header is an empty list.
 */
int kd_accept_weight(const char *header, const char *name, const char *parameter);

#endif
