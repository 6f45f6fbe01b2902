/*
 * The categories of a call path's time: its own code, file I/O, waiting in OpenMP, and the kinds of MPI
 * calls. They do not overlap. runtime/gather/shard_layout.py lists the kinds of MPI calls in the same
 * order.
 */
#ifndef AA_SHARE_H
#define AA_SHARE_H

enum aa_share {
    AA_OWN,
    AA_IO,
    AA_OMP,
    AA_MPI, /* the first kind of MPI calls; the others follow */
    AA_MPI_START_END = AA_MPI,
    AA_MPI_BARRIER,
    AA_MPI_ALL_TO_ALL,
    AA_MPI_COLLECTIVE, /* any other collective */
    AA_MPI_SEND,
    AA_MPI_RECEIVE,
    AA_MPI_SEND_RECEIVE, /* sends and receives in one call */
    AA_MPI_REQUEST,
    AA_MPI_ONE_SIDED,
    AA_MPI_OTHER,
    AA_MPI_WAIT, /* waiting for late ranks, in our own barrier: see mpi_split.h */
    AA_SHARES
};

/*
 * Flags that are combined with a share: the MPI or OpenMP library is running, so the instructions are not the
 * node's own.
 */
#define AA_IN_MPI 0x100u
#define AA_IN_OMP 0x200u

#endif
