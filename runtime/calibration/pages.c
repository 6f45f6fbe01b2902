#define _GNU_SOURCE
#include "pages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20) /* bytes of a huge page on x86-64 and AArch64 */
#define BLOCK ((size_t)1 << 20)     /* total bytes of the pages that are freed together */

#define SMALL 48 /* bytes of a small block: a few numbers and pointers */
enum { BLOCKS = 1000 };

static size_t page;

/* Touches one byte per piece of new memory, which is aligned so that huge pages are possible. */
static void touch(size_t bytes, size_t piece, int advice) {
    size_t whole = bytes + HUGE_PAGE;
    char *start = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return;
    volatile char *first = (char *)(((size_t)start + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    madvise((void *)first, bytes, advice);
    for (size_t at = 0; at < bytes; at += piece)
        first[at] = 1;
    munmap(start, whole);
}

static void touch_pages(void *state, uint64_t times) {
    (void)state;
    for (uint64_t left = times; left;) {
        uint64_t some = left < BLOCK / page ? left : BLOCK / page;
        touch(some * page, page, MADV_NOHUGEPAGE);
        left -= some;
    }
}

static void touch_huge_pages(void *state, uint64_t times) {
    (void)state;
    for (uint64_t i = 0; i < times; i++)
        touch(HUGE_PAGE, HUGE_PAGE, MADV_HUGEPAGE);
}

/* Allocates more blocks than the allocator's thread-local cache holds, and frees them. */
static void allocate(void *state, uint64_t times) {
    (void)state;
    void *blocks[BLOCKS];
    for (uint64_t left = times; left;) {
        uint64_t some = left < BLOCKS ? left : BLOCKS;
        for (uint64_t i = 0; i < some; i++)
            *(volatile char *)(blocks[i] = malloc(SMALL)) = 1;
        for (uint64_t i = 0; i < some; i++)
            free(blocks[i]);
        left -= some;
    }
}

static bool are_huge_pages_given(void) {
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    touch(HUGE_PAGE, page, MADV_HUGEPAGE);
    getrusage(RUSAGE_SELF, &after);
    return (size_t)(after.ru_minflt - before.ru_minflt) < HUGE_PAGE / page / 2;
}

int aa_pages(struct aa_work works[AA_PAGE_WORKS]) {
    page = (size_t)sysconf(_SC_PAGESIZE);
    works[0] = (struct aa_work){.name = "allocation", .clock = CLOCK_THREAD_CPUTIME_ID, .run = allocate};
    works[1] = (struct aa_work){.name = "page_fault", .clock = CLOCK_THREAD_CPUTIME_ID, .run = touch_pages};
    works[2] = (struct aa_work){
        .name = "huge_page_fault", .clock = CLOCK_THREAD_CPUTIME_ID, .run = touch_huge_pages};
    return are_huge_pages_given() ? 3 : 2;
}
