/*
 * What is timed: a piece of work that is done so and so many times, and how long one time takes at best.
 */
#ifndef AA_WORK_H
#define AA_WORK_H

#include <stdint.h>
#include <time.h>

struct aa_work {
    const char *name;
    clockid_t clock;
    void (*run)(void *state, uint64_t times);
    void (*prepare)(void *state); /* before each sample, and not timed; may be NULL */
    void *state;
    uint64_t times;    /* in a sample; 0: not known yet */
    double seconds;    /* of one time, at best; 0: not known yet */
    double known_from; /* the loop: how many instructions one time has; 0: that is not asked */
};

/* Takes some samples of a work, the shorter the less others disturb them, and keeps a better time. */
void aa_sample(struct aa_work *work);

double aa_now(clockid_t clock);

/* What a compiler cannot do without. */
extern volatile double aa_result;

#endif
