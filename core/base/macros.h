/* Compiler attributes and the few macros that hide a return. */
#ifndef KD_BASE_MACROS_H
#define KD_BASE_MACROS_H

#include <stddef.h>

#define KD_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define KD_MUST_USE __attribute__((warn_unused_result))
#define KD_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))
#define KD_NORETURN __attribute__((noreturn))
#define KD_MALLOC __attribute__((malloc, returns_nonnull))
#define KD_CLEANUP(fn) __attribute__((cleanup(fn)))

#define KD_ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))
#define KD_CONTAINER_OF(ptr, type, member)                                                         \
    ((type *)(void *)((char *)(ptr) - offsetof(type, member)))

/* Returns the pointer and leaves NULL behind: hands an owned thing over. */
#define kd_steal(ptr)                                                                              \
    __extension__({                                                                                \
        __typeof__(ptr) kd_stolen = (ptr);                                                         \
        (ptr) = NULL;                                                                              \
        kd_stolen;                                                                                 \
    })

/* Returns from the function when expr is a negative error. */
#define KD_TRY(expr)                                                                               \
    do {                                                                                           \
        int kd_try_rc = (expr);                                                                    \
        if (kd_try_rc < 0) {                                                                       \
            return kd_try_rc;                                                                      \
        }                                                                                          \
    } while (0)

/* Returns err when cond does not hold. */
#define KD_ENSURE(cond, err)                                                                       \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            return (err);                                                                          \
        }                                                                                          \
    } while (0)

#endif
