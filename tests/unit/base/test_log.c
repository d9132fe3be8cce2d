/* Log lines: whole, one per call, bounded, and valid in both forms. */
#include "check.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"

#include <sys/mman.h>
#include <unistd.h>

struct sheet {
    int fd; /* takes the place of stderr */
    char *text;
};

static int begin(void **state)
{
    static struct sheet sheet;
    sheet = (struct sheet){ .fd = memfd_create("log", MFD_CLOEXEC) };
    kd_log_set_fd(sheet.fd);
    *state = &sheet;
    return sheet.fd < 0;
}

static int end(void **state)
{
    struct sheet *sheet = *state;
    kd_log_set_fd(STDERR_FILENO);
    kd_log_set_json(true);
    kd_log_set_level(KD_LOG_INFO);
    kd_free(sheet->text);
    return close(sheet->fd);
}

/* All that was logged so far. */
static const char *text_of(struct sheet *sheet)
{
    off_t len = lseek(sheet->fd, 0, SEEK_END);
    assert_true(len >= 0);
    kd_free(sheet->text);
    sheet->text = kd_zalloc((size_t)len + 1);
    assert_int_equal(pread(sheet->fd, sheet->text, (size_t)len, 0), len);
    return sheet->text;
}

static void writes_json_lines(void **state)
{
    KD_INFO("kind synced", KD_F("kind", "Pod\n"), KD_FU("objects", -5), KD_F("none", NULL));
    const char *text = text_of(*state);
    assert_memory_equal(text, "{\"ts\":\"2", 8);
    assert_non_null(strstr(text,
                           "Z\",\"level\":\"info\",\"msg\":\"kind synced\",\"kind\":\"Pod\\n\","
                           "\"objects\":-5,\"none\":\"\"}\n"));
}

static void writes_text_lines(void **state)
{
    kd_log_set_json(false);
    KD_WARN("kind synced", KD_F("kind", "Pod"), KD_F("why", "a b"), KD_FS("eq", KD_STR("=")));
    const char *text = text_of(*state);
    assert_non_null(strstr(text, "Z warn  kind synced kind=Pod why=\"a b\" eq=\"=\"\n"));
}

static void levels_hold_back(void **state)
{
    uint32_t level = 99;
    kd_log_set_level(KD_LOG_WARN);
    KD_INFO("not this", KD_FU("n", 1));
    KD_ERROR("but this", KD_FU("n", 1));
    assert_null(strstr(text_of(*state), "not this"));
    assert_non_null(strstr(text_of(*state), "but this"));
    for (uint32_t i = KD_LOG_DEBUG; i <= KD_LOG_ERROR; i++) {
        assert_int_equal(kd_log_level_parse(kd_log_cstr(kd_log_level_name(i)), &level), 0);
        assert_int_equal(level, i);
    }
    assert_int_equal(kd_log_level_parse(KD_STR("INFO"), &level), KD_EINVAL);
    assert_int_equal(level, KD_LOG_ERROR);
}

/* Whatever the length of a field: one line, within the bound, with its end. */
static void a_long_line_is_cut_but_whole(void **state)
{
    struct sheet *sheet = *state;
    char *big = kd_alloc(2 * KD_MAX_LOG_LINE);
    memset(big, 'x', 2 * KD_MAX_LOG_LINE);
    for (int json = 0; json < 2; json++) {
        kd_log_set_json(json);
        for (size_t len = KD_MAX_LOG_LINE - 200; len < KD_MAX_LOG_LINE + 20; len++) {
            assert_int_equal(ftruncate(sheet->fd, 0), 0);
            assert_int_equal(lseek(sheet->fd, 0, SEEK_SET), 0);
            struct kd_str value = { big, len };
            KD_INFO("m", KD_FS("big", value), KD_F("next", "small"), KD_FU("last", 1));
            const char *text = text_of(sheet);
            size_t size = strlen(text);
            assert_true(size <= KD_MAX_LOG_LINE);
            assert_ptr_equal(strchr(text, '\n'), text + size - 1);
            assert_true(!json || text[size - 2] == '}');
            bool cut = strstr(text, json ? "\"cut\":true" : "cut=true") != NULL;
            bool all = strstr(text, "xxx") && strstr(text, "small") && strstr(text, "last");
            assert_int_equal(cut, !all);
        }
    }
    kd_free(big);
}

static void a_long_message_is_cut(void **state)
{
    struct sheet *sheet = *state;
    char *msg = kd_zalloc(KD_MAX_LOG_LINE + 1);
    memset(msg, '\x01', KD_MAX_LOG_LINE);
    KD_INFO(msg, KD_FU("n", 7));
    const char *text = text_of(sheet);
    assert_true(strlen(text) <= KD_MAX_LOG_LINE);
    assert_non_null(strstr(text, "\\u0001\",\"n\":7}\n"));
    kd_free(msg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(writes_json_lines, begin, end),
        cmocka_unit_test_setup_teardown(writes_text_lines, begin, end),
        cmocka_unit_test_setup_teardown(levels_hold_back, begin, end),
        cmocka_unit_test_setup_teardown(a_long_line_is_cut_but_whole, begin, end),
        cmocka_unit_test_setup_teardown(a_long_message_is_cut, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
