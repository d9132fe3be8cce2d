/* Every bound of the program in one list. Sizes in bytes, times in nanoseconds. */
#ifndef KD_BASE_LIMITS_H
#define KD_BASE_LIMITS_H

#include <stdint.h>

#define KD_KIB UINT64_C(1024)
#define KD_MIB (UINT64_C(1024) * KD_KIB)
#define KD_GIB (UINT64_C(1024) * KD_MIB)

#define KD_MAX_JSON_DEPTH 512             /* nesting of a document */
#define KD_MAX_POINTER_KEY 512            /* one segment with "~" of a path that is read directly */
#define KD_MAX_PLAN_DEPTH 32              /* segments of a compiled path */
#define KD_MAX_PLAN_NODES 1024            /* distinct segments of a plan's paths */
#define KD_MAX_CONFIG_FILE (4 * KD_MIB)   /* kindred.conf and each file of plugins.d */
#define KD_MAX_KUBECONFIG (8 * KD_MIB)    /* one kubeconfig file */
#define KD_MAX_TOKEN KD_MIB               /* bearer token */
#define KD_MAX_EXEC_OUTPUT KD_MIB         /* what a credential program prints */
#define KD_MAX_ERROR_BODY (64 * KD_KIB)   /* what is kept of an error answer */
#define KD_MAX_ENVELOPE (64 * KD_KIB)     /* a list's own fields, items left out */
#define KD_MAX_BARREN_PAGES 1000u         /* in a row: empty, or under the same token */
#define KD_MAX_SKIPPED_HEAD (64 * KD_KIB) /* what is kept of an object that is too large */
#define KD_MAX_RELATIONS 100000           /* relations of one object and plugin instance */
#define KD_MAX_SCRATCH (256 * KD_MIB)     /* scratch memory of one callback */
#define KD_MAX_LOG_LINE (16 * KD_KIB)
#define KD_MAX_PLUGIN_FILE (256 * KD_MIB) /* of a signed plugin, which is copied into memory */
#define KD_MAX_PLUGIN_KEY (64 * KD_KIB)   /* one file of plugins.trusted_keys */
#define KD_MAX_SERIES 10000               /* series of one metric family */
#define KD_MAX_STORE_QUEUE 8192           /* changes that wait for the store writer */
#define KD_MAX_HTTP_HEADER KD_MIB         /* header block of a request to us */
#define KD_MAX_HTTP_BODY (64 * KD_KIB)
#define KD_MAX_API_LIMIT 100000 /* items of one API answer */
#define KD_MAX_GRAPH_NODES 100000
#define KD_TABLE_SHARDS 64
#define KD_MAX_DICT (112 * KD_KIB)
#define KD_MAX_BASE (128 * KD_KIB) /* text that others are compressed against */
#define KD_DICT_SAMPLES 150
#define KD_DICT_MIN_OBJECTS 500

#endif
