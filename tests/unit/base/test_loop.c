/* The event loop: posts from other threads, calls that wait, timers, and its end. */
#include "check.h"

#include "base/loop.h"

#include <pthread.h>

#define POSTERS 4
#define POSTS 2000

struct order {
    unsigned next[POSTERS]; /* only touched on the loop's thread */
    pthread_t thread;
    struct kd_loop *loop;
    unsigned total;
};

struct post {
    struct order *order;
    unsigned poster;
    unsigned number;
};

struct poster {
    pthread_t thread;
    struct order *order;
    unsigned poster;
    struct post posts[POSTS];
};

static void on_post(void *arg)
{
    struct post *post = arg;
    struct order *order = post->order;
    assert_true(pthread_equal(pthread_self(), order->thread));
    assert_int_equal(post->number, order->next[post->poster]);
    order->next[post->poster]++;
    order->total++;
    if (order->total == POSTERS * POSTS) {
        kd_loop_stop(order->loop);
    }
}

static void *post_all(void *arg)
{
    struct poster *poster = arg;
    for (unsigned i = 0; i < POSTS; i++) {
        poster->posts[i] = (struct post){ poster->order, poster->poster, i };
        kd_loop_post(poster->order->loop, on_post, &poster->posts[i]);
    }
    return NULL;
}

static void posts_come_in_order_on_the_loops_thread(void **state)
{
    static struct poster posters[POSTERS];
    struct order order = { .thread = pthread_self(), .loop = kd_loop_new() };
    (void)state;
    for (unsigned i = 0; i < POSTERS; i++) {
        posters[i].order = &order;
        posters[i].poster = i;
        assert_int_equal(pthread_create(&posters[i].thread, NULL, post_all, &posters[i]), 0);
    }
    kd_loop_run(order.loop);
    for (unsigned i = 0; i < POSTERS; i++) {
        assert_int_equal(pthread_join(posters[i].thread, NULL), 0);
        assert_int_equal(order.next[i], POSTS);
    }
    kd_loop_free(order.loop);
}

static void *run(void *arg)
{
    kd_loop_run(arg);
    return NULL;
}

static void add_one(void *arg)
{
    (*(unsigned *)arg)++;
}

static void call_waits_until_it_is_done(void **state)
{
    struct kd_loop *loop = kd_loop_new();
    pthread_t thread;
    unsigned n = 0;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, run, loop), 0);
    for (unsigned i = 1; i <= 1000; i++) {
        kd_loop_call(loop, add_one, &n);
        assert_int_equal(n, i);
    }
    kd_loop_post(loop, add_one, &n);
    kd_loop_stop(loop); /* from another thread; the post before it is carried out */
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(n, 1001);
    kd_loop_free(loop);
}

static void a_stop_before_the_run_ends_it_at_once(void **state)
{
    struct kd_loop *loop = kd_loop_new();
    unsigned n = 0;
    (void)state;
    kd_loop_post(loop, add_one, &n);
    kd_loop_stop(loop);
    kd_loop_run(loop);
    assert_int_equal(n, 1);
    kd_loop_free(loop);
    kd_loop_free(NULL);
}

struct chain {
    struct kd_loop *loop;
    unsigned n;
};

/* Posts its successor, as a shutdown in steps does. */
static void next_in_chain(void *arg)
{
    struct chain *chain = arg;
    chain->n++;
    if (chain->n < 5) {
        kd_loop_post(chain->loop, next_in_chain, chain);
    }
}

static void free_carries_out_what_posts_post(void **state)
{
    struct chain chain = { kd_loop_new(), 0 };
    (void)state;
    kd_loop_post(chain.loop, next_in_chain, &chain);
    kd_loop_free(chain.loop);
    assert_int_equal(chain.n, 5);
    chain = (struct chain){ kd_loop_new(), 0 };
    kd_loop_post(chain.loop, next_in_chain, &chain);
    kd_loop_stop(chain.loop);
    kd_loop_run(chain.loop);
    assert_int_equal(chain.n, 5);
    kd_loop_free(chain.loop);
}

struct bell {
    struct kd_timer timer;
    struct kd_loop *loop;
    unsigned rung;
    int64_t at_ns;
};

static void ring(void *arg)
{
    struct bell *bell = arg;
    bell->rung++;
    bell->at_ns = kd_now_ns(&kd_system_clock);
    kd_loop_stop(bell->loop);
}

static void a_timer_rings_once_and_never_early(void **state)
{
    struct kd_loop *loop = kd_loop_new();
    struct bell bell = { .loop = loop };
    (void)state;
    kd_timer_init(&bell.timer, loop, ring, &bell);
    int64_t start_ns = kd_now_ns(&kd_system_clock);
    kd_timer_start(&bell.timer, KD_NEVER_NS);
    kd_timer_start(&bell.timer, 20 * KD_MS_NS); /* the later start counts */
    kd_loop_run(loop);
    assert_int_equal(bell.rung, 1);
    assert_true(bell.at_ns - start_ns >= 19 * KD_MS_NS); /* libevent's clock is a coarse one */
    kd_timer_release(&bell.timer);
    kd_timer_release(&bell.timer);
    kd_loop_free(loop);
}

static void timers_ring_by_time_and_stay_silent_when_stopped(void **state)
{
    struct kd_loop *loop = kd_loop_new();
    struct bell silent = { .loop = loop };
    struct bell last = { .loop = loop };
    unsigned now = 0;
    struct kd_timer at_once;
    (void)state;
    kd_timer_init(&silent.timer, loop, ring, &silent);
    kd_timer_init(&last.timer, loop, ring, &last);
    kd_timer_init(&at_once, loop, add_one, &now);
    kd_timer_stop(&silent.timer); /* not pending: fine */
    kd_timer_start(&silent.timer, 1);
    kd_timer_start(&last.timer, 5 * KD_MS_NS);
    kd_timer_start(&at_once, -1);
    kd_timer_stop(&silent.timer);
    kd_loop_run(loop);
    assert_int_equal(silent.rung, 0);
    assert_int_equal(now, 1);
    assert_int_equal(last.rung, 1);
    kd_timer_release(&silent.timer);
    kd_timer_release(&last.timer);
    kd_timer_release(&at_once);
    kd_loop_free(loop);
}

static void run_once_returns_with_and_without_work(void **state)
{
    struct kd_loop *loop = kd_loop_new();
    unsigned n = 0;
    (void)state;
    kd_loop_run_once(loop, 0);
    kd_loop_post(loop, add_one, &n);
    kd_loop_run_once(loop, 10 * KD_SEC_NS); /* returns long before its limit */
    assert_int_equal(n, 1);
    assert_true(kd_loop_last_turn_ns(loop) > 0);
    assert_non_null(kd_loop_base(loop));
    kd_loop_free(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posts_come_in_order_on_the_loops_thread),
        cmocka_unit_test(call_waits_until_it_is_done),
        cmocka_unit_test(a_stop_before_the_run_ends_it_at_once),
        cmocka_unit_test(free_carries_out_what_posts_post),
        cmocka_unit_test(a_timer_rings_once_and_never_early),
        cmocka_unit_test(timers_ring_by_time_and_stay_silent_when_stopped),
        cmocka_unit_test(run_once_returns_with_and_without_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
