/*
 * Declarations shared by the files for the critical path's messages. Each file calls only the files listed
 * before it: the tool's own communicator, and the cost of messages (mpi_path_ours.c); chains sent to another
 * process (mpi_path_parcels.c); answers to synchronous sends (mpi_path_answers.c); point-to-point messages
 * (mpi_path_messages.c); shared memory (mpi_path_slots.c); collectives (mpi_path_collectives.c,
 * mpi_path_nonblocking.c, mpi_path_persistent.c); windows (mpi_path_windows.c); start and end (mpi_path.c).
 */
#ifndef AA_MPI_PATH_PARTS_H
#define AA_MPI_PATH_PARTS_H

#include "mpi_peers.h"
#include "path.h"

/* Flags in the bits above a rank. */
#define AA_PATH_TOO_MUCH (1u << 31)  /* on this rank, recording the path costs too much */
#define AA_PATH_AT_ONCE (1u << 30)   /* several threads or collectives of this rank may be active at once */
#define AA_PATH_ELSEWHERE (1u << 29) /* another thread of this rank is in a collective of all ranks, too */
#define AA_PATH_IN_DOUBT (1u << 28)  /* the members may not all see the flags in the same collective */
#define AA_PATH_FLAGS (AA_PATH_TOO_MUCH | AA_PATH_AT_ONCE | AA_PATH_ELSEWHERE)

/* flag in a message, above the number of the question: send an answer */
#define AA_PATH_ASKS (1u << 31)
#define AA_PATH_TAGS 0x4000    /* tags for messages: half of the tags that every library has */
#define AA_PATH_ANSWERS 0x3fff /* tags for answers, after those for messages */

/* The maximum number of communicators of the tool in a process, and of the program's communicators with
 * slots. This many slots take 17 MB. MPI libraries allow a few thousand communicators in all. */
#define AA_PATH_MOST_OF_ONE_KIND 256

struct aa_path_ours {
    MPI_Comm comm; /* for chains sent between two processes */
    MPI_Datatype chain;
    MPI_Op longest, sum; /* the longest of several chains; the sum of their lengths */
    uint32_t me;
};

extern struct aa_path_ours aa_path_ours;

/* Writes the calling thread's chain in the form in which it is sent. */
void aa_path_write(struct aa_path *path);

/* Serialise threads if they may call MPI at the same time. */
void aa_path_lock(void);
void aa_path_unlock(void);

/* Add the cost of a sent or received chain, or of a collective that exchanges chains. */
void aa_path_count_message(void);
void aa_path_count_collective(int members);

/* The first function returns the start of a call in which the tool waits for other processes. The second adds
 * the CPU time since then to the cost. The third updates the cost after a collective with shared memory. */
uint64_t aa_path_start_waiting(void);
void aa_path_count_waiting(uint64_t since);
void aa_path_count_slots(void);

/* The first function measures the cost of a message, with messages from the process to itself. The second
 * starts to compare the total cost with the limit, if there is a limit. */
void aa_path_find_price(void (*exchange)(void));
void aa_path_begins(bool limited);

/* Returns whether the cost of recording has exceeded the share of the run that measuring may take. */
bool aa_path_is_too_dear(void);

void aa_path_exchange_with_oneself(void);

/* Send the calling thread's chain on a communicator of the tool; receive a chain that was sent before. */
void aa_path_send_on(MPI_Comm comm, int peer, int tag);
void aa_path_receive_on(MPI_Comm comm, int peer, int tag);

/* The number of chains that this process has sent to other processes, minus those that it has received. */
extern _Atomic int64_t aa_path_on_the_way;
void aa_path_took(MPI_Comm comm);

/* Called when all ranks have reached the end: receives the remaining chains, because MPI libraries report
 * messages that were not received. */
void aa_path_take_rest(void);

/* An MPI_User_function that adds the lengths of chains. */
void aa_path_add_lengths(void *given, void *kept, int *count, MPI_Datatype *type);

/* Sends a chain to another process, with the number of a question, or 0 if there is none. If `chain` is null,
 * sends the calling thread's chain. aa_path_tag_of returns the tag of the chain that accompanies a message
 * with this tag. */
