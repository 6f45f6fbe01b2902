#define _GNU_SOURCE
#include "region.h"
#include "memory.h"

#include <string.h>

#define FIRST_CAPACITY 512u

static struct {
    struct aa_region **slots; /* hash table with open addressing, at most half full */
    struct aa_region **by_id; /* read without the lock */
    uint32_t capacity, count;
} table;

static uint64_t hash(const char *text, size_t length) {
    uint64_t value = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)text[i]) * 0x100000001b3u;
    return value ^ value >> 32;
}

static struct aa_region **find(const char *text, size_t length) {
    uint32_t mask = table.capacity - 1;
    for (uint32_t i = (uint32_t)hash(text, length) & mask;; i = (i + 1) & mask) {
        struct aa_region *region = table.slots[i];
        if (!region || (region->length == length && memcmp(region->descriptor, text, length) == 0))
            return &table.slots[i];
    }
}

/* Provides space for another region. Old tables stay mapped, because other threads may be looking up a region
 * by its number. */
static bool make_room(void) {
    if (2 * table.count < table.capacity)
        return true;
    uint32_t old_capacity = table.capacity, capacity = old_capacity ? 2 * old_capacity : FIRST_CAPACITY;
    struct aa_region **old = table.slots, **slots = aa_memory_map(capacity * sizeof *slots * 3 / 2);
    if (!slots)
        return false;
    if (old)
        memcpy(slots + capacity, table.by_id, table.count * sizeof *slots);
    table.slots = slots;
    __atomic_store_n(&table.by_id, slots + capacity, __ATOMIC_RELEASE);
    table.capacity = capacity;
    for (uint32_t i = 0; i < old_capacity; i++) {
        if (old[i])
            *find(old[i]->descriptor, old[i]->length) = old[i];
    }
    return true;
}

void aa_region_forget(void) {
    table.slots = NULL;
    table.capacity = table.count = 0;
}

struct aa_region *aa_region_intern(const char *descriptor) {
    if (!make_room())
        return NULL;
    size_t length = strlen(descriptor);
    struct aa_region **slot = find(descriptor, length);
    if (*slot)
        return *slot;
    struct aa_region *region = aa_shard_append(AA_RECORD_REGION, sizeof *region + length + 1);
    if (!region)
        return NULL;
    region->id = aa_shard()->regions;
    region->length = (uint32_t)length;
    memcpy(region->descriptor, descriptor, length);
    aa_shard_publish();
    aa_shard()->regions++;
    table.by_id[table.count++] = region;
    return *slot = region;
}

struct aa_region *aa_region_at(uint32_t id) {
    return __atomic_load_n(&table.by_id, __ATOMIC_ACQUIRE)[id];
}
