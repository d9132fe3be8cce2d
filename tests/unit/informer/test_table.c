/* The table against a model under random steps, with readers beside it; index upkeep. */
#include "unit/informer/fake.h"

#include <pthread.h>

#define KEYS 300
#define STEPS 20000

static struct kd_record *record_of(unsigned key, uint64_t value)
{
    char name[16];
    char json[160];
    int len = snprintf(name, sizeof(name), "k%u", key);
    int json_len = snprintf(json, sizeof(json), "{\"value\":%llu,\"pad\":\"%064u\"}",
                            (unsigned long long)value, key);
    struct kd_record *record = NULL;
    struct kd_record_parts parts = { .key = { { key % 2 ? "odd" : "even", key % 2 ? 3 : 4 },
                                              { name, (size_t)len } },
                                     .json = { json, (size_t)json_len } };
    parts.hashes[KD_SECTION_SPEC] = value;
    assert_int_equal(kd_record_new(&parts, NULL, &record), 0);
    return record;
}

struct model {
    uint64_t values[KEYS]; /* 0: not there */
    bool marks[KEYS];
};

static struct kd_key key_of(unsigned key, char *name)
{
    int len = snprintf(name, 16, "k%u", key);
    return (struct kd_key){ { key % 2 ? "odd" : "even", key % 2 ? 3 : 4 }, { name, (size_t)len } };
}

static void table_start(struct kd_table *table)
{
    kd_table_init(table);
    table->indexes.items = kd_zalloc_array(1, sizeof(struct kd_value_index));
    table->indexes.n = 1;
    kd_index_init(&table->indexes.items[0], "namespace");
}

static void put(struct kd_table *table, struct model *model, unsigned key, uint64_t value)
{
    struct kd_record *old = NULL;
    struct kd_record *record = record_of(key, value);
    struct kd_value_index *index = &table->indexes.items[0];
    assert_int_equal(kd_table_put(table, record, &old), 0);
    assert_int_equal(old ? kd_record_section(old, KD_SECTION_SPEC) : 0, model->values[key]);
    if (old) {
        assert_true(kd_index_swap(index, kd_record_key(record).ns, record));
    } else {
        assert_int_equal(kd_index_add(index, kd_record_key(record).ns, record), 0);
    }
    kd_record_unref(old);
    model->values[key] = value;
    model->marks[key] = true;
}

static void drop(struct kd_table *table, struct kd_record *record)
{
    struct kd_key key = kd_record_key(record);
    kd_index_remove(&table->indexes.items[0], key.ns, key);
    kd_record_unref(record);
}

static void take(struct kd_table *table, struct model *model, unsigned key)
{
    char name[16];
    struct kd_record *record = kd_table_take(table, key_of(key, name));
    assert_int_equal(record ? kd_record_section(record, KD_SECTION_SPEC) : 0, model->values[key]);
    if (record) {
        drop(table, record);
    }
    model->values[key] = 0;
}

struct swept {
    struct kd_table *table;
    struct model *model;
    size_t n;
};

static void on_swept(void *arg, struct kd_record *record)
{
    struct swept *swept = arg;
    unsigned key = 0;
    char name[16] = { 0 };
    memcpy(name, kd_record_key(record).name.ptr, kd_record_key(record).name.len);
    assert_int_equal(sscanf(name, "k%u", &key), 1);
    assert_true(swept->model->values[key] && !swept->model->marks[key]);
    swept->model->values[key] = 0;
    swept->n++;
    drop(swept->table, record);
}

/* All, or one namespace: marks begin anew, some are seen, the rest goes. */
static void mark_and_sweep(struct kd_table *table, struct model *model, struct kd_rand *rand)
{
    static const struct kd_str scopes[] = { { NULL, 0 }, KD_STR_INIT("odd"), KD_STR_INIT("even") };
    size_t scope = kd_rand_below(rand, 3);
    size_t expected = 0;
    struct swept swept = { table, model, 0 };
    char name[16];
    kd_table_unmark(table, scopes[scope]);
    for (unsigned key = 0; key < KEYS; key++) {
        if (scope && key % 2 != (scope == 1)) {
            continue;
        }
        model->marks[key] = kd_rand_below(rand, 10) > 0;
        if (model->marks[key]) {
            kd_table_mark(table, key_of(key, name));
        } else {
            expected += model->values[key] != 0;
        }
    }
    kd_table_sweep(table, scopes[scope], on_swept, &swept);
    assert_int_equal(swept.n, expected);
}

