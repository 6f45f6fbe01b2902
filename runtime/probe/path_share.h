/* A share: a thread's work since its last look, by node. */
#ifndef AA_PATH_SHARE_H
#define AA_PATH_SHARE_H

#include "path_sums.h"

/* maximum number of nodes in a share; all others are added to the last, without visits */
#define AA_PATH_SHARE_NODES 64

struct aa_path_share {
    double work;
    uint32_t count;
    struct {
        uint32_t node, what;
        uint64_t visits;
        double work;
    } parts[AA_PATH_SHARE_NODES];
};

/* Adds the work of a node to the share `to`. Has the type aa_work_told. */
void aa_path_share_add(void *to, uint32_t node, uint32_t what, uint64_t visits, double work);

/* Adds a part of the share, from 0 to 1, to a chain of this process. */
void aa_path_share_lengthen(const struct aa_path_share *share, double part, struct aa_path *path);

/* Adds a part of the share to the work of the process's teams. */
void aa_path_share_of_team(const struct aa_path_share *share, double part);

#endif
