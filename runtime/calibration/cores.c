#define _GNU_SOURCE
#include "cores.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 256, LAST_INDEX = 4 };

typedef char word[WORD];

static bool read_word(word found, int processor, const char *what) {
    char name[2 * WORD];
    snprintf(name, sizeof name, "/sys/devices/system/cpu/cpu%d/%s", processor, what);
    FILE *file = fopen(name, "re");
    bool there = file && fgets(found, WORD, file);
    if (file)
        fclose(file);
    return there;
}

/* Parses a size in the kernel's format, such as 32768K. */
static uint64_t size_of(const char *text) {
    char *unit;
    uint64_t number = strtoull(text, &unit, 10);
    return number << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0);
}

/* Returns the size of a processor's last-level cache, and the processors that share it. */
static uint64_t last_cache(int processor, word shared) {
    for (int index = LAST_INDEX; index >= 0; index--) {
        char what[WORD];
        word size;
        snprintf(what, sizeof what, "cache/index%d/size", index);
        if (!read_word(size, processor, what))
            continue;
        snprintf(what, sizeof what, "cache/index%d/shared_cpu_list", index);
        if (!read_word(shared, processor, what))
            snprintf(shared, WORD, "%d", processor);
        return size_of(size);
    }
    return 0;
}

/* Records a text; returns false if it was already recorded. */
static bool is_new(word *seen, int *number, const word found) {
    for (int i = 0; i < *number; i++)
        if (!strcmp(seen[i], found))
            return false;
    memcpy(seen[(*number)++], found, WORD);
    return true;
}

static int list(struct aa_cores *cores, const cpu_set_t *allowed, word *siblings, word *caches) {
    int known_siblings = 0, known_caches = 0;
    for (int processor = 0; processor < CPU_SETSIZE; processor++) {
        word found = "";
        if (!CPU_ISSET(processor, allowed))
            continue;
        if (read_word(found, processor, "topology/thread_siblings_list") &&
            !is_new(siblings, &known_siblings, found))
            continue;
        cores->processors[cores->number++] = processor;
        uint64_t cache = last_cache(processor, found);
        if (cache && is_new(caches, &known_caches, found)) {
            cores->all += cache;
            cores->cache = cache > cores->cache ? cache : cores->cache;
        }
    }
    return cores->number ? 0 : -1;
}

int aa_find_cores(struct aa_cores *cores) {
    cpu_set_t allowed;
    memset(&allowed, 0xff, sizeof allowed);
    sched_setaffinity(0, sizeof allowed, &allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        return -1;
    *cores = (struct aa_cores){.processors = malloc(CPU_SETSIZE * sizeof(int))};
    word *siblings = malloc(CPU_SETSIZE * sizeof *siblings), *caches = malloc(CPU_SETSIZE * sizeof *caches);
    int failed = cores->processors && siblings && caches ? list(cores, &allowed, siblings, caches) : -1;
    free(siblings);
    free(caches);
    errno = failed ? ENOMEM : 0;
    return failed;
}

void aa_stay_on(int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    sched_setaffinity(0, sizeof one, &one);
}
