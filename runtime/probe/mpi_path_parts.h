/*
 * What the parts of the critical path's messages share, each of which calls those before it: what is ours,
 * and its price (mpi_path_ours.c), what goes from one process to another (mpi_path_parcels.c), answers to
 * synchronous sends (mpi_path_answers.c), messages beside the program's (mpi_path_messages.c), memory that
 * processes share (mpi_path_slots.c), collectives (mpi_path_collectives.c, mpi_path_persistent.c), windows
 * (mpi_path_windows.c), begin and end (mpi_path.c).
 */
#ifndef AA_MPI_PATH_PARTS_H
#define AA_MPI_PATH_PARTS_H

#include "mpi_peers.h"
#include "path.h"

#define AA_PATH_TOO_MUCH (1u << 31)  /* beside a rank: it holds that messages of ours take too long */
#define AA_PATH_AT_ONCE (1u << 30)   /* beside a rank: its threads may call MPI at the same time */
#define AA_PATH_ELSEWHERE (1u << 29) /* beside a rank: another of its threads meets all meanwhile */
#define AA_PATH_IN_DOUBT (1u << 28)  /* beside these: whether all see them in the same collective */
#define AA_PATH_FLAGS (AA_PATH_TOO_MUCH | AA_PATH_AT_ONCE | AA_PATH_ELSEWHERE)

#define AA_PATH_ASKS                                                                                         \
    (1u << 31)                 /* in a message, in place of a rank, beside a number: it is to be answered    \
                                */
#define AA_PATH_TAGS 0x4000    /* of messages; half of those that every library has */
#define AA_PATH_ANSWERS 0x3fff /* whose tags follow */

/* A process has so many communicators of ours, and so many of the program's with slots, which take 17 MB
 * then; libraries have some thousand communicators in all. */
#define AA_PATH_MOST_OF_ONE_KIND 256

struct aa_path_ours {
    MPI_Comm comm; /* for what goes between two */
    MPI_Datatype chain;
    MPI_Op longest;
    uint32_t me;
};

extern struct aa_path_ours aa_path_ours;

/* The calling thread's chain, to be sent. */
void aa_path_write(struct aa_path *path);

/* Threads that may call MPI at the same time are serialised. */
void aa_path_lock(void);
void aa_path_unlock(void);

/* A message of ours is sent, or received; a collective of ours takes as long as some of these. */
void aa_path_count_message(void);
void aa_path_count_collective(int members);

/* What a call of ours takes that waits for others, since the time of the thread on a processor that its start
 * gives; a collective without messages. */
uint64_t aa_path_start_waiting(void);
void aa_path_count_waiting(uint64_t since);
void aa_path_count_slots(void);

/* What they cost, by one to oneself; and what they cost counts from now on, against a limit or none. */
void aa_path_find_price(void (*exchange)(void));
void aa_path_begins(bool limited);

/* Whether they took more of the run than measuring may. */
bool aa_path_is_too_dear(void);

void aa_path_exchange_with_oneself(void);

/* A message of ours on a communicator of ours is sent; is received, and was sent before. */
void aa_path_send_on(MPI_Comm comm, int peer, int tag);
void aa_path_receive_on(MPI_Comm comm, int peer, int tag);

/* All are at the end: what nobody has received is, as libraries say that it was not. */
void aa_path_take_rest(void);

/* A chain goes to another process, null: the calling thread's, with a question; 0: it has none. */
void aa_path_send_parcel(MPI_Comm comm, int peer, int tag, const struct aa_path *chain, uint32_t question);
int aa_path_tag_of(const struct aa_mpi_peers *peers, int tag);

/* Answers that were not there when the send was complete: those that are here now; all others are left. */
void aa_path_take_late(void);
void aa_path_end_answers(void);

/* One that was sent did not come; as all others go on, so does the rest. */
extern bool aa_path_has_missed;
void aa_path_miss(void);

/* Whether a wait takes longer than any should; it ends there, which is 0 at first. */
bool aa_path_is_over(uint64_t *end);

/* Whether one that is being received is here, without waiting; the same of one that was sent before, which is
 * waited for. */
bool aa_path_is_here(MPI_Request *request);
bool aa_path_await(MPI_Request *request);

/* Whether a collective of ours that all have begun completes in time. */
bool aa_path_comes(MPI_Request *request);

/* A collective of ours that goes on: what goes into it, and what comes out of so many places. */
struct aa_path_collective {
    struct aa_path_collective *next;
    MPI_Comm comm;
    MPI_Request request;
    bool is_active,
        is_lost;         /* of a persistent one; lost: it did not complete in time, and is started no more */
    int members, places; /* who take part; from which a chain comes */
    struct aa_path mine, found[];
};

/* Null: there is no memory. It is kept if it has begun. It is complete, and may be begun again. */
struct aa_path_collective *aa_path_new_collective(MPI_Comm comm, int members, int places);
struct aa_path_collective *aa_path_keep_collective(struct aa_path_collective *collective, int result);
void aa_path_join_collective(const struct aa_path_collective *collective);

static inline bool aa_path_is_longer(const struct aa_path *one, const struct aa_path *other) {
    if (one->length != other->length)
        return one->length > other->length;
    return (one->from & ~AA_PATH_FLAGS) < (other->from & ~AA_PATH_FLAGS);
}

/* All members make slots, if they share memory. */
void aa_path_share(struct aa_mpi_peers *peers, MPI_Comm comm);
void aa_path_end_slots(struct aa_path_slots *slots);

/* The calling process's rank among the members; the ticks that it waited for others in the latest call of
 * aa_path_put or aa_path_take. */
int aa_path_my_place(const struct aa_path_slots *slots);
uint64_t aa_path_waited_in(const struct aa_path_slots *slots);

/* A collective is about to begin: the thread's chain, with flags, goes into a slot if the member gives it.
 * It is over: the longest chain of these members; and that was all. */
void aa_path_put(struct aa_path_slots *slots, bool gives, uint32_t flags);
const struct aa_path *aa_path_take(struct aa_path_slots *slots, int from, int to, uint32_t *flags);
void aa_path_taken_slots(struct aa_path_slots *slots, bool all_wait_for_all);

/* Whether collectives among these are followed. */
bool aa_path_has_group(const struct aa_mpi_peers *peers);

/* An MPI_User_function. */
void aa_path_choose_longest(void *given, void *kept, int *count, MPI_Datatype *type);

/* Wait for our operations in progress. */
void aa_path_end_collectives(void);

#endif
