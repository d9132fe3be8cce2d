/* The hash map against a plain array, with hashes that collide on purpose. */
#include "check.h"

#include "base/hmap.h"
#include "base/rand.h"

#define KEYS 400

struct item {
    struct kd_hnode node;
    uint64_t key;
    bool in_map;
    unsigned seen;
};

static struct item items[KEYS];

/* From all different to all the same. */
static uint64_t hash_of(uint64_t key, uint64_t spread)
{
    return key % spread * UINT64_C(0x9e3779b97f4a7c15);
}

static struct item *find(const struct kd_hmap *map, uint64_t key, uint64_t spread)
{
    struct kd_hnode *node = kd_hmap_first(map, hash_of(key, spread));
    for (; node; node = kd_hmap_next_same(node)) {
        struct item *item = KD_CONTAINER_OF(node, struct item, node);
        assert_int_equal(node->hash, hash_of(key, spread));
        if (item->key == key) {
            return item;
        }
    }
    return NULL;
}

static void check_all(const struct kd_hmap *map, uint64_t spread)
{
    size_t n = 0;
    for (size_t i = 0; i < KEYS; i++) {
        items[i].seen = 0;
    }
    for (struct kd_hnode *node = kd_hmap_begin(map); node; node = kd_hmap_step(map, node)) {
        KD_CONTAINER_OF(node, struct item, node)->seen++;
    }
    for (size_t i = 0; i < KEYS; i++) {
        assert_int_equal(items[i].seen, items[i].in_map);
        assert_ptr_equal(find(map, i, spread), items[i].in_map ? &items[i] : NULL);
        n += items[i].in_map ? 1 : 0;
    }
    assert_int_equal(map->n, n);
}

static void agrees_with_an_array(void **state)
{
    static const uint64_t spreads[] = { 1, 3, 50, KEYS };
    struct kd_rand rand;
    (void)state;
    kd_rand_init(&rand, test_seed());
    for (size_t s = 0; s < KD_ARRAY_LEN(spreads); s++) {
        struct kd_hmap map = { 0 };
        memset(items, 0, sizeof(items));
        for (int step = 0; step < 8000; step++) {
            bool filling = step / 1000 % 2 == 0; /* the map grows and shrinks in turn */
            uint64_t key = kd_rand_below(&rand, KEYS);
            struct item *item = &items[key];
            item->key = key;
            if (!item->in_map && (filling || kd_rand_below(&rand, 4) == 0)) {
                kd_hmap_add(&map, &item->node, hash_of(key, spreads[s]));
                item->in_map = true;
            } else if (item->in_map && (!filling || kd_rand_below(&rand, 4) == 0)) {
                kd_hmap_remove(&map, &item->node);
                item->in_map = false;
            }
            if (step % 97 == 0) {
                check_all(&map, spreads[s]);
            }
        }
        check_all(&map, spreads[s]);
        kd_hmap_release(&map);
        assert_int_equal(map.n, 0);
    }
}

static void gives_memory_back(void **state)
{
    struct kd_hmap map = { 0 };
    (void)state;
    memset(items, 0, sizeof(items));
    for (size_t i = 0; i < KEYS; i++) {
        kd_hmap_add(&map, &items[i].node, i);
    }
    size_t full = map.mask;
    assert_true(full + 1 >= KEYS);
    for (size_t i = 0; i < KEYS; i++) {
        kd_hmap_remove(&map, &items[i].node);
    }
    assert_true(map.mask < full / 4);
    assert_null(kd_hmap_begin(&map));
    kd_hmap_release(&map);
}

static void an_empty_map_is_ready(void **state)
{
    struct kd_hmap map = { 0 };
    (void)state;
    assert_null(kd_hmap_first(&map, 0));
    assert_null(kd_hmap_begin(&map));
    kd_hmap_release(&map);
    kd_hmap_release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_an_array),
        cmocka_unit_test(gives_memory_back),
        cmocka_unit_test(an_empty_map_is_ready),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
