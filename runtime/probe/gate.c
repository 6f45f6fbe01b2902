#include "gate.h"
#include "self.h"

#include <string.h>

static struct aa_gate passing = {.mask = AA_GATE_SLOTS - 1}, shut;

struct aa_gate *aa_probe_gate = &shut;

static bool used, has_threads;

static struct aa_slot *place_of(const char *key) {
    return &passing.slots[(uintptr_t)key >> AA_GATE_SHIFT & passing.mask];
}

void aa_gate_pass(const char *key, uint64_t *visits) {
    struct aa_slot *slot = place_of(key);
    const char *known = aa_key_get(&slot->key);
    if (known && known != aa_no_key)
        return;
    __atomic_store_n(&slot->visits, has_threads ? NULL : visits, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->key, key, __ATOMIC_RELEASE);
    __atomic_store_n(&used, true, __ATOMIC_RELAXED);
    __atomic_store_n(&aa_probe_gate, &passing, __ATOMIC_RELEASE);
}

bool aa_gate_passes(const char *key) {
    return key && aa_key_get(&place_of(key)->key) == key;
}

/* The place stays taken. */
bool aa_gate_stop(const char *key) {
    bool passes = aa_gate_passes(key);
    if (passes)
        aa_key_set(&place_of(key)->key, (const char *)&shut);
    return passes;
}

void aa_gate_shut(bool is_shut) {
    if (__atomic_load_n(&used, __ATOMIC_RELAXED))
        __atomic_store_n(&aa_probe_gate, is_shut ? &shut : &passing, __ATOMIC_RELEASE);
}

void aa_gate_count_no_more(void) {
    if (__atomic_exchange_n(&has_threads, true, __ATOMIC_RELAXED))
        return;
    for (uint32_t i = 0; i < AA_GATE_SLOTS; i++)
        __atomic_store_n(&passing.slots[i].visits, NULL, __ATOMIC_RELAXED);
}

void aa_gate_forget_keys(struct aa_span span) {
    for (uint32_t i = 0; i < AA_GATE_SLOTS; i++)
        aa_key_forget(&passing.slots[i].key, span);
}

void aa_gate_forget(void) {
    used = has_threads = false;
    aa_probe_gate = &shut;
    memset(passing.slots, 0, sizeof passing.slots);
}
