/*
 * Measures single operations on this machine, without MPI, and prints one price per line, in seconds.
 *
 *     machine L1 L2 LINE FILE [ROUNDS]    sizes of the caches in bytes, and a file to write
 *     machine count                       under rtcount: counts the loops' instructions
 *
 * If a launcher starts several processes, only the first one measures; if the launcher does not show which
 * process is the first, all processes measure.
 */
#define _GNU_SOURCE
#include "counter_requests.h"
#include "files.h"
#include "first.h"
#include "latencies.h"
#include "loops.h"
#include "memory.h"
#include "pages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif

enum { ROUNDS = 5, COUNTED_TIMES = 16 };

/* Samples all works in turn, in several rounds, so that a disturbance of about a second spoils no price. */
static void sample(struct aa_work *works, int number, int rounds) {
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < number; i++)
            aa_sample(&works[i]);
}

static void print_files(const struct aa_work works[AA_FILE_WORKS]) {
    for (int i = 0; i < AA_FILE_WORKS; i += 2) {
        double call = works[i].seconds, longer = works[i + 1].seconds - call;
        printf("price %s %.4g\n", works[i].name, call);
        printf("price %.*s_byte %.4g\n", (int)strcspn(works[i].name, "_"), works[i].name,
               (longer > 0 ? longer : works[i + 1].seconds) / (AA_LONG - AA_FEW));
    }
}

static void measure(uint64_t l1, uint64_t l2, uint64_t line, const char *file, int rounds) {
    struct aa_work works[AA_LOOPS + AA_LATENCIES + AA_ACCESSES + AA_PAGE_WORKS + AA_FILE_WORKS];
    struct aa_work *latencies = works + AA_LOOPS, *accesses = latencies + AA_LATENCIES;
    struct aa_work *pages = accesses + AA_ACCESSES;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    printf("host %s\n", host);
    aa_loops(works);
    aa_latencies(latencies);
    if (aa_accesses(accesses, l1, l2, line)) {
        printf("lacks memory %s\n", strerror(ENOMEM));
        return;
    }
    int memory = AA_ACCESSES + aa_pages(pages);
    struct aa_work *files = accesses + memory;
    int failure = aa_files(files, file) ? errno : 0;
    sample(works, AA_LOOPS + AA_LATENCIES + memory + (failure ? 0 : AA_FILE_WORKS), rounds);
    for (int i = 0; i < AA_LOOPS; i++)
        printf("loop %s %.6g %.0f\n", works[i].name, works[i].seconds, works[i].known_from);
    aa_print_latencies(latencies);
    for (int i = 0; i < memory; i++)
        printf("price %s %.4g\n", accesses[i].name, accesses[i].seconds);
    if (memory < AA_ACCESSES + AA_PAGE_WORKS)
        printf("lacks huge_pages the kernel provides no huge pages\n");
    failure = failure ? failure : aa_file_failure();
    if (failure)
        printf("lacks files %s\n", strerror(failure));
    else
        print_files(files);
}

#ifdef VALGRIND_DO_CLIENT_REQUEST_EXPR

static uint64_t instructions(void) {
    struct aa_rtcount_counts counts = {0};
    (void)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, AA_RTCOUNT_STOP, &counts, 0, 0, 0, 0);
    (void)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, AA_RTCOUNT_GO, 0, 0, 0, 0, 0);
    return counts.instructions;
}

static void count(void) {
    struct aa_work works[AA_LOOPS];
    aa_loops(works);
    for (int i = 0; i < AA_LOOPS; i++) {
        uint64_t before = instructions();
        works[i].run(works[i].state, COUNTED_TIMES);
        printf("counted %s %.6g\n", works[i].name, (double)(instructions() - before) / COUNTED_TIMES);
    }
}

#else

static void count(void) {}

#endif

int main(int arguments, char **words) {
    if (arguments == 2 && !strcmp(words[1], "count"))
        count();
    else if (arguments < 5 || arguments > 6)
        return 2;
    else if (aa_is_first())
        measure(strtoull(words[1], NULL, 10), strtoull(words[2], NULL, 10), strtoull(words[3], NULL, 10),
                words[4], arguments == 6 ? atoi(words[5]) : ROUNDS);
    return 0;
}
