/* Folders on the way to a file are watched, those of links too. */
#include "unit/config/files.h"

#include "config/watch.h"

#include <poll.h>

/* What the kernel tells comes with the change itself: nothing has to be waited for. */
static bool tells(struct kd_conf_watch *watch)
{
    struct pollfd fd = { .fd = kd_conf_watch_fd(watch), .events = POLLIN };
    bool ready = poll(&fd, 1, 0) == 1;
    bool taken = kd_conf_watch_take(watch);
    assert_int_equal(ready, taken);
    return taken;
}

static void follow(struct folder *folder, struct kd_conf_watch *watch, const char *name)
{
    char *path = folder_path(folder, name);
    struct kd_strlist files = { &path, 1 };
    kd_conf_watch_follow(watch, &files);
    kd_free(path);
}

static void link_to(struct folder *folder, const char *target, const char *name)
{
    char *path = folder_path(folder, name);
    char *part = folder_path(folder, "link.part");
    assert_int_equal(symlink(target, part), 0);
    assert_int_equal(rename(part, path), 0);
    kd_free(part);
    kd_free(path);
}

static void a_file_and_its_neighbours(void **state)
{
    struct kd_conf_watch *watch = kd_conf_watch_new();
    folder_write(*state, "a/k.conf", "1");
    folder_write(*state, "b/other", "1");
    follow(*state, watch, "a/k.conf");
    assert_false(tells(watch));
    folder_write(*state, "b/other", "2");
    assert_false(tells(watch));
    folder_write(*state, "a/k.conf", "2");
    assert_true(tells(watch));
    assert_false(tells(watch));
    folder_write(*state, "a/new", "1");
    assert_true(tells(watch));
    kd_conf_watch_free(watch);
}

static void links_on_the_way(void **state)
{
    struct kd_conf_watch *watch = kd_conf_watch_new();
    folder_write(*state, "v1/k.conf", "1");
    folder_write(*state, "v2/k.conf", "2");
    folder_write(*state, "links/here", "");
    folder_write(*state, "file/here", "");
    link_to(*state, "../v1", "links/current");
    link_to(*state, "../links/current/k.conf", "file/k.conf");
    follow(*state, watch, "file/k.conf");
    folder_write(*state, "v1/k.conf", "3");
    assert_true(tells(watch));
    folder_write(*state, "v2/k.conf", "4");
    assert_false(tells(watch));
    link_to(*state, "../v2", "links/current");
    assert_true(tells(watch));
    follow(*state, watch, "file/k.conf");
    (void)kd_conf_watch_take(watch);
    folder_write(*state, "v1/k.conf", "5");
    assert_false(tells(watch)); /* nothing leads there any more */
    folder_write(*state, "v2/k.conf", "6");
    assert_true(tells(watch));
    kd_conf_watch_free(watch);
}

static void what_is_not_there_yet(void **state)
{
    struct kd_conf_watch *watch = kd_conf_watch_new();
    follow(*state, watch, "k.conf");
    folder_write(*state, "k.conf", "1");
    assert_true(tells(watch));
    follow(*state, watch, "nowhere/k.conf");
    (void)kd_conf_watch_take(watch);
    folder_write(*state, "k.conf", "2");
    assert_false(tells(watch));
    link_to(*state, "circle", "circle");
    follow(*state, watch, "circle/k.conf"); /* ends */
    kd_conf_watch_free(watch);
    kd_conf_watch_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_file_and_its_neighbours),
        FOLDER_TEST(links_on_the_way),
        FOLDER_TEST(what_is_not_there_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
