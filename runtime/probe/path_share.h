/* A share: a thread's work since the last reading, by node. */
#ifndef AA_PATH_SHARE_H
#define AA_PATH_SHARE_H

#include "path_sums.h"

/* Zeroed memory is an empty share. Its memory grows as needed, and is kept when the share is cleared. */
struct aa_path_share {
    double work;
    uint32_t count, capacity;
    struct aa_path_share_part {
        uint32_t node, what;
        uint64_t visits;
        double work;
    } * parts;
};

void aa_path_share_clear(struct aa_path_share *share);
void aa_path_share_swap(struct aa_path_share *one, struct aa_path_share *other);

/* Adds the work of a node to the share `to`; to its last node if there is no memory. Has the type
 * aa_work_told. */
void aa_path_share_add(void *to, uint32_t node, uint32_t what, uint64_t visits, double work);

/* Adds a part of the share, from 0 to 1, to a chain of this process. */
void aa_path_share_lengthen(const struct aa_path_share *share, double part, struct aa_path *path);

/* Adds a part of the share to the work of the process's teams. */
void aa_path_share_of_team(const struct aa_path_share *share, double part);

#endif