static void compare(struct kd_table *table, const struct model *model)
{
    struct kd_record **records;
    size_t n = 0;
    size_t odd = 0;
    char name[16];
    for (unsigned key = 0; key < KEYS; key++) {
        struct kd_record *record = kd_table_peek(table, key_of(key, name));
        assert_int_equal(record ? kd_record_section(record, KD_SECTION_SPEC) : 0,
                         model->values[key]);
        n += record != NULL;
        odd += record != NULL && key % 2;
    }
    assert_int_equal(table->n, n);
    assert_int_equal(kd_index_get(&table->indexes.items[0], KD_STR("odd"), &records, &n), 0);
    assert_int_equal(n, odd);
    for (size_t i = 0; i < n; i++) {
        struct kd_key key = kd_record_key(records[i]);
        assert_ptr_equal(kd_table_peek(table, key), records[i]);
        kd_record_unref(records[i]);
    }
    kd_free(records);
}

struct reader {
    struct kd_table *table;
    _Atomic bool *stop;
    uint64_t seed;
    uint64_t found;
};

static void read_one(struct reader *reader, struct kd_rand *rand, struct kd_arena *arena)
{
    char name[16];
    struct kd_str text;
    struct kd_record *record =
        kd_table_get(reader->table, key_of((unsigned)kd_rand_below(rand, KEYS), name));
    kd_arena_reset(arena, KD_MIB);
    if (record && kd_record_decode(record, arena, &text) == 0) {
        char expected[64];
        int len = snprintf(expected, sizeof(expected), "{\"value\":%llu,",
                           (unsigned long long)kd_record_section(record, KD_SECTION_SPEC));
        reader->found +=
            kd_str_starts(text, (struct kd_str){ expected, (size_t)len }) ? 1 : 1u << 31;
    }
    kd_record_unref(record);
}

static void read_index(struct reader *reader)
{
    struct kd_record **records;
    size_t n = 0;
    if (kd_index_get(&reader->table->indexes.items[0], KD_STR("even"), &records, &n) < 0) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        kd_record_unref(records[i]);
    }
    kd_free(records);
}

static void *read_on(void *arg)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct reader *reader = arg;
    struct kd_rand rand;
    kd_rand_init(&rand, reader->seed);
    kd_arena_init(&arena, KD_MIB);
    for (size_t i = 0; !atomic_load(reader->stop) || i < 1000; i++) {
        read_one(reader, &rand, &arena);
        if (i % 64 == 0) {
            read_index(reader);
        }
    }
    return NULL;
}

static void the_table_equals_a_model_while_others_read(void **state)
{
    struct kd_table table;
    struct kd_rand rand;
    static struct model model;
    _Atomic bool stop = false;
    struct reader readers[2];
    pthread_t threads[2];
    (void)state;
    table_start(&table);
    kd_rand_init(&rand, 11);
    for (size_t i = 0; i < 2; i++) {
        readers[i] = (struct reader){ &table, &stop, i, 0 };
        assert_int_equal(pthread_create(&threads[i], NULL, read_on, &readers[i]), 0);
    }
    for (uint64_t step = 1; step <= STEPS; step++) {
        unsigned key = (unsigned)kd_rand_below(&rand, KEYS);
        uint64_t what = kd_rand_below(&rand, 1000);
        if (what < 650) {
            put(&table, &model, key, step);
        } else if (what < 995) {
            take(&table, &model, key);
        } else {
            mark_and_sweep(&table, &model, &rand);
        }
        if (step % 500 == 0) {
            compare(&table, &model);
        }
    }
    atomic_store(&stop, true);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(readers[i].found < 1u << 31);
    }
    for (unsigned key = 0; key < KEYS; key++) {
        take(&table, &model, key);
    }
    assert_int_equal(table.n, 0);
    assert_int_equal(table.bytes, 0);
    assert_int_equal(table.raw_bytes, 0);
    assert_int_equal(table.n_early, 0);
    kd_table_release(&table);
}

