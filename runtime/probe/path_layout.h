/* The layout of chains of work in the shard and in messages; see path.h. */
#ifndef AA_PATH_LAYOUT_H
#define AA_PATH_LAYOUT_H

#include <stdint.h>

/*
 * A part of a chain of work: the work in one node of a rank, and the number of visits in which it was done;
 * or, for a delay, the part of a rank's waiting that the node caused. An entry with node 0 is unknown work
 * or, if its work is 0, a reference: the chain continues backwards in segment `what` of this rank.
 */
struct aa_path_entry {
    uint32_t rank, node; /* the node's offset in the rank's file, divided by 64 */
    uint32_t what; /* the call path's number, the same in all ranks; for a delay, the waiting node's offset */
    uint32_t visits; /* UINT32_MAX stands for this number or more */
    double work;
};

/* number of entries in a message: 1,000 bytes, because Open MPI is fastest up to 1 KiB */
#define AA_PATH_ENTRIES 40

/* The longest chain of work that leads to a thread's position. Each of our messages contains a chain. */
struct aa_path {
    double length; /* nanoseconds of CPU time, or instructions */
    double base; /* the part of the length up to the last meeting of all ranks, which is not in the entries */
    /* the rank and segment in which the chain continues backwards; if the segment is 0, earlier work is
     * only in the ranks' totals */
    uint32_t rank, segment;
    uint32_t count, from; /* the number of entries; the rank whose thread is at this position */
    struct aa_path_entry entries[AA_PATH_ENTRIES];
};

enum aa_path_left_out {
    AA_PATH_LOCKS = 1,       /* locks of windows */
    AA_PATH_PARTITIONED = 2, /* partitioned messages */
    AA_PATH_STRANGERS = 4    /* communicators with processes of another MPI_COMM_WORLD */
};

enum aa_path_kind {
    AA_PATH_CHAIN, /* the current chain of a thread */
    /* a part of a chain that was left behind, with its `number`; it continues in `rank` and `segment` */
    AA_PATH_SEGMENT,
    AA_PATH_TOTAL,        /* the part of the critical path up to the last meeting of all ranks */
    AA_PATH_DELAY,        /* causes of the process's waiting, for waits that a collective ended */
    AA_PATH_TEAM,         /* the work of the slowest member of each of the process's teams of threads */
    AA_PATH_MESSAGE_DELAY /* causes of the process's waiting, for waits that a message ended */
};

#endif
