/* Timed work: an operation that is repeated, and the undisturbed time of one repetition. */
#ifndef AA_WORK_H
#define AA_WORK_H

#include <stdint.h>
#include <time.h>

struct aa_work {
    const char *name;
    clockid_t clock;
    void (*run)(void *state, uint64_t times);
    void (*prepare)(void *state); /* called before each sample, outside the timed part; may be NULL */
    void *state;
    uint64_t times;    /* repetitions per sample; 0: not yet known */
    double seconds;    /* per repetition: the lowest result of aa_sample so far; 0: not yet known */
    double known_from; /* for loops: number of instructions per repetition; 0: unknown */
};

/*
 * Takes samples of the repeated operation. The lowest decile of their times replaces work->seconds if it is
 * lower, because disturbances only lengthen samples.
 */
void aa_sample(struct aa_work *work);

double aa_now(clockid_t clock);

/* Works store their results here, so that the compiler cannot optimise them away. */
extern volatile double aa_result;

#endif
