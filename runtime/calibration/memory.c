#include "memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static const uint64_t most_bytes = 256ull << 20;

/* Cache lines, linked in one cycle: each line begins with the address of the next one. */
struct lines {
    char *first;
    uint64_t number, length, next; /* next: where a walk continues */
    void *at;                      /* where a pointer chase continues */
};

static uint64_t random_number(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Links the lines in random order. Sattolo's algorithm returns a permutation that is one cycle. */
static int link_lines(struct lines *lines) {
    uint32_t *order = malloc(lines->number * sizeof *order);
    uint64_t state = 88172645463325252ull;
    if (!order)
        return -1;
    for (uint64_t i = 0; i < lines->number; i++)
        order[i] = (uint32_t)i;
    for (uint64_t i = lines->number - 1; i > 0; i--) {
        uint64_t other = random_number(&state) % i;
        uint32_t moved = order[i];
        order[i] = order[other];
        order[other] = moved;
    }
    for (uint64_t i = 0; i < lines->number; i++)
        *(void **)(lines->first + i * lines->length) = lines->first + order[i] * lines->length;
    free(order);
    return 0;
}

static int make_lines(struct lines *lines, uint64_t bytes, uint64_t line) {
    *lines = (struct lines){.number = bytes / line, .length = line};
    if (posix_memalign((void **)&lines->first, 4096, bytes))
        return -1;
    lines->at = lines->first;
    return link_lines(lines);
}

static void chase(void *state, uint64_t times) {
    struct lines *lines = state;
    void **at = lines->at;
    for (uint64_t t = 0; t < times; t++)
        at = *at;
    lines->at = at;
}

/* Continues where the last walk ended, because lines that were read recently may still be in a cache. */
static void walk(void *state, uint64_t times) {
    struct lines *lines = state;
    uint64_t sum = 0;
    while (times) {
        uint64_t left = lines->number - lines->next, some = times < left ? times : left;
        const char *at = lines->first + lines->next * lines->length;
        for (uint64_t i = 0; i < some; i++, at += lines->length)
            sum += *(const uint64_t *)at;
        lines->next = (lines->next + some) % lines->number;
        times -= some;
    }
    aa_result = (double)sum;
}

/*
 * Uses three sizes. The first fits in the second-level cache, but not in the first-level cache. The second
 * fits in the third-level cache, if that is large enough, and shows the lowest cost of a second-level miss.
 * The third fits in no cache, and shows the highest cost.
 */
int aa_accesses(struct aa_work works[AA_ACCESSES], uint64_t l1, uint64_t l2, uint64_t line) {
    static struct lines near, middle, far;
    long told = sysconf(_SC_LEVEL3_CACHE_SIZE);
    uint64_t l3 = told > 0 ? (uint64_t)told : 0, beyond = 4 * l3 > 16 * l2 ? 4 * l3 : 16 * l2;
    if (beyond > most_bytes)
        beyond = most_bytes > 4 * l2 ? most_bytes : 4 * l2;
    if (make_lines(&near, l2 / 4 > 2 * l1 ? l2 / 4 : 2 * l1, line) || make_lines(&far, beyond, line) ||
        make_lines(&middle, 8 * l2 <= l3 ? 4 * l2 : beyond, line))
        return -1;
    const struct aa_work accesses[AA_ACCESSES] = {
        {.name = "l1_miss_streamed", .run = walk, .state = &near},
        {.name = "l1_miss_chased", .run = chase, .state = &near},
        {.name = "l2_miss_streamed", .run = walk, .state = &middle},
        {.name = "l2_miss_chased", .run = chase, .state = &far},
        {.name = "memory_streamed", .run = walk, .state = &far},
    };
    for (int i = 0; i < AA_ACCESSES; i++) {
        works[i] = accesses[i];
        works[i].clock = CLOCK_THREAD_CPUTIME_ID;
    }
    return 0;
}
