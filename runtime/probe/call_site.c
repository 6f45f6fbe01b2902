#define _GNU_SOURCE
#include "call_site.h"
#include "counter.h"
#include "rare.h"
#include "shard.h"

#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES 8192u /* a power of two */
#define LONGEST_SEARCH 64u
#define LONGEST_TEXT ((size_t)3 * PATH_MAX)

struct call_site {
    const char *region; /* descriptor of the called function; null: the call site was forgotten */
    uintptr_t returns_to;
    const char *descriptor; /* the text below, or `region` if the address is in no file */
    char text[];
};

static struct call_site *_Atomic sites[PLACES]; /* hash table with open addressing */

/* ---- the text */

struct file {
    uintptr_t address; /* the address to find; after it was found, the address in the linked file */
    const char *name;
};

static int find_file(struct dl_phdr_info *library, size_t size, void *wanted) {
    struct file *file = wanted;
    (void)size;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        uintptr_t offset = file->address - library->dlpi_addr - part->p_vaddr;
        if (part->p_type == PT_LOAD && offset < part->p_memsz) {
            file->address -= library->dlpi_addr;
            file->name = library->dlpi_name;
            return 1;
        }
    }
    return 0;
}

static void append(char *text, size_t room, const char *more) {
    size_t length = strlen(text);
    for (; *more && length + 4 < room; more++) {
        bool plain = *more != '%' && *more != '|' && *more != '\n' && *more != '\r';
        length += (size_t)snprintf(text + length, room - length, plain ? "%c" : "%%%02X", *more);
    }
}

/*
 * Writes the descriptor of a call site; an empty text if the address is in no file, as in a deleted library
 * or in code that was generated at run time.
 */
static void describe(const char *region, uintptr_t returns_to, char *text, size_t room) {
    static const char end[] = "|0|0|0"; /* follows the function's name, which is empty */
    /* an address inside the call, because the return address may belong to the next function */
    struct file file = {returns_to - 1, NULL};
    *text = 0;
    if (!dl_iterate_phdr(find_file, &file))
        return;
    char *real = *file.name ? realpath(file.name, NULL) : NULL;
    const char *name = *file.name ? real : aa_shard()->executable;
    if (!name)
        return;
    snprintf(text, room, "%.*s", (int)(strlen(region) - strlen(end)), region);
    append(text, room - 64, name);
    free(real);
    size_t length = strlen(text);
    snprintf(text + length, room - length, "+%jx%s", (uintmax_t)file.address, end);
}

static struct call_site *make(const char *region, uintptr_t returns_to) {
    struct call_site *wide = malloc(sizeof *wide + LONGEST_TEXT);
    if (!wide)
        return NULL;
    describe(region, returns_to, wide->text, LONGEST_TEXT);
    struct call_site *site = realloc(wide, sizeof *site + strlen(wide->text) + 1);
    if (!site)
        site = wide;
    site->region = region;
    site->returns_to = returns_to;
    site->descriptor = *site->text ? site->text : region;
    return site;
}

/* ---- the table */

static bool is_of(const struct call_site *site, const char *region, uintptr_t returns_to) {
    return site->returns_to == returns_to && __atomic_load_n(&site->region, __ATOMIC_RELAXED) == region;
}

/* Returns the slot of a call site, or a free slot for it; null if all slots near its hash are taken. */
static struct call_site *_Atomic *find(const char *region, uintptr_t returns_to) {
    uintptr_t start = returns_to ^ returns_to >> 13;
    for (uintptr_t i = start; i < start + LONGEST_SEARCH; i++) {
        struct call_site *_Atomic *place = &sites[i % PLACES];
        const struct call_site *site = atomic_load_explicit(place, memory_order_acquire);
        if (!site || is_of(site, region, returns_to))
            return place;
    }
    return NULL;
}

/*
 * Publishes a call site, and returns its descriptor. If another thread was faster, uses that thread's entry
 * for the same site, or searches for another slot if the thread took this one for another site.
 */
static const char *keep(struct call_site *_Atomic *place, struct call_site *made) {
    struct call_site *found = NULL;
    const char *region = made->region;
    if (atomic_compare_exchange_strong(place, &found, made))
        return made->descriptor;
    bool same = is_of(found, region, made->returns_to);
    uintptr_t returns_to = made->returns_to;
    free(made);
    return same ? found->descriptor : aa_call_site(region, (const void *)returns_to);
}

const char *aa_call_site(const char *region, const void *returns_to) {
    struct call_site *_Atomic *place = find(region, (uintptr_t)returns_to);
    if (!place || *aa_shard()->script)
        return region;
    const struct call_site *site = atomic_load_explicit(place, memory_order_acquire);
    if (site && !is_of(site, region, (uintptr_t)returns_to))
        return aa_call_site(region, returns_to); /* another thread has just taken the slot */
    if (site)
        return site->descriptor;
    aa_counter_stop(); /* because describing a call site takes thousands of instructions */
    struct call_site *made = make(region, (uintptr_t)returns_to);
    aa_rare_work = true;
    aa_counter_go();
    return made ? keep(place, made) : region;
}

void aa_call_site_forget(struct aa_span span) {
    for (size_t i = 0; i < PLACES; i++) {
        struct call_site *site = atomic_load_explicit(&sites[i], memory_order_acquire);
        if (site && site->returns_to >= span.start && site->returns_to < span.end)
            __atomic_store_n(&site->region, NULL, __ATOMIC_RELAXED);
    }
}
