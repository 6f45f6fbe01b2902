/* Timed work: a piece of work that is repeated, and the least time of one repetition. */
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
    double known_from; /* the loop: the number of instructions per repetition; 0: unknown */
};

/* Takes some samples of a work, the shorter the less others disturb them, and keeps a better time. */
void aa_sample(struct aa_work *work);

double aa_now(clockid_t clock);

/* Operands that a compiler cannot remove. */
extern volatile double aa_result;

#endif
