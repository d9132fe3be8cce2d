/* Where idle workers sleep, each in a seat of its own; the last to come is the first to be told. */
#include "base/alloc.h"
#include "controller/state.h"

static struct kd_seat *take_free_locked(struct kd_pool *pool)
{
    struct kd_seat *seat = pool->free_seats;
    if (seat) {
        pool->free_seats = seat->next;
    } else {
        seat = kd_zalloc(sizeof(*seat));
        pthread_cond_init(&seat->cond, NULL); /* does not fail without attributes */
    }
    seat->told = false;
    return seat;
}

void kd_seat_rest_locked(struct kd_pool *pool)
{
    struct kd_seat *seat = take_free_locked(pool);
    KD_ASSERT(!pool->told); /* it would sleep on */
    seat->next = pool->idle;
    pool->idle = seat;
    while (!seat->told) { /* the pool's stop tells everyone */
        pthread_cond_wait(&seat->cond, &pool->lock);
    }
    seat->next = pool->free_seats;
    pool->free_seats = seat;
}

void kd_seat_wake_locked(struct kd_pool *pool)
{
    if (pool->told) {
        pthread_cond_signal(&pool->told->cond);
        pool->told = NULL;
    }
}

bool kd_seat_tell_locked(struct kd_pool *pool)
{
    struct kd_seat *seat = pool->idle;
    if (!seat) {
        return false;
    }
    kd_seat_wake_locked(pool); /* there is room for one */
    pool->idle = seat->next;
    seat->told = true;
    pool->told = seat;
    return true;
}

void kd_seat_tell_all_locked(struct kd_pool *pool)
{
    while (kd_seat_tell_locked(pool)) {
    }
    kd_seat_wake_locked(pool);
}

void kd_pool_unlock(struct kd_pool *pool)
{
    struct kd_seat *told = pool->told;
    pool->told = NULL;
    pthread_mutex_unlock(&pool->lock);
    if (told) { /* another may sit there by now: it looks and sleeps on */
        pthread_cond_signal(&told->cond);
    }
}

void kd_seats_free(struct kd_pool *pool)
{
    while (pool->free_seats) {
        struct kd_seat *seat = pool->free_seats;
        pool->free_seats = seat->next;
        pthread_cond_destroy(&seat->cond);
        kd_free(seat);
    }
}
