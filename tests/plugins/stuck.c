/*
 * Its filter, which runs on the host's I/O thread, waits at the first change of a pod: it makes the
 * file $STUCK_GATE.waiting, and goes on when $STUCK_GATE is there.
 */
#include <fcntl.h>
#include <kindred/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint32_t wait_at_gate(void *self, const struct kd_event *event)
{
    const struct timespec pause = { 0, 10000000 };
    const char *gate = getenv("STUCK_GATE");
    char waiting[256];
    (void)self;
    if (event->type != KD_EVENT_MODIFIED || !gate) {
        return KD_FILTER_QUEUE;
    }
    (void)snprintf(waiting, sizeof(waiting), "%s.waiting", gate);
    (void)close(open(waiting, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    while (access(gate, F_OK) != 0) {
        (void)nanosleep(&pause, NULL);
    }
    return KD_FILTER_QUEUE;
}

static int32_t relate(void *self, struct kd_ctx *ctx, const struct kd_object *pod,
                      struct kd_relations *out)
{
    (void)self;
    (void)ctx;
    (void)pod;
    (void)out;
    return 0;
}

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .flags = KD_KIND_OBSERVER,
        .group = "",
        .version = "v1",
        .kind = "Pod",
        .resource = "pods",
        .scope = KD_SCOPE_NAMESPACED,
        .filter = wait_at_gate,
        .relate = relate,
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD(PLUGIN_NAME, "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