/* B29: what is gone leaves no memory behind. */
static void slots_fall_back(void **state)
{
    struct kd_table table;
    static struct model model;
    (void)state;
    table_start(&table);
    uint64_t before = kd_table_overhead(&table);
    for (unsigned key = 0; key < KEYS; key++) {
        put(&table, &model, key, key + 1);
    }
    assert_true(kd_table_overhead(&table) > before);
    for (unsigned key = 0; key < KEYS; key++) {
        take(&table, &model, key);
    }
    assert_true(kd_table_overhead(&table) <= before + 16 * sizeof(void *));
    kd_table_release(&table);
}

static size_t at_node(struct fake *fake, const char *node)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_key *keys;
    size_t n = 99;
    kd_arena_init(&arena, KD_MIB);
    assert_int_equal(
        kd_informer_by_index(fake->informer, "spec.nodeName", kd_str_from(node), &arena, &keys, &n),
        0);
    return n;
}

#define AT(node) ",\"spec\":{\"nodeName\":\"" node "\"}"

static void indexes_follow_their_objects(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    const struct kd_index index = { "spec.nodeName", "/spec/nodeName" };
    static const char *const noises[] = { "/spec/nodeName" };
    struct kd_key *keys;
    size_t n = 0;
    (void)state;
    for (size_t noisy = 0; noisy < 2; noisy++) {
        struct fake fake;
        struct kd_informer_spec spec = fake_spec();
        fake_init(&fake);
        spec.indexes = &index;
        spec.n_indexes = 1;
        spec.noise = noises; /* a change that the hashes do not see must reach the index */
        spec.n_noise = noisy;
        fake_start(&fake, &spec);
        fake_answer(&fake, LIST("5", "", POD("d", "a", "1", AT("n1")) "," POD("d", "b", "2", "")));
        assert_int_equal(at_node(&fake, "n1"), 1);
        fake_send(&fake, EVENT("MODIFIED", POD("d", "b", "6", AT("n1"))));
        assert_int_equal(at_node(&fake, "n1"), 2);
        fake_send(&fake, EVENT("MODIFIED", POD("d", "b", "7", AT("n1") ",\"status\":1")));
        assert_int_equal(at_node(&fake, "n1"), 2);
        fake_send(&fake, EVENT("MODIFIED", POD("d", "b", "8", AT("n2") ",\"status\":1")));
        assert_int_equal(at_node(&fake, "n1"), 1);
        assert_int_equal(at_node(&fake, "n2"), 1);
        fake_send(&fake, EVENT("MODIFIED", POD("d", "b", "9", ",\"spec\":{\"nodeName\":17}")));
        assert_int_equal(at_node(&fake, "n2"), 0);
        fake_send(&fake, EVENT("DELETED", POD("d", "a", "10", AT("other"))));
        assert_int_equal(at_node(&fake, "n1"), 0);
        assert_int_equal(at_node(&fake, "other"), 0);
        kd_arena_init(&arena, KD_MIB);
        assert_int_equal(
            kd_informer_by_index(fake.informer, "namespace", KD_STR("d"), &arena, &keys, &n), 0);
        assert_int_equal(n, 1);
        assert_true(kd_str_is(keys[0].name, "b"));
        assert_int_equal(
            kd_informer_by_index(fake.informer, "none", KD_STR("d"), &arena, &keys, &n), KD_ENOENT);
        kd_arena_release(&arena);
        kd_arena_init(&arena, 16);
        assert_int_equal(
            kd_informer_by_index(fake.informer, "namespace", KD_STR("d"), &arena, &keys, &n),
            KD_ENOMEM);
        kd_arena_release(&arena);
        fake_release(&fake);
    }
    kd_arena_init(&arena, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_equals_a_model_while_others_read),
        cmocka_unit_test(slots_fall_back),
        cmocka_unit_test(indexes_follow_their_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
