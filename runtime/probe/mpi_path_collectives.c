/* The critical path's blocking collectives: one exchange of chains for each collective of the program. */
#include <stdlib.h>
#include <string.h>

#include "mpi_bytes.h"
#include "mpi_path.h"
#include "mpi_path_parts.h"
#include "mpi_request_table.h"
#include "self.h"

void aa_path_choose_longest(void *given, void *kept, int *count, MPI_Datatype *type) {
    (void)type;
    const struct aa_path *other = given;
    struct aa_path *path = kept;
    for (int i = 0; i < *count; i++) {
        uint32_t flags = (path[i].from | other[i].from) & AA_PATH_FLAGS;
        if (aa_path_is_longer(&other[i], &path[i]))
            memcpy(&path[i], &other[i], aa_path_size(&other[i]));
        path[i].from = (path[i].from & ~AA_PATH_FLAGS) | flags;
    }
}

/* Returns whether collectives are followed. Processes of another MPI_COMM_WORLD would not take part in the
 * tool's collectives. An intercommunicator has at least two members, even if each group has only one. */
bool aa_path_has_group(const struct aa_mpi_peers *peers) {
    return peers && !peers->strangers && !peers->is_left && (peers->inter || peers->count > 1);
}

/* Returns the members of a communicator; null if its collectives are not followed. */
static struct aa_mpi_peers *group_of(MPI_Comm comm) {
    struct aa_mpi_peers *peers = aa_mpi_peers_of(comm);
    if (!aa_path_has_group(peers))
        return NULL;
    aa_path_take_late();
    return peers;
}

struct aa_mpi_peers *aa_path_counted_group(MPI_Comm comm) {
    struct aa_mpi_peers *peers = group_of(comm);
    if (peers)
        aa_path_count_collective(peers->count);
    return peers;
}

/*
 * The thread of this process that is in a collective of all ranks after which chains may start again; null if
 * there is none. If two threads are in such collectives at the same time, the collectives may end in
 * different orders on different ranks, so chains start again after at most one of them. If no rank has two
 * threads in such collectives, each rank left the first collective before it began the second, in the same
 * order on all ranks.
 */
static const void *_Atomic meeting;
static _Thread_local char me AA_INITIAL_EXEC;

/* Makes the calling thread the meeting thread, unless another thread is. Returns whether the calling thread
 * is the meeting thread, perhaps still from a collective that failed. */
static bool begins_to_meet(const struct aa_mpi_peers *peers) {
    const void *nobody = NULL;
    return peers->everybody && (atomic_compare_exchange_strong(&meeting, &nobody, &me) || nobody == &me);
}

static void ends_to_meet(void) {
    if (meeting == &me)
        meeting = NULL;
}

_Atomic bool aa_path_has_begun_ahead;
static _Atomic bool is_last; /* whether the run is about to end, so that giving up the path saves nothing */

static uint32_t flags_of(enum aa_path_collective_kind kind, const struct aa_mpi_peers *peers, bool may_meet) {
    if (kind != AA_PATH_EVERYONE)
        return kind == AA_PATH_FROM_ROOT && aa_path_has_ended ? AA_PATH_TOO_MUCH : 0;
    uint32_t flags = aa_requests_are_shared() || aa_path_has_begun_ahead ? AA_PATH_AT_ONCE : 0;
    if (aa_path_has_ended)
        return flags | AA_PATH_TOO_MUCH;
    if (peers->everybody && !may_meet)
        flags |= AA_PATH_ELSEWHERE;
    return flags | (peers->everybody && !is_last && aa_path_is_too_dear() ? AA_PATH_TOO_MUCH : 0);
}

/*
 * Ends recording because it costs too much. All members learn this in the same collective. If that is a
 * collective of all ranks, all ranks end the path in this collective. If each rank has one thread that calls
 * MPI, and only blocking collectives, the tool sends nothing more. Otherwise, a collective of the tool may
 * already have begun. On each communicator, the tool's collectives therefore end once all members know. After
 * a failed collective, members may learn this in different collectives; the tool's collectives on their
 * communicator then continue.
 */
static void give_up(struct aa_mpi_peers *peers, uint32_t flags) {
    peers->is_left = !(flags & AA_PATH_IN_DOUBT);
    if (!peers->everybody)
        return;
    aa_path_end();
    aa_shard()->path_state = AA_PATH_TOO_DEAR;
    if (!(flags & (AA_PATH_AT_ONCE | AA_PATH_IN_DOUBT)))
        aa_mpi_path = false;
}

/* Called when all members have waited for each other, with the longest of their chains. */
static void meet(struct aa_mpi_peers *peers, const struct aa_path *longest, uint32_t flags) {
    if (peers->everybody && !(flags & AA_PATH_ELSEWHERE))
        aa_path_meet(longest, (longest->from & ~AA_PATH_FLAGS) == aa_path_ours.me);
    else
        aa_path_join(longest);
    if (flags & AA_PATH_TOO_MUCH && !peers->inter)
        give_up(peers, flags);
}

/* Called when some members have waited for others. All members read the root's flags: if the root has left
 * the path, they leave it on this communicator, too. */
static void join(struct aa_mpi_peers *peers, const struct aa_path *longest, uint32_t flags) {
    aa_path_join(longest);
    if (flags & AA_PATH_TOO_MUCH && !(flags & AA_PATH_IN_DOUBT) && !peers->inter)
        peers->is_left = true;
}

/* ---- exchange with messages */

