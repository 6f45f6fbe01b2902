/*
 * The sets of L1 and L2. A processor cannot predict which way contains a line, or which way will be replaced.
 * This code therefore has no branches, and compares several ways at once if possible.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RTCOUNT_CACHES_H
#define RTCOUNT_CACHES_H

#include "counts.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define LANES 4 /* words of 32 bits in a vector */

/* ---- L1 */

/* Returns one bit for each of four ways: whether the way contains the line. */
ALWAYS_INLINE UWord holders(const Way *ways, Addr start) {
#if defined(__AVX2__)
    __m256i wanted = _mm256_set1_epi64x((long long)start);
    __m256i equal = _mm256_cmpeq_epi64(_mm256_load_si256((const __m256i *)ways), wanted);
    return (UWord)_mm256_movemask_pd(_mm256_castsi256_pd(equal));
#elif defined(__SSE2__)
    __m128i wanted = _mm_set1_epi64x((long long)start);
    __m128 two = _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_load_si128((const __m128i *)ways), wanted));
    __m128 other = _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_load_si128((const __m128i *)ways + 1), wanted));
    __m128 lower = _mm_shuffle_ps(two, other, 0x88), upper = _mm_shuffle_ps(two, other, 0xdd);
    return (UWord)_mm_movemask_ps(_mm_and_ps(lower, upper));
#else
    return (UWord)(ways[0] == start) | (UWord)(ways[1] == start) << 1 | (UWord)(ways[2] == start) << 2 |
           (UWord)(ways[3] == start) << 3;
#endif
}

/* Returns the way that contains a line; the number of ways if no way contains it. */
ALWAYS_INLINE UWord way_of(const Way *set, UWord ways, Addr start) {
    UWord way = 0, found = 0;
    if (ways <= 4 * LANES && ways % LANES == 0) {
#pragma GCC unroll 4
        for (; way < ways; way += LANES)
            found |= holders(set + way, start) << way;
        return found ? (UWord)__builtin_ctzl(found) : ways;
    }
    while (way < ways && set[way] != start)
        way++;
    return way;
}

ALWAYS_INLINE UWord lesser(UWord one, UWord other) {
    return one < other ? one : other;
}

/* Returns the least recently used way. bits: the number of bits in a way's number. Four independent minima
 * are computed, so that no computation waits for the previous one. */
ALWAYS_INLINE UWord oldest_way(const Way *set, UWord ways, UWord bits) {
    UWord least[LANES] = {~(UWord)0, ~(UWord)0, ~(UWord)0, ~(UWord)0};
#pragma GCC unroll 16
    for (UWord way = 0; way < ways; way++)
        least[way % LANES] = lesser((set[ways + way] << bits) + way, least[way % LANES]);
    return lesser(lesser(least[0], least[1]), lesser(least[2], least[3])) & (((UWord)1 << bits) - 1);
}

/* ---- L2: in a set, the most recently used line comes first */

/* Returns whether a line is missing, and moves it to the front. The lines that were before it move back by
 * one. */
static inline Bool misses_by_line(UWord *set, UWord ways, UWord line) {
    UWord moved = line;
    for (UWord way = 0; way < ways; way++) {
        UWord here = set[way];
        set[way] = moved;
        if (here == line)
            return False;
        moved = here;
    }
    return True;
}

#define MOST_VECTORS 5
#define ADDRESS_BITS 47 /* number of bits in a program's address on x86-64 */

/* Returns the number of vectors that the tags of a set fill; 0 if a tag does not fit in 32 bits, or if a set
 * does not fill whole vectors. A tag is a line without the bits that select the set. */
static inline UWord vectors_of(const Geometry *cache) {
#if defined(__SSE2__)
    if (cache->ways % LANES == 0 && cache->ways <= LANES * MOST_VECTORS &&
        cache->set_bits + cache->line_bits + 32 >= ADDRESS_BITS)
        return cache->ways / LANES;
#endif
    return 0;
}

#if defined(__AVX2__)

/*
 * The same as misses_by_line, with eight tags at a time: the found tag moves to the front, and the tags
 * before it move back by one.
 *
 *     before      a  b  c  d   e  f  g  h       the tag of f
 *     afterwards  f  a  b  c   d  e  g  h
 */
ALWAYS_INLINE Bool misses_by_eights(UInt *set, UWord eights, UInt tag) {
    const __m256i numbers = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0), last = _mm256_set1_epi32(7);
    __m256i *to = (__m256i *)set, wanted = _mm256_set1_epi32((int)tag), before[MOST_VECTORS / 2];
    UInt found = 0;
#pragma GCC unroll 2
    for (UWord i = 0; i < eights; i++) {
        before[i] = to[i];
        __m256 equal = _mm256_castsi256_ps(_mm256_cmpeq_epi32(before[i], wanted));
        found |= (UInt)_mm256_movemask_ps(equal) << (8 * i);
    }
    int at = __builtin_ctz(found | 1u << (8 * eights - 1));
    __m256i carried = wanted;
#pragma GCC unroll 2
    for (int i = 0; i < (int)eights; i++) {
        __m256i moves = _mm256_cmpgt_epi32(_mm256_set1_epi32(at + 1 - 8 * i), numbers);
        __m256i moved =
            _mm256_permutevar8x32_epi32(before[i], _mm256_add_epi32(numbers, _mm256_set1_epi32(-1)));
        moved = _mm256_blend_epi32(moved, carried, 1);
        carried = _mm256_permutevar8x32_epi32(before[i], last);
        to[i] = _mm256_blendv_epi8(before[i], moved, moves);
    }
    return !found;
}

#endif

/* The same as misses_by_line, with tags. */
ALWAYS_INLINE Bool misses_by_tag(UInt *set, UWord vectors, UInt tag) {
#if defined(__AVX2__)
    if (vectors % 2 == 0)
        return misses_by_eights(set, vectors / 2, tag);
#endif
#if defined(__SSE2__)
    static const UInt front[2 * LANES * MOST_VECTORS] = {[0 ... LANES * MOST_VECTORS - 1] = ~0u};
    __m128i *to = (__m128i *)set, wanted = _mm_set1_epi32((int)tag), before[MOST_VECTORS];
    UInt found = 0;
#pragma GCC unroll 5
    for (UWord i = 0; i < vectors; i++) {
        before[i] = to[i];
        __m128i equal = _mm_cmpeq_epi32(before[i], wanted);
        found |= (UInt)_mm_movemask_ps(_mm_castsi128_ps(equal)) << (LANES * i);
    }
    UWord at = (UWord)__builtin_ctz(found | 1u << (LANES * vectors - 1));
    const UInt *makes_room = front + LANES * MOST_VECTORS - 1 - at;
    __m128i carried = _mm_srli_si128(wanted, 12);
#pragma GCC unroll 5
    for (UWord i = 0; i < vectors; i++) {
        __m128i mask = _mm_loadu_si128((const __m128i *)(makes_room + LANES * i));
        __m128i moved = _mm_or_si128(_mm_slli_si128(before[i], 4), carried);
        carried = _mm_srli_si128(before[i], 12);
        to[i] = _mm_or_si128(_mm_and_si128(mask, moved), _mm_andnot_si128(mask, before[i]));
    }
    return !found;
#else
    return True;
#endif
}

#endif
