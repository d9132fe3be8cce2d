/*
 * A reflector keeps one scope of a kind (all namespaces or one) in the table: list, watch, resume,
 * back off, for ever. Its behaviour is the table of reflector_table.c: phase x news -> action, next
 * phase. Everything runs on the I/O thread.
 *
 *     reflector_table.c   the state table and its actions
 *     reflector_call.c    requests: their paths, how their end becomes news
 *     reflector_stream.c  bytes: list items, watch lines
 *     reflector_news.c    what a refusal means
 *     reflector_wait.c    back-off, time limits, what is said about failures
 */
#ifndef KD_INFORMER_REFLECTOR_H
#define KD_INFORMER_REFLECTOR_H

#include "informer/parts.h"
#include "json/splitter.h"

enum kd_phase {
    KD_PHASE_IDLE,      /* not started, or stopped */
    KD_PHASE_LISTING,   /* a paged list is under way */
    KD_PHASE_STREAMING, /* a streaming list, before the mark that ends the initial events */
    KD_PHASE_WATCHING,
    KD_PHASE_RESTING, /* waits before the next try, which is `then` */
    KD_N_PHASES,
    KD_PHASE_LISTS = KD_N_PHASES, /* not a phase: streaming where it is allowed, else listing */
};

enum kd_news {
    KD_NEWS_START,
    KD_NEWS_RESUME,     /* the start of one whose cache is there already */
    KD_NEWS_MORE,       /* a page has ended and another follows */
    KD_NEWS_COMPLETE,   /* the list is complete */
    KD_NEWS_CLOSED,     /* a watch has ended as watches do, or a stream too early */
    KD_NEWS_SHORT,      /* a watch has ended at once without an event (B13) */
    KD_NEWS_WORN,       /* so many failures that only a list can help */
    KD_NEWS_EXPIRED,    /* 410 in any form, or a version too large: ask anew at once */
    KD_NEWS_THROTTLED,  /* 429 */
    KD_NEWS_REFUSED,    /* the server does not do streaming lists */
    KD_NEWS_FORBIDDEN,  /* 403 */
    KD_NEWS_NOT_SERVED, /* 404 */
    KD_NEWS_FAILED,     /* anything else */
    KD_NEWS_LATE,       /* the time limit of a watch or a streaming list */
    KD_NEWS_RESTED,     /* the wait is over */
    KD_N_NEWS,
};

struct kd_reflector {
    struct kd_informer *informer;
    char *ns; /* NULL: all */
    enum kd_phase phase;
    enum kd_phase then; /* after resting */

    char version[KD_VERSION_MAX]; /* the scope is complete up to here; "" when unknown */
    bool listed;                  /* a complete list has been taken */
    bool resumes;                 /* an earlier process did: it begins with a watch */
    bool ask_truth;               /* the next list asks without a version */
    bool ask_whole;               /* and without pages */
    bool may_stream;
    bool pages_seen;   /* this server cuts lists into pages */
    unsigned failures; /* since the last progress: what the back-off grows by */
    unsigned shorts;   /* short watches in a row */
    unsigned expiries; /* of watches, since the last progress */
    unsigned hasty;    /* watches in a row that ended within a second, whatever they brought */
    unsigned barren;   /* pages in a row without an item or with the token of the one before */
    bool fruit;        /* an item in this page */

    void *call;
    struct kd_splitter *splitter;
    void *timer; /* resting, or a time limit */
    int64_t began_ns;
    int64_t end_ns;     /* of a watch: when it is given up, whatever comes */
    int64_t grown_ns;   /* when the last object of a streaming list came */
    int64_t wait_ns;    /* what the server asked to wait, 0 else */
    bool started;       /* the answer has begun */
    bool in_stream;     /* the last failure came in an answer that had begun well */
    bool progress;      /* an event or bookmark in this watch */
    bool unversioned;   /* the watch began without a version: adds tell none */
    bool blind;         /* an object of the list could not be named: no sweep */
    bool verdict_known; /* the stream has said how it ends */
    enum kd_news verdict;
    char *next_page; /* continue token or NULL */

    enum kd_informer_state state;
    const char *verb; /* of the call: "list" or "watch" */
    char reason[64];  /* of the last failure, as logged; "" when all is well */
    char last_error[512];
    int last_code;
    int64_t last_event_ns;
};

struct kd_reflector *kd_reflector_new(struct kd_informer *informer, const char *ns);
void kd_reflector_free(struct kd_reflector *reflector);
void kd_reflector_start(struct kd_reflector *reflector);
void kd_reflector_stop(struct kd_reflector *reflector);
/* Its namespace; a NULL pointer for all. */
struct kd_str kd_reflector_scope(const struct kd_reflector *reflector);

/* reflector_table.c */
void kd_reflector_tell(struct kd_reflector *reflector, enum kd_news news);

/* reflector_call.c */
/* Counts a watch that ends now; true when such ends follow one another too fast to go on at once.
 */
bool kd_reflector_hurries(struct kd_reflector *reflector);
void kd_reflector_ask(struct kd_reflector *reflector); /* what its phase calls for */
void kd_reflector_hang_up(struct kd_reflector *reflector);
/* Ends a call that waits in vain. */
void kd_reflector_abandon(struct kd_reflector *reflector);

/* reflector_stream.c */
int kd_reflector_data(struct kd_reflector *reflector, const char *ptr, size_t len);
struct kd_splitter *kd_reflector_splitter(struct kd_reflector *reflector);
/* Reads version and continue token of a complete page. */
int kd_reflector_page(struct kd_reflector *reflector, struct kd_error *reterr) KD_MUST_USE;

/* reflector_news.c */
enum kd_news kd_reflector_news_of(struct kd_reflector *reflector, const struct kd_status *status);
/* The version that was asked for is gone, or what came goes back in time. */
enum kd_news kd_reflector_expired(struct kd_reflector *reflector);

/* reflector_wait.c */
void kd_reflector_rest(struct kd_reflector *reflector);
/* Whether a time limit that has run out is meant. A streaming list that grows gets more time, up to
 * the end of any watch. */
bool kd_reflector_is_late(struct kd_reflector *reflector);
void kd_reflector_limit(struct kd_reflector *reflector, int64_t limit_ns);
void kd_reflector_progress(struct kd_reflector *reflector);
void kd_reflector_healed(struct kd_reflector *reflector);
void kd_reflector_complain(struct kd_reflector *reflector, enum kd_informer_state state,
                           const char *reason, int code, const char *text);

#endif
