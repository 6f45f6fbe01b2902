#include "work.h"

#include <stdlib.h>

enum { SAMPLES = 40, QUANTILE = SAMPLES / 10 };

/* A sample takes much longer than reading the clock (a system call), and much less than a time slice. */
static const double sample_seconds = 3e-4;
static const uint64_t most_times = 1ull << 32;

volatile double aa_result;

double aa_now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double timed(struct aa_work *work) {
    if (work->prepare)
        work->prepare(work->state);
    double start = aa_now(work->clock);
    work->run(work->state, work->times);
    return aa_now(work->clock) - start;
}

static int compare(const void *first, const void *second) {
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

void aa_sample(struct aa_work *work) {
    double samples[SAMPLES];
    if (!work->times)
        for (work->times = 1; timed(work) < sample_seconds && work->times < most_times;)
            work->times *= 2;
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = timed(work);
    qsort(samples, SAMPLES, sizeof *samples, compare);
    double seconds = samples[QUANTILE] / (double)work->times;
    if (seconds > 0 && (work->seconds == 0 || seconds < work->seconds))
        work->seconds = seconds;
}
