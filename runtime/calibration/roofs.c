/*
 * Measures this node's peak rates: double-precision operations of a core, and memory traffic of a core while
 * all others are idle, and while all are busy. Also measures a barrier of all cores. Prints one price per
 * line, in seconds.
 */
#include "barrier.h"
#include "cores.h"
#include "first.h"
#include "flops.h"
#include "stream.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 5, FAR = 4, LEAST_FAR = 2, SHARE = 4 };

/*
 * In bytes: the cache size to assume if it is unknown, and the smallest size of a walk, which takes much
 * longer than starting its thread.
 */
static const uint64_t usual_cache = 32u << 20, least_walk = 32u << 20;

/*
 * Returns a data size so large that no cache still contains the beginning of the data once all of it has been
 * accessed: four times the caches' size, but at most a quarter of the memory. Returns 0 if this is less than
 * twice the caches' size.
 */
static uint64_t beyond(uint64_t caches, uint64_t least) {
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / SHARE;
    uint64_t held = caches ? caches : usual_cache, wanted = FAR * held > least ? FAR * held : least;
    uint64_t found = wanted < memory ? wanted : memory;
    return found < LEAST_FAR * held ? 0 : found;
}

static void print_price(const char *name, double seconds, const char *reason) {
    if (seconds > 0)
        printf("price %s %.4g\n", name, seconds);
    else
        printf("lacks %s %s\n", name, reason);
}

int main(void) {
    static const char *const small = "there is too little memory for data larger than the caches";
    struct aa_cores cores;
    if (!aa_is_first())
        return 0;
    struct aa_work flops = aa_flops();
    for (int round = 0; round < ROUNDS; round++)
        aa_sample(&flops);
    print_price(flops.name, flops.seconds, "the clock did not advance");
    if (aa_find_cores(&cores)) {
        print_price("memory_byte", 0, strerror(errno));
        print_price("memory_byte_shared", 0, strerror(errno));
        print_price("omp_barrier", 0, strerror(errno));
        return 0;
    }
    struct aa_stream stream = {0};
    struct aa_work walk = {.clock = CLOCK_THREAD_CPUTIME_ID, .run = aa_walk_stream, .state = &stream};
    uint64_t alone = beyond(cores.cache, least_walk);
    uint64_t shared = beyond(cores.all, least_walk * (uint64_t)cores.number);
    if (alone && !aa_make_stream(&stream, alone))
        for (int round = 0; round < ROUNDS; round++)
            aa_sample(&walk);
    aa_end_stream(&stream);
    print_price("memory_byte", walk.seconds / AA_STREAM_BYTES, small);
    print_price("memory_byte_shared", shared ? aa_shared_stream(&cores, shared) : 0, small);
    fflush(stdout); /* keeps these prices even if the threads fail */
    print_price("omp_barrier", aa_barrier(&cores), "there is only one core, or threads cannot be started");
    printf("cores %d\n", cores.number);
    return 0;
}