void aa_path_send_parcel(MPI_Comm comm, int peer, int tag, const struct aa_path *chain, uint32_t question);
int aa_path_tag_of(const struct aa_mpi_peers *peers, int tag);

/* Late answers arrive only after their send is complete. The first function joins the late answers that have
 * arrived by now. The second, at the end, gives up all others. */
void aa_path_take_late(void);
void aa_path_end_answers(void);

/* Whether a chain that was sent has not arrived. Recording continues, because the other ranks continue it,
 * but this rank no longer waits for chains. aa_path_miss records this. */
extern _Atomic bool aa_path_has_missed;
void aa_path_miss(void);

/* Returns whether a wait takes too long. `end`: the time limit; must be 0 at the first call, which sets
 * it. */
bool aa_path_is_over(uint64_t *end);

/* Return whether a chain has arrived. The first function does not wait; the second waits for the chain, which
 * was sent before the program's message. */
bool aa_path_is_here(MPI_Request *request);
bool aa_path_await(MPI_Request *request);

/* Cancels the receive of a chain; returns false if the chain has arrived after all. */
bool aa_path_cancel(MPI_Request *request);

/* Returns whether a collective of the tool that all members have begun completes in time. */
bool aa_path_comes(MPI_Request *request);

/* A collective of the tool in progress: the chain that this process contributes, and the chains that it
 * receives. */
struct aa_path_collective {
    struct aa_path_collective *next;
    MPI_Comm comm;
    MPI_Request request;
    bool is_active,
        is_lost; /* a persistent collective that did not complete in time, so it is not started again */
    int members, places; /* number of members; number of chains that this process receives */
    struct aa_path mine, found[];
};

/* The first function returns a new collective; null if there is not enough memory. The second returns the
 * collective, or, if MPI could not begin it, frees it and returns null. The third joins the chains that were
 * received. */
struct aa_path_collective *aa_path_new_collective(MPI_Comm comm, int members, int places);
struct aa_path_collective *aa_path_keep_collective(struct aa_path_collective *collective, int result);
void aa_path_join_collective(const struct aa_path_collective *collective);

static inline bool aa_path_is_longer(const struct aa_path *one, const struct aa_path *other) {
    if (one->length != other->length)
        return one->length > other->length;
    return (one->from & ~AA_PATH_FLAGS) < (other->from & ~AA_PATH_FLAGS);
}

/* Creates slots for all members, if they share memory; all members call this. */
void aa_path_share(struct aa_mpi_peers *peers, MPI_Comm comm);
void aa_path_end_slots(struct aa_path_slots *slots);

/* Return the calling process's rank among the members, and the ticks for which it waited for other members in
 * the latest call of aa_path_put or aa_path_take. */
int aa_path_my_place(const struct aa_path_slots *slots);
uint64_t aa_path_waited_in(const struct aa_path_slots *slots);

/* aa_path_put, before a collective, writes the thread's chain, with flags, to a slot if other members need
 * it. aa_path_take, after the collective, returns the longest chain of the members `from` to `to`.
 * aa_path_taken_slots ends the use of the slots. */
void aa_path_put(struct aa_path_slots *slots, bool gives, uint32_t flags);
const struct aa_path *aa_path_take(struct aa_path_slots *slots, int from, int to, uint32_t *flags);
void aa_path_taken_slots(struct aa_path_slots *slots, bool all_wait_for_all);

/* Return whether the path follows collectives among these processes; and the members of a communicator, or
 * null if its collectives are not followed. The second function adds the price of a collective to the cost.
 */
bool aa_path_has_group(const struct aa_mpi_peers *peers);
struct aa_mpi_peers *aa_path_counted_group(MPI_Comm comm);

/* Whether the program has begun a non-blocking collective, or prepared a persistent one. Some ranks may begin
 * such collectives on other communicators before the path ends, and other ranks afterwards. */
extern _Atomic bool aa_path_has_begun_ahead;

/* An MPI_User_function that keeps the longer of two chains. */
void aa_path_choose_longest(void *given, void *kept, int *count, MPI_Datatype *type);

/* Waits for the tool's collectives in progress. */
void aa_path_end_collectives(void);

#endif
