#include "price.h"
#include "clock.h"
#include "counter.h"
#include "key.h"
#include "probe.h"
#include "self.h"
#include "site.h"
#include "slots.h"
#include "throttle.h"
#include "tree.h"

#include <string.h>

#define PAIRS 256
#define ROUNDS 8

static const char key[] = AA_DESCRIPTOR_VERSION "|user||||0|0|0";

/* Keeps the minimum, over several rounds, of the counts in an interval in which the program does nothing. */
static void keep_least(uint64_t least[AA_COUNTED], struct aa_node *base, struct aa_node *child,
                       uint64_t intervals) {
    for (int i = 0; i < AA_COUNTED; i++) {
        uint64_t counted = base->counters[i] + child->counters[i];
        /* if counting is restricted to calls, only MPI's instructions are counted */
        if (i == AA_INSTRUCTIONS)
            counted += base->counters[AA_MPI_INSTRUCTIONS];
        uint64_t mean = counted / intervals;
        least[i] = mean < least[i] ? mean : least[i];
        base->counters[i] = child->counters[i] = 0;
    }
    base->counters[AA_MPI_INSTRUCTIONS] = 0;
}

static const struct aa_probes *_Atomic probes;

void aa_price_these(const struct aa_probes *these) {
    atomic_store_explicit(&probes, these, memory_order_relaxed);
}

static inline const struct aa_probes *priced(void) {
    return atomic_load_explicit(&probes, memory_order_relaxed);
}

static inline void enter_and_leave(void) {
    const char *entered = priced()->enter(key);
    if (entered)
        priced()->leave(entered);
}

/*
 * The same code as aa_enter_ and aa_exit_ in instrument/fortran_stub.c, with two slots. The work in the
 * region enters no other region.
 */
static struct aa_slot slots[2];
static struct aa_main main_thread;
static const char *counted;

static inline __attribute__((always_inline)) bool is_main_thread(const struct aa_main *thread) {
    char here;
    return (uintptr_t)thread->stack - (uintptr_t)&here < (uintptr_t)1 << 26;
}

static inline __attribute__((always_inline)) struct aa_slot *slot_of(uint64_t number,
                                                                     const struct aa_node *node) {
    uintptr_t offset = (number * sizeof(struct aa_slot) ^ (uintptr_t)node / 2) & sizeof(struct aa_slot);
    return (struct aa_slot *)((char *)slots + offset);
}

static inline __attribute__((always_inline)) bool
only_counts(const struct aa_slot *slot, const struct aa_node *node, const struct aa_main *thread) {
    return slot->key == key && slot->from == node && slot->generation == thread->generation &&
           thread->place->share == AA_OWN;
}

static __attribute__((noinline)) void enter_in_slot(uint64_t number) {
    const struct aa_main *thread = &main_thread;
    struct aa_slot *slot = NULL;
    __asm__("" : "+r"(thread));
    if (is_main_thread(thread)) {
        const struct aa_node *node = thread->place->node;
        slot = slot_of(number, node);
        uint64_t *visits = slot->visits;
        __asm__ volatile("" : : : "memory");
        if (only_counts(slot, node, thread) && (*visits + 1) % AA_THROTTLE_PERIOD > AA_THROTTLE_SAMPLE) {
            __asm__ volatile("" : : : "memory");
            ++*visits;
            counted = key;
            return;
        }
        counted = NULL;
    }
    priced()->enter_in_slot(key, slot);
    if (!slot && is_main_thread(thread))
        counted = NULL;
}

static __attribute__((noinline)) void leave_in_slot(uint64_t number) {
    const struct aa_main *thread = &main_thread;
    __asm__("" : "+r"(thread));
    if (is_main_thread(thread)) {
        const char *last = counted;
        counted = NULL;
        if (last == key)
            return;
        const struct aa_node *node = thread->place->node;
        if (only_counts(slot_of(number, node), node, thread))
            return;
    }
    priced()->leave_or_pass(key);
}

/* Opens a site, counts a few entries in it, and closes it, as for a site that is opened repeatedly. */
static inline void open_and_close(int64_t *site) {
    priced()->enter_counted(key, site);
    *site -= AA_SITE_PAYING;
    aa_sites_close(aa_thread_self);
}

/* Makes a library call, which is counted if counting is restricted to calls. */
static inline void call(uint32_t share) {
    priced()->end(priced()->begin(share));
}

#define FOUR                                                                                                 \
    a += number, b ^= number, c -= number, d |= number;                                                      \
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
#define SIXTEEN FOUR FOUR FOUR FOUR

/*
 * Keeps the core busy without waiting, so that a probe's instructions take additional time, as in most
 * programs. In a function that waits for its operands or for memory, the time of these instructions would be
 * hidden.
 */
static inline __attribute__((always_inline)) void work(uint64_t number) {
    uint64_t a = number, b = number, c = number, d = number;
    SIXTEEN SIXTEEN SIXTEEN SIXTEEN
}

static __attribute__((noinline)) void called(uint64_t *words, uint64_t number) {
    words[number] = number;
}

static __attribute__((noinline)) void with_pair(int64_t *site, uint64_t *words, uint64_t number) {
    const char *entered = priced()->enter(key);
    words[number + 1] = (uintptr_t)site;
    work(number);
    called(words, number);
    if (entered)
        priced()->leave(entered);
}

static __attribute__((noinline)) void with_calls(int64_t *site, uint64_t *words, uint64_t number) {
    enter_in_slot(number);
    words[number + 1] = (uintptr_t)site;
    work(number);
    called(words, number);
    leave_in_slot(number);
}

