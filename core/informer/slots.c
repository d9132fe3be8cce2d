#include "informer/slots.h"

#include "base/alloc.h"

#include <string.h>

#define SLOTS_MIN 4u
#define MARK 0x8000u
#define SLOT_SIZE (sizeof(struct kd_record *) + sizeof(uint16_t))

static uint16_t tag_of(uint64_t hash)
{
    return (uint16_t)(hash >> 40 & 0x7fff);
}

void kd_slots_release(struct kd_slots *slots)
{
    kd_free(slots->records);
    *slots = (struct kd_slots){ 0 };
}

size_t kd_slots_memory(const struct kd_slots *slots)
{
    return slots->cap * SLOT_SIZE;
}

static uint32_t place(struct kd_slots *slots, struct kd_record *record, uint64_t hash, uint16_t tag)
{
    uint32_t slot = (uint32_t)hash & (slots->cap - 1);
    while (slots->records[slot]) {
        slot = (slot + 1) & (slots->cap - 1);
    }
    slots->records[slot] = record;
    slots->tags[slot] = tag;
    return slot;
}

static bool resize(struct kd_slots *slots, uint32_t cap)
{
    struct kd_slots next = { .cap = cap, .n = slots->n };
    next.records = kd_try_alloc(cap * SLOT_SIZE);
    if (!next.records) {
        return false;
    }
    next.tags = (uint16_t *)(void *)(next.records + cap);
    memset(next.records, 0, cap * SLOT_SIZE);
    for (uint32_t i = 0; i < slots->cap; i++) {
        if (slots->records[i]) {
            struct kd_record *record = slots->records[i];
            (void)place(&next, record, kd_record_hash(record), slots->tags[i]);
        }
    }
    kd_free(slots->records);
    *slots = next;
    return true;
}

uint32_t kd_slots_find(const struct kd_slots *slots, struct kd_key key, uint64_t hash)
{
    if (slots->cap == 0) {
        return KD_NO_SLOT;
    }
    uint16_t tag = tag_of(hash);
    uint32_t slot = (uint32_t)hash & (slots->cap - 1);
    for (; slots->records[slot]; slot = (slot + 1) & (slots->cap - 1)) {
        if ((slots->tags[slot] & ~MARK) == tag && kd_record_is(slots->records[slot], key)) {
            return slot;
        }
    }
    return KD_NO_SLOT;
}

uint32_t kd_slots_add(struct kd_slots *slots, struct kd_record *record, uint64_t hash)
{
    uint32_t spare = slots->cap < 8 ? 1 : slots->cap / 8; /* a free slot always ends a search */
    if (slots->n + spare >= slots->cap) {
        uint32_t cap = slots->cap ? slots->cap * 2 : SLOTS_MIN;
        if (cap < slots->cap || !resize(slots, cap)) {
            return KD_NO_SLOT;
        }
    }
    slots->n++;
    return place(slots, record, hash, tag_of(hash));
}

/* Closes the gap, so that every record stays reachable from its first slot. */
static void close_gap(struct kd_slots *slots, uint32_t gap)
{
    uint32_t mask = slots->cap - 1;
    uint32_t at = (gap + 1) & mask;
    for (; slots->records[at]; at = (at + 1) & mask) {
        uint32_t home = (uint32_t)kd_record_hash(slots->records[at]) & mask;
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            slots->records[gap] = slots->records[at];
            slots->tags[gap] = slots->tags[at];
            gap = at;
        }
    }
    slots->records[gap] = NULL;
}

void kd_slots_remove(struct kd_slots *slots, uint32_t slot)
{
    close_gap(slots, slot);
    slots->n--;
    if (slots->n == 0) {
        kd_slots_release(slots);
    } else if (slots->cap > SLOTS_MIN * 4 && slots->n < slots->cap / 8) {
        (void)resize(slots, slots->cap / 4); /* without memory it stays as large as it is */
    }
}

bool kd_slots_marked(const struct kd_slots *slots, uint32_t slot)
{
    return slots->tags[slot] & MARK;
}

void kd_slots_mark(struct kd_slots *slots, uint32_t slot, bool mark)
{
    uint16_t tag = slots->tags[slot] & (uint16_t)~MARK;
    slots->tags[slot] = mark ? (uint16_t)(tag | MARK) : tag;
}
