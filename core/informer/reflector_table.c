/* The state table of a reflector. An empty cell cannot happen. */
#include "base/alloc.h"
#include "base/log.h"
#include "informer/reflector.h"

#define STREAM_ROOM_NS (30 * KD_SEC_NS) /* what a watch may take beyond its own time */

struct row {
    void (*act)(struct kd_reflector *self);
    enum kd_phase next;
    enum kd_phase then; /* when next is resting */
};

static void ask(struct kd_reflector *self)
{
    kd_reflector_hang_up(self);
    kd_reflector_ask(self);
}

/* A watch that its server should have ended: maybe nothing comes over this connection any more. */
static void ask_anew(struct kd_reflector *self)
{
    kd_reflector_abandon(self);
    ask(self);
}

static void ask_page(struct kd_reflector *self)
{
    self->pages_seen = true;
    kd_reflector_ask(self);
}

/* A list that was broken off begins anew. */
static void rest(struct kd_reflector *self)
{
    kd_reflector_hang_up(self);
    self->next_page = kd_free(self->next_page);
    kd_reflector_rest(self);
}

/* The version asked for is gone, or none has it yet: ask for the truth. When it was a later page
 * that failed, pages are no way to get there. */
static void ask_truth(struct kd_reflector *self)
{
    self->ask_truth = true;
    self->ask_whole = self->ask_whole || self->next_page != NULL;
    self->next_page = kd_free(self->next_page);
    ask(self);
}

static void take_list(struct kd_reflector *self)
{
    self->listed = true;
    self->ask_truth = false;
    self->ask_whole = false;
    self->last_event_ns = kd_now_ns(self->informer->env.clock);
    if (self->blind) {
        KD_WARN("a listed object could not be named, so nothing is taken for deleted",
                KD_F("kind", self->informer->spec.kind));
    } else {
        kd_intake_sweep(self->informer, kd_reflector_scope(self));
    }
    kd_reflector_healed(self);
    kd_informer_list_done(self->informer);
}

static void watch_list(struct kd_reflector *self)
{
    take_list(self);
    ask(self);
}

/* The stream that brought the list goes on as the watch. */
static void watch_on(struct kd_reflector *self)
{
    self->unversioned = false;
    kd_reflector_limit(self,
                       kd_time_add_ns(2 * self->informer->spec.watch_timeout_ns, STREAM_ROOM_NS));
    take_list(self);
    kd_reflector_progress(self);
}

/* This server sends no streaming lists; it is not asked again. */
static void list_instead(struct kd_reflector *self)
{
    self->may_stream = false;
    kd_reflector_abandon(self);
    ask(self);
}

#define LISTS KD_PHASE_LISTS
#define LISTING KD_PHASE_LISTING
#define STREAMING KD_PHASE_STREAMING
#define WATCHING KD_PHASE_WATCHING
#define RESTING KD_PHASE_RESTING

/* clang-format off */
static const struct row table[KD_N_PHASES][KD_N_NEWS] = {
    [KD_PHASE_IDLE] = {
        [KD_NEWS_START]      = { ask, LISTS, 0 },
        [KD_NEWS_RESUME]     = { ask, WATCHING, 0 },
    },
    [KD_PHASE_LISTING] = {
        [KD_NEWS_MORE]       = { ask_page, LISTING, 0 },
        [KD_NEWS_COMPLETE]   = { watch_list, WATCHING, 0 },
        [KD_NEWS_EXPIRED]    = { ask_truth, LISTING, 0 },
        [KD_NEWS_THROTTLED]  = { rest, RESTING, LISTS },
        [KD_NEWS_FORBIDDEN]  = { rest, RESTING, LISTS },
        [KD_NEWS_NOT_SERVED] = { rest, RESTING, LISTS },
        [KD_NEWS_FAILED]     = { rest, RESTING, LISTS },
    },
    [KD_PHASE_STREAMING] = {
        [KD_NEWS_COMPLETE]   = { watch_on, WATCHING, 0 },
        [KD_NEWS_EXPIRED]    = { ask_truth, STREAMING, 0 },
        [KD_NEWS_THROTTLED]  = { rest, RESTING, LISTS },
        [KD_NEWS_REFUSED]    = { list_instead, LISTING, 0 },
        [KD_NEWS_FORBIDDEN]  = { ask, LISTING, 0 },
        [KD_NEWS_NOT_SERVED] = { rest, RESTING, LISTS },
        [KD_NEWS_LATE]       = { list_instead, LISTING, 0 },
        [KD_NEWS_CLOSED]     = { rest, RESTING, LISTING },
        [KD_NEWS_FAILED]     = { rest, RESTING, LISTS },
    },
    [KD_PHASE_WATCHING] = {
        [KD_NEWS_CLOSED]     = { ask, WATCHING, 0 },
        [KD_NEWS_LATE]       = { ask_anew, WATCHING, 0 },
        [KD_NEWS_SHORT]      = { rest, RESTING, WATCHING },
        [KD_NEWS_WORN]       = { rest, RESTING, LISTS },
        [KD_NEWS_EXPIRED]    = { ask, LISTS, 0 },
        [KD_NEWS_THROTTLED]  = { rest, RESTING, WATCHING },
        [KD_NEWS_FORBIDDEN]  = { rest, RESTING, WATCHING },
        [KD_NEWS_NOT_SERVED] = { rest, RESTING, LISTS },
        [KD_NEWS_FAILED]     = { rest, RESTING, WATCHING },
    },
    [KD_PHASE_RESTING] = {
        [KD_NEWS_RESTED]     = { ask, 0, 0 }, /* next is what the wait was for */
    },
};
/* clang-format on */

static enum kd_phase resolve(const struct kd_reflector *self, enum kd_phase phase)
{
    return phase != KD_PHASE_LISTS ? phase : self->may_stream ? STREAMING : LISTING;
}

void kd_reflector_tell(struct kd_reflector *self, enum kd_news news)
{
    const struct row *row = &table[self->phase][news];
    KD_ASSERT(row->act != NULL);
    enum kd_phase next = self->phase == RESTING ? self->then : row->next;
    if (next == RESTING) {
        self->then = row->then;
    }
    self->phase = resolve(self, next);
    row->act(self);
}
