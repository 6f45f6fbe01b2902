#define _GNU_SOURCE
#include "shard.h"
#include "rare.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST_CHUNK (256u << 10)
#define LARGEST_CHUNK (8u << 20)
#define SMALLEST_LIMIT (1u << 20)
#define BLOCK 4096u

static struct {
    struct aa_header *header;
    uint64_t limit, length; /* bytes of the mapping; bytes of the file */
    /* bytes of the limit that are reserved for samples, if possible; samples use at most half of them */
    uint64_t for_samples;
    uint64_t samples;  /* bytes in chunks */
    uint64_t appended; /* the end of the last record, whether or not it is published */
    dev_t device;
    ino_t inode;
    char path[4096];
} shard;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct aa_header *aa_shard(void) {
    return shard.header;
}

const char *aa_shard_path(void) {
    return shard.path;
}

void aa_shard_lock(void) {
    aa_rare_work = true;
    pthread_mutex_lock(&lock);
}

void aa_shard_unlock(void) {
    pthread_mutex_unlock(&lock);
}

/*
 * The shard stays mapped, because code that was interrupted by the fork still writes to it. The lock is
 * initialised again, because another thread may have held it.
 */
void aa_shard_forget(void) {
    shard.header = NULL;
    shard.length = 0;
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

/*
 * Writes zeros to the file, for file systems that cannot reserve blocks; returns false if the disk is full.
 * Without reserved blocks, a full disk would cause a bus error later.
 */
static bool write_zeros(long file, uint64_t from, uint64_t to) {
    static const char zeros[BLOCK];
    for (uint64_t at = from; at < to; at += BLOCK) {
        if (syscall(SYS_pwrite64, file, zeros, (size_t)BLOCK, at) != BLOCK)
            return false;
    }
    return true;
}

/* Reserves the file's blocks up to a length; returns false if this is impossible. */
static bool extend(long file, uint64_t length) {
    return syscall(SYS_fallocate, file, 0, shard.length, length - shard.length) == 0 ||
           ((errno == EOPNOTSUPP || errno == EINTR) && write_zeros(file, shard.length, length));
}

/*
 * Makes the mapping accessible up to the file's new length. Pages after the end stay inaccessible, because
 * debuggers that read all memory would cause bus errors there.
 */
static bool open_up(uint64_t length) {
    if (mprotect(shard.header, length, PROT_READ | PROT_WRITE) != 0)
        return false;
    shard.length = length;
    return true;
}

/*
 * Extends the file so that `needed` bytes fit; returns false if this is impossible. The file is opened each
 * time, because the program may have closed all descriptors that it did not open.
 */
static bool grow(uint64_t needed) {
    uint64_t chunk = shard.length < LARGEST_CHUNK ? shard.length : LARGEST_CHUNK;
    uint64_t length = shard.length + chunk < shard.limit ? shard.length + chunk : shard.limit;
    if (needed > length)
        length = (needed + BLOCK - 1) / BLOCK * BLOCK;
    if (length > shard.limit)
        return false;
    long file = syscall(SYS_openat, AT_FDCWD, shard.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
    if (file < 0) {
        shard.limit = shard.length;
        return false;
    }
    struct stat status;
    bool ours =
        fstat((int)file, &status) == 0 && status.st_dev == shard.device && status.st_ino == shard.inode;
    bool grown = ours && extend(file, length) && open_up(length);
    if (!grown)
        /* if the disk was full, do not try to grow again for every new call path */
        shard.limit = shard.length;
    syscall(SYS_close, file);
    return grown;
}

static uint64_t room_for_samples(void) {
    return shard.for_samples < shard.limit / 2 ? shard.for_samples : shard.limit / 2;
}

void *aa_shard_append(enum aa_record_type type, size_t size) {
    uint64_t padded = (size + AA_SHARD_ALIGNMENT - 1) / AA_SHARD_ALIGNMENT * AA_SHARD_ALIGNMENT;
    if (padded / AA_SHARD_ALIGNMENT > UINT16_MAX)
        return NULL;
    if (type == AA_RECORD_CHUNK && shard.samples + padded > room_for_samples())
        return NULL;
    if (shard.appended + padded > shard.length && !grow(shard.appended + padded))
        return NULL;
    struct aa_record *record = (void *)((char *)shard.header + shard.appended);
    record->type = (uint16_t)type;
    record->lines = (uint16_t)(padded / AA_SHARD_ALIGNMENT);
    __atomic_store_n(&shard.appended, shard.appended + padded, __ATOMIC_RELEASE);
    if (type == AA_RECORD_CHUNK)
        shard.samples += padded;
    return record;
}

uint32_t aa_shard_filled(void) {
    return (uint32_t)((shard.appended - shard.samples) * 256 / (shard.limit - room_for_samples()));
}

void aa_shard_publish(void) {
    atomic_store_explicit(&shard.header->used, shard.appended, memory_order_release);
}

struct aa_record *aa_shard_next(struct aa_record *record) {
    char *start = (char *)shard.header, *next = start + sizeof *shard.header;
    if (record)
        next = (char *)record + record->lines * AA_SHARD_ALIGNMENT;
    return next < start + __atomic_load_n(&shard.appended, __ATOMIC_ACQUIRE) ? (struct aa_record *)next
                                                                             : NULL;
}

/*
 * Returns the maximum size of the file. If the file exceeded the program's limit on file sizes, a signal
 * would end the program.
 */
static uint64_t allowed(uint64_t limit) {
    struct rlimit files;
    if (getrlimit(RLIMIT_FSIZE, &files) == 0 && files.rlim_cur < limit)
        limit = files.rlim_cur;
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY && space.rlim_cur / 16 < limit)
        limit = space.rlim_cur / 16; /* most of the address space is left to the program */
    return limit / BLOCK * BLOCK;
}

/*
 * Maps the file for up to `limit` bytes, or for a half, a quarter, ... of this if there is not enough address
 * space. Returns false if not even the first chunk fits.
 */
static bool map(long file, uint64_t limit) {
    for (shard.limit = limit; shard.limit >= FIRST_CHUNK; shard.limit = shard.limit / 2 / BLOCK * BLOCK) {
        void *memory = mmap(NULL, shard.limit, PROT_NONE, MAP_SHARED, (int)file, 0);
        if (memory != MAP_FAILED) {
            shard.header = memory;
            return true;
        }
    }
    return false;
}

static bool reserve(long file, uint64_t limit) {
    struct stat status;
    if (fstat((int)file, &status) != 0 || !extend(file, FIRST_CHUNK) || !map(file, limit))
        return false;
    shard.device = status.st_dev;
    shard.inode = status.st_ino;
    return open_up(FIRST_CHUNK);
}

static void fill_layout(struct aa_header *header) {
    memcpy(header->magic, AA_SHARD_MAGIC, sizeof header->magic);
    header->version = AA_SHARD_VERSION;
    header->byte_order = AA_SHARD_BYTE_ORDER;
    header->header_size = sizeof(struct aa_header);
    header->region_size = sizeof(struct aa_region);
    header->thread_size = sizeof(struct aa_thread);
    header->node_size = sizeof(struct aa_node);
    header->base = (uintptr_t)header;
}

struct aa_header *aa_shard_create(const char *folder, uint64_t limit, uint64_t for_samples) {
    char host[256] = "unknown";
    gethostname(host, sizeof host - 1);
    uint64_t now = aa_clock_nanoseconds(CLOCK_REALTIME);
    int length = snprintf(shard.path, sizeof shard.path, "%s/%s.%d.%llx.shard", folder, host, (int)getpid(),
                          (unsigned long long)now);
    limit = allowed(limit + for_samples);
    shard.for_samples = for_samples;
    shard.samples = 0;
    if (length >= (int)sizeof shard.path || limit < SMALLEST_LIMIT) {
        errno = length >= (int)sizeof shard.path ? ENAMETOOLONG : EFBIG;
        return NULL;
    }
    long file = syscall(SYS_openat, AT_FDCWD, shard.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0)
        return NULL;
    bool reserved = reserve(file, limit);
    int error = errno;
    syscall(SYS_close, file);
    if (!reserved) {
        shard.header = NULL;
        syscall(SYS_unlinkat, AT_FDCWD, shard.path, 0);
        errno = error;
        return NULL;
    }
    struct aa_header *header = shard.header;
    fill_layout(header);
    memcpy(header->host, host, sizeof header->host);
    shard.appended = sizeof *header;
    return header;
}
