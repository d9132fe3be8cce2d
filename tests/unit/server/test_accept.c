/* What a client says that it takes, and what it gets. */
#include "base/str.h"
#include "server/accept.h"
#include "server/gzip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>

static void weights_are_read(void **state)
{
    const struct {
        const char *header, *name, *parameter;
        int weight;
    } rows[] = {
        { NULL, "gzip", NULL, -1 },
        { "", "gzip", NULL, -1 },
        { "gzip", "gzip", NULL, 1000 },
        { "deflate, gzip;q=0.5", "gzip", NULL, 500 },
        { " GZip ; Q=0.25 ,x", "gzip", NULL, 250 },
        { "gzip;q=0", "gzip", NULL, 0 },
        { "gzip;q=", "gzip", NULL, 0 },
        { "gzip;q=2", "gzip", NULL, 0 },
        { "gzip;q=0.1234567890", "gzip", NULL, 0 },
        { "gzipped", "gzip", NULL, -1 },
        { "a/b;q=0.3, a/b;q=0.7", "a/b", NULL, 700 },
        { "a/b;version=1.0.0;q=0.4", "a/b", "version=1.0.0", 400 },
        { "a/b;version=0.0.1;q=0.4", "a/b", "version=1.0.0", -1 },
        { "a/b;charset=utf-8", "a/b", "version=1.0.0", 1000 },
        { ",,;,", "a/b", NULL, -1 },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        assert_int_equal(kd_accept_weight(rows[i].header, rows[i].name, rows[i].parameter),
                         rows[i].weight);
    }
}

static void a_text_comes_back(void **state)
{
    char text[5000];
    char back[sizeof(text)];
    struct kd_buf packed;
    z_stream stream = { 0 };
    (void)state;
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = (char)('a' + i * i % 7);
    }
    kd_buf_init(&packed, 100000);
    assert_int_equal(kd_buf_puts(&packed, "before"), 0);
    assert_int_equal(kd_gzip((struct kd_str){ text, sizeof(text) }, &packed), 0);
    assert_memory_equal(packed.ptr, "before\x1f\x8b", 8);
    assert_true(packed.len < sizeof(text) / 4);

    stream.next_in = (Bytef *)packed.ptr + strlen("before");
    stream.avail_in = (uInt)(packed.len - strlen("before"));
    stream.next_out = (Bytef *)back;
    stream.avail_out = sizeof(back);
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.total_out, sizeof(text));
    assert_int_equal(stream.avail_in, 0);
    assert_int_equal(inflateEnd(&stream), Z_OK);
    assert_memory_equal(back, text, sizeof(text));
    kd_buf_release(&packed);
}

static void no_room_is_an_error_and_leaves_the_buffer_alone(void **state)
{
    struct kd_buf packed;
    (void)state;
    kd_buf_init(&packed, 16);
    assert_int_equal(kd_gzip(KD_STR("some text"), &packed), KD_ETOOBIG);
    assert_int_equal(packed.len, 0);
    kd_buf_release(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_read),
        cmocka_unit_test(a_text_comes_back),
        cmocka_unit_test(no_room_is_an_error_and_leaves_the_buffer_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
