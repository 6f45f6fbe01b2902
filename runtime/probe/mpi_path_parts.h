/*
 * What the parts of the critical path's messages share: those between two processes (mpi_path_messages.c),
 * answers to synchronous sends (mpi_path_answers.c), collectives (mpi_path_collectives.c), and begin, end and
 * price (mpi_path.c).
 */
#ifndef AA_MPI_PATH_PARTS_H
#define AA_MPI_PATH_PARTS_H

#include "mpi_peers.h"
#include "path.h"

#define AA_PATH_TOO_MUCH (1u << 31) /* beside a rank: it holds that messages of ours take too long */

#define AA_PATH_ASKS                                                                                         \
    (1u << 31)                 /* in a message, in place of a rank, beside a number: it is to be answered    \
                                */
#define AA_PATH_TAGS 0x4000    /* of messages; half of those that every library has */
#define AA_PATH_ANSWERS 0x3fff /* whose tags follow */

struct aa_path_ours {
    MPI_Comm comm; /* for what goes between two */
    MPI_Datatype chain;
    MPI_Op longest;
    uint32_t me;
};

extern struct aa_path_ours aa_path_ours;

/* The calling thread's chain, to be sent. */
void aa_path_write(struct aa_path *path);

/* Threads that may call MPI at once take turns. */
void aa_path_lock(void);
void aa_path_unlock(void);

/* A message of ours is sent, or received; a collective of ours takes as long as some of these. */
void aa_path_count_message(void);
void aa_path_count_collective(int members);

/* Whether they took more of the run than measuring may. */
bool aa_path_is_too_dear(void);

void aa_path_exchange_with_oneself(void);

/* A message of ours on a communicator of ours is sent; is received, and was sent before. */
void aa_path_send_on(MPI_Comm comm, int peer, int tag);
void aa_path_receive_on(MPI_Comm comm, int peer, int tag);

/* A message of ours asks, by a number. */
void aa_path_send_asking(int peer, int tag, uint32_t question);
int aa_path_tag_of(const struct aa_mpi_peers *peers, int tag);

/* One is received, and answered by the chain with which the program's receive began; null: the present one.
 */
void aa_path_receive_among(const struct aa_mpi_peers *peers, int source, int tag,
                           const struct aa_path *begun);

/* Answers that were not there when the send was complete: those that are here now; all others are left. */
void aa_path_take_late(void);
void aa_path_end_answers(void);

/* Whether one that is being received is here, without waiting; the same of one that was sent before, which is
 * waited for. */
bool aa_path_is_here(MPI_Request *request);
bool aa_path_await(MPI_Request *request);

/* Whether a collective of ours that all have begun completes in time. */
bool aa_path_comes(MPI_Request *request);

/* Whether collectives among these are followed. */
bool aa_path_has_group(const struct aa_mpi_peers *peers);

/* An MPI_User_function. */
void aa_path_choose_longest(void *given, void *kept, int *count, MPI_Datatype *type);

/* What of ours still goes on is waited for. */
void aa_path_end_collectives(void);

#endif
