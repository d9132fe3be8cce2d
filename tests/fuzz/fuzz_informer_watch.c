/*
 * Watches and streaming lists of any bytes through a whole informer: the first byte chooses mode,
 * streaming and cuts, NUL bytes part the answers; lists that it asks for between are good ones.
 * However the bytes are cut, cache, status and events come out the same.
 */
#include "informer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_ANSWERS 16

static const char list[] =
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"40\"},"
    "\"items\":["
    "{\"metadata\":{\"name\":\"a\",\"namespace\":\"d\",\"uid\":\"u-a\",\"resourceVersion\":\"7\"}},"
    "{\"metadata\":{\"name\":\"b\",\"namespace\":\"d\",\"uid\":\"u-b\",\"resourceVersion\":\"8\"}}]"
    "}";

static uint64_t run(struct kd_str bodies, const char *mode, bool streams, uint64_t seed)
{
    struct world world;
    world_start(&world, mode, streams, seed);
    for (unsigned i = 0; i < MAX_ANSWERS && bodies.ptr; i++) {
        world_await(&world);
        world_answer(&world, world.watch ? kd_str_cut(&bodies, '\0') : kd_str_from(list));
    }
    uint64_t hash = world_hash(&world);
    world_end(&world);
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const modes[] = { "full", "fields", "metadata", "full" };
    if (size == 0) {
        return 0;
    }
    struct kd_str bodies = { (const char *)data + 1, size - 1 };
    const char *mode = modes[data[0] & 3];
    bool streams = data[0] & 4;
    uint64_t whole = run(bodies, mode, streams, 0);
    KD_ASSERT(whole == run(bodies, mode, streams, 1 + (uint64_t)(data[0] >> 3)));
    return 0;
}
