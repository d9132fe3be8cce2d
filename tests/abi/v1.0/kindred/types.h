/*
 * The small vocabulary that every kindred header speaks: strings with a length, JSON values in
 * place, references and errors. It holds fixed-width integers and pointers only, so that its
 * layout is the same for every compiler and every build option (64-bit only).
 *
 * Ownership: a struct here never owns what it points to. A callee that wants to keep something
 * beyond the call copies it or takes a reference where the type offers one.
 */
#ifndef KINDRED_TYPES_H
#define KINDRED_TYPES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes with a length. Not NUL-terminated; may hold NUL bytes. {NULL, 0} is the empty string. */
struct kd_str {
    const char *ptr;
    uint64_t len;
};

/* A string literal as kd_str, usable as an initializer and as an expression. */
#define KD_STR_INIT(lit)                                                                           \
    {                                                                                              \
        (lit), sizeof(lit) - 1                                                                     \
    }
#ifndef __cplusplus
#define KD_STR(lit) ((struct kd_str)KD_STR_INIT(lit))
#endif

/* Types of a JSON value. KD_JSON_NONE stands for "not there". */
#define KD_JSON_NONE 0u
#define KD_JSON_NULL 1u
#define KD_JSON_BOOL 2u
#define KD_JSON_NUMBER 3u
#define KD_JSON_STRING 4u
#define KD_JSON_ARRAY 5u
#define KD_JSON_OBJECT 6u

/*
 * One JSON value in place: ptr and len cover its text, quotes and brackets included. Numbers keep
 * their digits, strings their escapes; decoding is a step of its own.
 */
struct kd_value {
    const char *ptr;
    uint64_t len;
    uint32_t type; /* KD_JSON_* */
    uint32_t reserved;
};

/*
 * A reference to a Kubernetes object. group is "" for the core group, ns is "" for cluster scope,
 * uid is "" when it is not known. A node of the graph is (group, kind, ns, name); version and uid
 * are attributes of the mention.
 */
struct kd_ref {
    struct kd_str group;
    struct kd_str version;
    struct kd_str kind;
    struct kd_str ns;
    struct kd_str name;
    struct kd_str uid;
};

/* Key of an object within its kind; ns is "" for cluster scope. */
struct kd_key {
    struct kd_str ns;
    struct kd_str name;
};

#define KD_ERROR_TEXT 496

/*
 * An error with its text. The caller owns the memory; a callee fills it only when it fails and
 * leaves it untouched on success. text is NUL-terminated and names the place and the remedy.
 */
struct kd_error {
    int32_t code; /* negative KD_E* */
    uint32_t reserved;
    char text[KD_ERROR_TEXT];
};

/*
 * Error codes: a function returns 0 or one of these, negated in the macro already. The list is
 * append-only: X(name, value, text).
 */
#define KD_ERRORS(X)                                                                               \
    X(KD_EINVAL, -1, "invalid argument")                                                           \
    X(KD_ENOMEM, -2, "out of memory")                                                              \
    X(KD_ENOENT, -3, "not found")                                                                  \
    X(KD_EEXIST, -4, "exists already")                                                             \
    X(KD_ETOOBIG, -5, "over the limit")                                                            \
    X(KD_EPARSE, -6, "malformed input")                                                            \
    X(KD_EIO, -7, "input or output failed")                                                        \
    X(KD_ENET, -8, "connection failed")                                                            \
    X(KD_ETIMEOUT, -9, "timed out")                                                                \
    X(KD_ECANCELED, -10, "canceled")                                                               \
    X(KD_EHTTP, -11, "the server answered with an error")                                          \
    X(KD_EAGAIN, -12, "try again")                                                                 \
    X(KD_EBUSY, -13, "in use")                                                                     \
    X(KD_EABI, -14, "plugin interface does not fit")                                               \
    X(KD_ECONFIG, -15, "bad configuration")                                                        \
    X(KD_EPERM, -16, "not permitted")                                                              \
    X(KD_ETERMINAL, -17, "terminal error, no retry")                                               \
    X(KD_EPLUGIN, -18, "plugin failed")                                                            \
    X(KD_ESTORE, -19, "store failed")                                                              \
    X(KD_EUNSUPPORTED, -20, "not supported")                                                       \
    X(KD_ESHUTDOWN, -21, "shutting down")

#define KD_ERROR_ENUM(name, value, text) name = (value),
enum kd_errno { KD_OK = 0, KD_ERRORS(KD_ERROR_ENUM) };
#undef KD_ERROR_ENUM

#ifdef __cplusplus
}
#endif

#endif
