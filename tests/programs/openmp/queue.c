/* Four threads. faults: they queue at a critical section and at a lock, and meet at many barriers; clean: they do the
   same work at the same time, and come to each place once. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#define THREADS 4
#define PIECES 200
#define MEETINGS 300

static double total;
static omp_lock_t lock;
static omp_nest_lock_t nested;

#define WORK(sum)                                                                                                      \
    for (int k = 0; k < 20000; k++)                                                                                    \
    sum += 1 / (1 + k * sum)

static void queue_at_critical(int pieces) {
#pragma omp parallel num_threads(THREADS)
    {
        double own = 0;
#pragma omp barrier /* so that all begin */
        for (int i = 0; i < PIECES / pieces; i++) {
            for (int j = 1; j < pieces; j++)
                WORK(own);
#pragma omp critical
            {
                WORK(total);
                total += own;
            }
        }
    }
}

static void queue_at_lock(int pieces) {
#pragma omp parallel num_threads(THREADS)
    {
        double own = 0;
#pragma omp barrier /* so that all begin */
        for (int i = 0; i < PIECES / pieces; i++) {
            for (int j = 1; j < pieces; j++)
                WORK(own);
            omp_set_lock(&lock);
            WORK(total);
            total += own;
            omp_unset_lock(&lock);
        }
    }
}

static void meet(int meetings) {
#pragma omp parallel num_threads(THREADS)
    {
        double own = 0;
        for (int i = 0; i < meetings; i++) {
            own += 1 / (1 + i * own);
#pragma omp barrier
        }
        omp_set_nest_lock(&nested);
        omp_set_nest_lock(&nested); /* which it holds */
        total += own;
        omp_unset_nest_lock(&nested);
        omp_unset_nest_lock(&nested);
    }
}

int main(int argc, char **argv) {
    int is_clean = argc > 1 && strcmp(argv[1], "clean") == 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nested);
    queue_at_critical(is_clean ? PIECES : 1);
    queue_at_lock(is_clean ? PIECES : 1);
    meet(is_clean ? 1 : MEETINGS);
    printf("%g\n", total);
    return 0;
}
