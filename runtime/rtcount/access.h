/*
 * Looks up an access in the caches of the running thread, unless its place (counts.h) has already shown that
 * its line is in L1. Each common cache shape has its own function. This file is compiled twice: for any
 * processor, and for processors with AVX2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "caches.h"

enum { MISSED_L1 = 1, MISSED_L2 = 2, MISSED_L3 = 4, MISSED_TLB = 8 };

/* Keep this equal to place_of in instrument.c, which adds code for the same computation. */
static inline Place *place_of(UWord line) {
    return &rc_places[(line ^ line >> PLACE_BITS) & ((1 << PLACE_BITS) - 1)];
}

/* Cache properties that are compile-time constants, because most of the time is spent in this code. */
typedef struct {
    UWord line_bits, l1_ways, way_bits, l2_vectors;
} Shape;

ALWAYS_INLINE Bool misses_l2(Shape shape, UWord line) {
    UWord number = line & rc_l2.set_mask;
    if (!shape.l2_vectors)
        return misses_by_line((UWord *)rc_caches.l2 + number * rc_l2.ways, rc_l2.ways, line);
    UInt *set = (UInt *)rc_caches.l2 + number * LANES * shape.l2_vectors;
    return misses_by_tag(set, shape.l2_vectors, (UInt)(line >> rc_l2.set_bits));
}

static Bool misses_in(UWord *sets, const Geometry *cache, UWord number) {
    return sets && misses_by_line(sets + (number & cache->set_mask) * cache->ways, cache->ways, number);
}

/* Looks up a line that has missed in L1, and perhaps in L2. Returns the flags of its misses in L3 and the
 * TLB. */
static __attribute__((noinline)) UWord touch_further(UWord line, UWord missed) {
    UWord page = line >> (rc_tlb.line_bits - rc_l1.line_bits);
    UWord further = misses_in(rc_caches.tlb, &rc_tlb, page) ? MISSED_TLB : 0;
    return missed & MISSED_L2 && misses_in(rc_caches.l3, &rc_l3, line) ? further | MISSED_L3 : further;
}

/* Looks up a line. Returns MISSED_... flags. */
ALWAYS_INLINE UWord touch(Shape shape, UWord line, UWord now) {
    Addr start = line << shape.line_bits;
    UWord missed = 0;
    Way *set = rc_caches.l1 + 2 * (line & rc_l1.set_mask) * shape.l1_ways;
    UWord way = way_of(set, shape.l1_ways, start);
    if (way == shape.l1_ways) {
        way = oldest_way(set, shape.l1_ways, shape.way_bits);
        set[way] = start;
        missed = MISSED_L1 + MISSED_L2 * (UWord)misses_l2(shape, line);
        if (__builtin_expect(rc_events >> AA_RTCOUNT_L3_MISSES, 0)) /* if L3 or TLB misses are counted */
            missed |= touch_further(line, missed);
    }
    set[shape.l1_ways + way] = now;
    *place_of(line) = &set[way];
    return missed;
}

ALWAYS_INLINE void add_misses(UWord missed) {
    rc_counts.l1_misses += missed & MISSED_L1;
    rc_counts.l2_misses += missed / MISSED_L2 & 1;
    if (__builtin_expect(missed >= MISSED_L3, 0)) {
        rc_counts.events[AA_RTCOUNT_L3_MISSES] += missed / MISSED_L3 & 1;
        rc_counts.events[AA_RTCOUNT_TLB_MISSES] += missed / MISSED_TLB;
    }
}

ALWAYS_INLINE Shape any_shape(void) {
    return (Shape){rc_l1.line_bits, rc_l1.ways, rc_l1.way_bits, vectors_of(&rc_l2)};
}

/* Looks up all lines of an access, which counts as one access. Usually, L1 contains all of them. */
static __attribute__((noinline)) void touch_several(UWord first, UWord last, UWord now) {
    UWord missed = 0;
    for (UWord line = first; line <= last; line++) {
        Way *way = *place_of(line);
        if (*way == line << rc_l1.line_bits)
            way[rc_l1.ways] = now;
        else
            missed |= touch(any_shape(), line, now);
    }
    add_misses(missed);
}

ALWAYS_INLINE void access(Shape shape, Addr address, UWord numbered_size) {
    if (!rc_caches.l1)
        return;
    UWord now = rc_counts.accesses + (numbered_size >> SIZE_BITS);
    UWord size = numbered_size & ((1 << SIZE_BITS) - 1);
    UWord first = address >> shape.line_bits, last = (address + size - 1) >> shape.line_bits;
    if (first == last)
        add_misses(touch(shape, first, now));
    else
        touch_several(first, last, now);
}

#define DEFINE(name, ...)                                                                                    \
    static VG_REGPARM(2) void name(Addr address, UWord numbered_size) {                                      \
        access(__VA_ARGS__, address, numbered_size);                                                         \
    }

/* Functions for common cache shapes, and for any shape. */
DEFINE(access_8_8, (Shape){6, 8, 3, 2})
DEFINE(access_8_16, (Shape){6, 8, 3, 4})
DEFINE(access_12_16, (Shape){6, 12, 4, 4})
DEFINE(access_12_20, (Shape){6, 12, 4, 5})
DEFINE(access_any, any_shape())

static inline Access *chosen(void) {
    static const struct {
        UWord l1_ways, l2_ways;
        Access *access;
    } usual[] = {{8, 8, access_8_8}, {8, 16, access_8_16}, {12, 16, access_12_16}, {12, 20, access_12_20}};
    for (UWord i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (rc_l1.line_bits == 6 && vectors_of(&rc_l2) && usual[i].l1_ways == rc_l1.ways &&
            usual[i].l2_ways == rc_l2.ways)
            return usual[i].access;
    }
    return access_any;
}
