/*
 * Lists of any bytes through a whole informer: the first byte chooses mode and cuts, NUL bytes part
 * the answers. However the bytes are cut, cache, status and events come out the same; and a good
 * list afterwards makes the cache what that list says.
 */
#include "informer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_ANSWERS 16
#define HANDS 64 /* requests after which the good list must be in */

static const char good[] =
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"
    "\"1844674407370955161\"},\"items\":[{\"metadata\":{\"name\":\"good\",\"namespace\":\"d\","
    "\"uid\":\"u\",\"resourceVersion\":\"1844674407370955160\"}}]}";
static const char expired[] =
    "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410}}\n";

static uint64_t run(struct kd_str bodies, const char *mode, uint64_t seed)
{
    struct world world;
    world_start(&world, mode, false, seed);
    for (unsigned i = 0; i < MAX_ANSWERS && bodies.ptr; i++) {
        world_await(&world);
        if (world.watch) {
            world_answer(&world, kd_str_from(expired));
        } else {
            world_answer(&world, kd_str_cut(&bodies, '\0'));
        }
    }
    uint64_t hash = world_hash(&world);
    struct kd_informer_status status = { 0 };
    struct kd_key key = { KD_STR("d"), KD_STR("good") };
    struct kd_record *record = NULL;
    for (unsigned i = 0; i < HANDS && !record; i++) {
        world_await(&world);
        world_answer(&world, kd_str_from(world.watch ? expired : world.next_page ? "{}" : good));
        record = kd_informer_get(world.informer, key);
    }
    kd_informer_get_status(world.informer, &status);
    KD_ASSERT(record != NULL && status.objects == 1 && status.ever_synced);
    kd_record_unref(record);
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
    uint64_t whole = run(bodies, mode, 0);
    KD_ASSERT(whole == run(bodies, mode, 1 + (uint64_t)(data[0] >> 2)));
    return 0;
}