static int exchange(enum aa_path_collective_kind kind, int root, struct aa_path *mine, struct aa_path *found,
                    MPI_Comm comm) {
    MPI_Datatype chain = aa_path_ours.chain;
    MPI_Op longest = aa_path_ours.longest;
    switch (kind) {
    case AA_PATH_FROM_ROOT:
        return aa_mpi.Bcast(found, 1, chain, root, comm);
    case AA_PATH_TO_ROOT:
        return aa_mpi.Reduce(mine, found, 1, chain, longest, root, comm);
    case AA_PATH_FROM_LOWER:
        return aa_mpi.Scan(mine, found, 1, chain, longest, comm);
    default:
        return aa_mpi.Allreduce(mine, found, 1, chain, longest, comm);
    }
}

/* Exchanges chains with a collective. If `waits`, adds the exchange's CPU time to the cost; the cost of
 * reading chains is added elsewhere. */
static void follow(enum aa_path_collective_kind kind, int root, struct aa_mpi_peers *peers, MPI_Comm comm,
                   bool waits) {
    struct aa_path mine, found = {0}, *given = kind == AA_PATH_FROM_ROOT ? &found : &mine;
    bool in_all = kind == AA_PATH_EVERYONE, may_meet = in_all && begins_to_meet(peers);
    if (may_meet)
        aa_path_gather_threads();
    aa_path_write(given);
    given->from |= flags_of(kind, peers, may_meet);
    uint64_t since = waits ? aa_path_start_waiting() : 0;
    int result = exchange(kind, root, &mine, &found, comm);
    if (waits)
        aa_path_count_waiting(since);
    if (result == MPI_SUCCESS && in_all)
        meet(peers, &found, found.from);
    else if (result == MPI_SUCCESS)
        join(peers, &found, found.from);
    ends_to_meet();
}

void aa_path_everyone(MPI_Comm comm) {
    struct aa_mpi_peers *peers = aa_path_counted_group(comm);
    if (peers)
        follow(AA_PATH_EVERYONE, 0, peers, comm, false);
}

void aa_path_everyone_ends(MPI_Comm comm) {
    is_last = true;
    aa_path_everyone(comm);
}

void aa_path_from_lower(MPI_Comm comm) {
    struct aa_mpi_peers *peers = aa_path_counted_group(comm);
    if (peers)
        follow(AA_PATH_FROM_LOWER, 0, peers, comm, false);
}

#define FEW 2 /* memory is shared after this many collectives, because sharing requires as many */

static void follow_by_messages(enum aa_path_collective_kind kind, int root, struct aa_mpi_peers *peers,
                               MPI_Comm comm) {
    follow(kind, root, peers, comm, true);
    if (!peers->is_left && ++peers->collectives == FEW) {
        uint64_t since = aa_path_start_waiting();
        aa_path_share(peers, comm);
        aa_path_count_waiting(since);
    }
    aa_shard()->path_messages++;
}

/* ---- exchange with slots */

void aa_path_enters(enum aa_path_collective_kind kind, int root, MPI_Comm comm) {
    const struct aa_mpi_peers *peers = aa_mpi_peers_of(comm);
    if (!peers || !peers->slots || peers->is_left)
        return;
    uint64_t start = aa_path_effort_begins();
    bool may_meet = kind == AA_PATH_EVERYONE && begins_to_meet(peers);
    if (may_meet)
        aa_path_gather_threads();
    aa_path_put(peers->slots, kind != AA_PATH_FROM_ROOT || root == aa_path_my_place(peers->slots),
                flags_of(kind, peers, may_meet));
    aa_path_effort_ends(start + aa_path_waited_in(peers->slots), 1);
}

static void follow_by_slots(enum aa_path_collective_kind kind, int root, struct aa_mpi_peers *peers) {
    int me = aa_path_my_place(peers->slots), from = 0, to = peers->count;
    uint32_t flags = 0;
    uint64_t start = aa_path_effort_begins();
    if (kind == AA_PATH_FROM_ROOT)
        from = root, to = root + 1;
    else if (kind == AA_PATH_TO_ROOT && root != me)
        to = 0;
    else if (kind == AA_PATH_FROM_LOWER)
        to = me;
    const struct aa_path *longest = aa_path_take(peers->slots, from, to, &flags);
    if (longest && kind == AA_PATH_EVERYONE)
        meet(peers, longest, flags);
    else if (longest)
        join(peers, longest, flags);
    aa_path_taken_slots(peers->slots, kind == AA_PATH_EVERYONE);
    ends_to_meet();
    aa_path_effort_ends(start + aa_path_waited_in(peers->slots), 1);
    aa_path_count_slots();
}

void aa_path_leaves(enum aa_path_collective_kind kind, int root, MPI_Comm comm) {
    struct aa_mpi_peers *peers = group_of(comm);
    if (peers && peers->slots)
        follow_by_slots(kind, root, peers);
    else if (peers)
        follow_by_messages(kind, root, peers, comm);
}

/* Called even by ranks without sources, because they may send to a rank that waits for them. */
void aa_path_from_neighbours(MPI_Comm comm) {
    struct aa_path mine, *found;
    int places = aa_neighbour_places(comm);
    if (!aa_path_has_group(aa_mpi_peers_of(comm)) || !(found = calloc((size_t)places + 1, sizeof *found)))
        return;
    aa_path_write(&mine);
    uint64_t since = aa_path_start_waiting();
    int result = aa_mpi.Neighbor_allgather(&mine, 1, aa_path_ours.chain, found, 1, aa_path_ours.chain, comm);
    aa_path_count_waiting(since);
    for (int i = 0; i < places && result == MPI_SUCCESS; i++)
        aa_path_join(&found[i]);
    free(found);
    aa_shard()->path_messages++;
}
