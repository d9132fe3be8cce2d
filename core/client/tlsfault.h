/* Why a certificate was refused, and which: for error texts. One per client, for handshakes run on
 * one thread and a call ends right after its own has failed. */
#ifndef KD_CLIENT_TLSFAULT_H
#define KD_CLIENT_TLSFAULT_H

#include <curl/curl.h>

struct kd_tls_fault {
    char subject[256]; /* of the server's certificate, "" when none came */
    char issuer[256];
    char refused[256]; /* subject of the certificate of the chain that was refused */
    char reason[128];  /* "" when the chain is good */
};

/* CURLOPT_SSL_CTX_FUNCTION; its data is a struct kd_tls_fault. */
CURLcode kd_tls_fault_hook(CURL *easy, void *ssl_ctx, void *fault);
/* `text` with what is known of the certificate when the result is a failure of TLS. The caller
 * frees. */
char *kd_tls_fault_text(const struct kd_tls_fault *fault, CURLcode result, const char *text);

#endif