static uint64_t time_of(enum aa_priced what) {
    uint32_t share = aa_counted_calls == AA_COUNTS_IN_IO ? AA_IO : AA_MPI_OTHER | AA_IN_MPI;
    static uint64_t words[PAIRS + 1];
    int64_t site = 0;
    uint64_t start = aa_clock_ticks();
    for (int i = 0; i < PAIRS; i++) {
        if (what == AA_CALL)
            call(share);
        else if (what == AA_WORKING_PAIR)
            with_pair(&site, words, (uint64_t)i);
        else if (what == AA_FORTRAN_PAIR)
            with_calls(&site, words, (uint64_t)i);
        else if (what == AA_LEFT_PAIR)
            enter_in_slot((uint64_t)i), leave_in_slot((uint64_t)i);
        else if (what == AA_OPENED_PAIR)
            open_and_close(&site);
        else
            enter_and_leave();
    }
    return aa_clock_ticks() - start;
}

static uintptr_t marks_of(enum aa_priced what) {
    return what == AA_OPENED_PAIR                              ? AA_THROTTLED | AA_LASTING
           : what == AA_THROTTLED_PAIR || what == AA_LEFT_PAIR ? AA_THROTTLED
                                                               : 0;
}

double aa_price_of(enum aa_priced what) {
    struct aa_node base = {.visits = 0}, child = {.visits = 0};
    struct aa_node *marked = (struct aa_node *)((uintptr_t)&child | marks_of(what));
    struct aa_edge edge = {.node = &base, .key = key, .child = marked};
    /*
     * Three frames: the bottom frame, a frame for the pair, and a spare frame. The caller has blocked
     * signals, because a search for any other key would not end: there is only one edge and no free slot.
     */
    struct aa_frame frames[3] = {{.key = ""}};
    struct aa_thread scratch = {.index = what != AA_OPENED_PAIR, /* only the main thread opens sites */
                                .base = &base,
                                .current = &base,
                                .edges = &edge,
                                .frames = frames,
                                .top = frames + 1,
                                .limit = frames + 3};
    memset(slots, 0, sizeof slots);
    main_thread = (struct aa_main){__builtin_frame_address(0), (const struct aa_place *)&scratch.current, 1};
    aa_watch_open(&scratch.watch);
    aa_counter_begin(&scratch, false);
    scratch.last = aa_clock_ticks();
    struct aa_thread *self = aa_thread_self;
    aa_thread_become(&scratch);
    uint64_t fastest = UINT64_MAX, least[AA_COUNTED];
    memset(least, 0xff, sizeof least);
    for (int round = 0; round < ROUNDS; round++) {
        child.visits = 1; /* an untimed visit; only one visit per AA_THROTTLE_PERIOD is timed */
        uint64_t took = time_of(what);
        fastest = took < fastest ? took : fastest;
        keep_least(least, &base, &child, what == AA_CALL ? PAIRS : 2 * PAIRS);
    }
    aa_thread_become(self);
    if (what == (aa_counted_calls ? AA_CALL : AA_PAIR))
        aa_counter_leave_out(least);
    aa_counter_stop();
    aa_throttle_forget(&scratch);
    aa_watch_close(&scratch.watch);
    return (double)fastest / PAIRS;
}

/*
 * The same code as aa_begin and aa_leave in instrument/begin.h and stub.h, but entries call nothing.
 */
static inline const char *begin(int64_t *site) {
    const char *entered = NULL;
    if (aa_unlikely(--*site < 0))
        entered = priced()->enter_counted(key, site);
    __asm__("" : "+r"(entered));
    return entered;
}

static inline void leave(const char *const *entered) {
    if (aa_unlikely(*entered))
        priced()->leave(*entered);
}

static __attribute__((noinline)) void without_probe(int64_t *site, uint64_t *words, uint64_t number) {
    words[number + 1] = (uintptr_t)site;
    work(number);
    called(words, number);
}

static __attribute__((noinline)) void with_probe(int64_t *site, uint64_t *words, uint64_t number) {
    __attribute__((cleanup(leave), unused)) const char *const entered = begin(site);
    words[number + 1] = (uintptr_t)site;
    work(number);
    called(words, number);
}

static struct aa_place place;
static struct aa_node throttled[2];

static uint64_t time_of_function(void (*function)(int64_t *, uint64_t *, uint64_t)) {
    int64_t sites[] = {PAIRS, PAIRS};
    for (int i = 0; i < 2; i++) {
        throttled[i].visits = AA_THROTTLE_SAMPLE;
        slots[i] = (struct aa_slot){key, place.node, &throttled[i].visits, 1, 0};
    }
    main_thread = (struct aa_main){__builtin_frame_address(0), &place, 1};
    uint64_t words[PAIRS + 1];
    uint64_t start = aa_clock_ticks();
    for (uint64_t i = 0; i < PAIRS; i++) {
        function(&sites[i & 1], words, i);
        __asm__ volatile("" : : "r"(words) : "memory");
    }
    return aa_clock_ticks() - start;
}

/*
 * Measures functions with and without a probe alternately, because the clock frequency may change. The
 * first rounds are warm-up.
 */
double aa_price_of_passing(enum aa_passing how) {
    uint64_t with = UINT64_MAX, without = UINT64_MAX;
    for (int round = 0; round < 3 * ROUNDS; round++) {
        uint64_t took_with = time_of_function(how == AA_IN_SLOT ? with_calls : with_probe),
                 took_without = time_of_function(without_probe);
        with = took_with < with ? took_with : with;
        without = took_without < without ? took_without : without;
    }
    return with > without ? (double)(with - without) / PAIRS : 0;
}
