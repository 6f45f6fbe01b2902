/* Plain: all ranks get the statistics of all splits, with the sums that they are made of, and count the
   extreme ones each for itself. */
#include "location.h"

#include <mpi.h>
#include <stdlib.h>

#include "memory.h"

enum { BATCH = 8192 }; /* splits of a rank between two exchanges */

static const double none = -1; /* where a rank has no more splits */

/* What is known of a split. Nobody reads the sums over its groups once they are sent. */
struct outcome {
    double statistic;
    struct moments groups[VARIABLES][2];
};

int64_t location_test(const struct sample *sample, struct splits splits) {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct outcome *own = allocate(BATCH, sizeof *own), *all = allocate((size_t)size * BATCH, sizeof *all);
    double observed = location_observed(sample);
    int64_t extreme = 0, most = splits_total(sample) / size + 1;
    uint64_t split = splits.from;
    /* Region 12: weight * score twice for each observation, the second group as if it did not follow from the
       first, and much to exchange. */
    for (int64_t done = 0; done < most; done += BATCH) {
        for (int k = 0; k < BATCH; k++) {
            own[k].statistic = done + k < splits.count ? 0 : none;
            for (int v = 0; v < VARIABLES && own[k].statistic >= 0; v++) {
                const int64_t *weight = sample->weight, *score = sample->score[v];
                struct moments *groups = own[k].groups[v];
                groups[0] = groups[1] = (struct moments){0};
                for (int i = 0; i < sample->count; i++) {
                    struct moments *group = &groups[split >> i & 1];
                    group->weight += weight[i];
                    group->linear += weight[i] * score[i];
                    group->square += weight[i] * score[i] * score[i];
                }
                own[k].statistic += studentised(&groups[1], &groups[0]);
            }
            split = split_next(split);
        }
        MPI_Allgather(own, BATCH * sizeof *own, MPI_BYTE, all, BATCH * sizeof *own, MPI_BYTE, MPI_COMM_WORLD);
        for (int k = 0; k < size * BATCH; k++) {
            extreme += all[k].statistic >= observed;
        }
    }
    free(all);
    free(own);
    return extreme;
}
