/*
 * Which proxy leads to the API server: the kubeconfig's proxy-url, else HTTPS_PROXY (HTTP_PROXY for
 * an http:// server) unless NO_PROXY names the server. Upper case beats lower case.
 *
 * NO_PROXY is a list with commas: "*" is every host; an address; a network such as 10.0.0.0/8 or
 * fd00::/8; "name" is that name and what ends in ".name"; ".name" and "*.name" only the latter;
 * each but a network may have ":port". localhost and loopback addresses have no proxy from the
 * environment.
 */
#ifndef KD_CONFIG_PROXY_H
#define KD_CONFIG_PROXY_H

#include "config/cluster.h"

/* Why the text is no proxy URL that can be used, or NULL: http, https or socks5 with a host. */
const char *kd_proxy_fault(const char *url);
/* The environment's proxy for a URL, NULL for none; *ret is owned, *ret_name static. */
int kd_proxy_for(const char *url, char *const *environ, char **ret, const char **ret_name,
                 struct kd_error *reterr) KD_MUST_USE;
/* Fills cluster->proxy from the environment unless proxy-url has. */
int kd_proxy_choose(struct kd_cluster *cluster, char *const *environ,
                    struct kd_error *reterr) KD_MUST_USE;
/* True when the list names the host (IPv6 without brackets, or with) and port. */
bool kd_proxy_excludes(struct kd_str list, struct kd_str host, struct kd_str port);

#endif
