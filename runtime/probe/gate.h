/*
 * Entries of throttled regions that end in the program's own stub: it finds the descriptor at its place here,
 * counts the visit, and calls nobody. instrument/stub.h has the twins of these structures.
 */
#ifndef AA_GATE_H
#define AA_GATE_H

#include "key.h"
#include "probe.h"

#define AA_GATE_SLOTS 1024u
#define AA_GATE_SHIFT                                                                                        \
    5 /* few descriptors are shorter than 32 bytes, so that neighbours have different places */

struct aa_slot {
    const char *key;
    uint64_t *visits; /* null: not counted, as several threads would wait for each other to do so */
};

struct aa_gate {
    uint64_t mask;
    struct aa_slot slots[AA_GATE_SLOTS];
};

/* Found by dlsym. */
AA_EXPORT extern struct aa_gate *aa_probe_gate;

/* Entries by this key call nobody any more, unless its place is taken. The caller holds the shard's lock. */
void aa_gate_pass(const char *key, uint64_t *visits);

/* Whether they do; and no more, as somebody must know whether the region was entered. */
bool aa_gate_passes(const char *key);
bool aa_gate_stop(const char *key);

/* While a library such as MPI is at work, what it calls back goes the long way: it is no time of the library.
 */
void aa_gate_shut(bool shut);

/* There are several threads. */
void aa_gate_count_no_more(void);

/* The caller holds the shard's lock, or is alone, as the child of a fork is. */
void aa_gate_forget_keys(struct aa_span span);
void aa_gate_forget(void);

#endif
