/*
 * System calls of SQLite's file layer that fail on order: the n-th write or truncation, once or
 * from then on. For the whole process; any thread.
 */
#ifndef KD_TEST_STORE_FAULTY_H
#define KD_TEST_STORE_FAULTY_H

#include <errno.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

enum fault { FAULT_FULL, FAULT_IO, FAULT_SHORT };

static struct {
    atomic_long left; /* calls until the fault; below zero: none */
    atomic_long calls;
    atomic_bool lasts;
    atomic_int kind;
    atomic_bool fired;
} faulty = { .left = -1 };

/* From the n-th call on (1 is the next). */
static void faulty_arm(long n, enum fault kind, bool lasts)
{
    atomic_store(&faulty.kind, (int)kind);
    atomic_store(&faulty.lasts, lasts);
    atomic_store(&faulty.fired, false);
    atomic_store(&faulty.calls, 0);
    atomic_store(&faulty.left, n);
}

static void faulty_heal(void)
{
    atomic_store(&faulty.left, -1);
}

static bool faulty_strikes(void)
{
    atomic_fetch_add(&faulty.calls, 1);
    long left = atomic_load(&faulty.left);
    if (left < 0) {
        return false;
    }
    if (left > 0) {
        left = atomic_fetch_sub(&faulty.left, 1) - 1;
    }
    if (left > 0) {
        return false;
    }
    if (!atomic_load(&faulty.lasts)) {
        atomic_store(&faulty.left, -1);
    }
    atomic_store(&faulty.fired, true);
    return true;
}

static ssize_t faulty_pwrite(int fd, const void *ptr, size_t len, off_t offset)
{
    if (!faulty_strikes()) {
        return pwrite(fd, ptr, len, offset);
    }
    if (atomic_load(&faulty.kind) == FAULT_SHORT && len > 1) {
        return pwrite(fd, ptr, len / 2, offset);
    }
    errno = atomic_load(&faulty.kind) == FAULT_IO ? EIO : ENOSPC;
    return -1;
}

static int faulty_ftruncate(int fd, off_t length)
{
    if (!faulty_strikes() || atomic_load(&faulty.kind) == FAULT_SHORT) {
        return ftruncate(fd, length);
    }
    errno = atomic_load(&faulty.kind) == FAULT_IO ? EIO : ENOSPC;
    return -1;
}

/* Before the first file is opened. */
static void faulty_install(void)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find("unix");
    (void)vfs->xSetSystemCall(vfs, "pwrite", (sqlite3_syscall_ptr)faulty_pwrite);
    (void)vfs->xSetSystemCall(vfs, "pwrite64", (sqlite3_syscall_ptr)faulty_pwrite);
    (void)vfs->xSetSystemCall(vfs, "ftruncate", (sqlite3_syscall_ptr)faulty_ftruncate);
}

#endif
