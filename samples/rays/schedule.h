/* Who traces which shot. Rank 0 is the master and hands the shots out, the other ranks are its workers.
   schedule_static.c and schedule_dynamic.c do it in two ways; the Makefile links one of them. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include "survey.h"

/* Has the COUNT shots traced by the workers, and stores the travel time of each: times[i] of shots[i].
   The master calls it while each of the other ranks, of which there are at most COUNT, calls work(). */
void hand_out(struct shot *shots, int count, double *times);

/* Traces, with RAYS rays each, the shots that the master sends, out of COUNT, and sends it their times. */
void work(const struct model *model, int count, int rays);

#endif
