#define _GNU_SOURCE
#include "mpi_path.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "meeting.h"
#include "mpi_bytes.h"
#include "mpi_request_table.h"
#include "path.h"
#include "self.h"
#include "throttle.h"

#define TAGS 0x7fff   /* the largest that every library has */
#define IN_A_BLOCK 64 /* messages */
#define LOOKED_AT 4   /* for one that has gone, before a block is added */
#define PATIENCE 1e9  /* nanoseconds in which a message of ours comes that was sent before the program's */
#define SOONEST 1e8   /* nanoseconds after which the price is judged */
#define TOO_DEAR (1u << 31) /* beside a rank: it holds that this takes too long */

bool aa_mpi_path;

static MPI_Comm ours;
static MPI_Datatype chain;
static MPI_Op longest;
static uint32_t me;
static uint64_t began;
static bool is_limited; /* to the share that measuring may take */
static bool receives;   /* what is sent to it; as all others go on, so does the rest */

/*
 * What messages have cost: each what one takes from a process to itself, all in all, as what those between
 * processes take on a busy machine is a wait for others or for a processor. A collective is as many as the
 * logarithm of its members says.
 */
#define ROUNDS 5
#define IN_A_ROUND 100

static double price; /* ticks of a message that is sent and received */
static _Atomic uint64_t sent, received;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- messages on their way */

struct parcel {
    MPI_Request request;
    bool is_sent;
    struct aa_path path;
};

static struct block {
    struct block *next;
    struct parcel parcels[IN_A_BLOCK];
} * blocks;

static struct block *at_block;
static int at;

static bool is_free(struct parcel *parcel) {
    int gone = 1;
    if (parcel->is_sent && aa_mpi.Test(&parcel->request, &gone, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        gone = 0;
    parcel->is_sent = !gone;
    return gone;
}

static struct parcel *step(void) {
    if (++at == IN_A_BLOCK) {
        at = 0;
        at_block = at_block->next ? at_block->next : blocks;
    }
    return &at_block->parcels[at];
}

static struct parcel *new_block(void) {
    struct block *block = calloc(1, sizeof *block);
    if (block) {
        block->next = blocks;
        blocks = at_block = block;
        at = 0;
    }
    return block ? &block->parcels[0] : NULL;
}

static struct parcel *free_parcel(void) {
    for (int i = 0; at_block && i < LOOKED_AT; i++) {
        struct parcel *parcel = step();
        if (is_free(parcel))
            return parcel;
    }
    return new_block();
}

static void enter(void) {
    if (aa_requests_are_shared())
        pthread_mutex_lock(&lock);
}

static void leave(void) {
    if (aa_requests_are_shared())
        pthread_mutex_unlock(&lock);
}

static int tag_of(const struct aa_mpi_peers *peers, int tag) {
    uint32_t mixed = (uint32_t)tag ^ (uint32_t)tag >> 15 ^ peers->salt * 0x9e37u;
    return (int)(mixed & TAGS);
}

static void set_here(struct aa_path *path) {
    const struct aa_path *here = aa_path_here();
    if (here)
        memcpy(path, here, aa_path_size(here));
    else
        *path = (struct aa_path){0};
    path->from = me;
}

static uint64_t spent(void) {
    return (uint64_t)(price * (double)(sent + received) / 2);
}

void aa_path_send_among(const struct aa_mpi_peers *peers, int dest, int tag) {
    int peer = aa_mpi_peer(peers, dest);
    if (peer < 0)
        return;
    enter();
    struct parcel *parcel = free_parcel();
    if (parcel) {
        set_here(&parcel->path);
        parcel->is_sent = aa_mpi.Isend(&parcel->path, (int)aa_path_size(&parcel->path), aa_mpi.byte, peer,
                                       tag_of(peers, tag), ours, &parcel->request) == MPI_SUCCESS;
    }
    leave();
    sent++;
    aa_shard()->path_messages++;
}

/* It was sent before a message that is here; but should it not come, nobody waits for it for ever. */
static bool take(struct aa_path *path, int peer, int tag) {
    MPI_Request request;
    int came = 0;
    if (aa_mpi.Irecv(path, (int)sizeof *path, aa_mpi.byte, peer, tag, ours, &request) != MPI_SUCCESS)
        return false;
    uint64_t end = 0;
    while (aa_mpi.Test(&request, &came, MPI_STATUS_IGNORE) == MPI_SUCCESS && !came) {
        uint64_t now = aa_clock_ticks();
        end = end ? end : now + (uint64_t)(PATIENCE * aa_clock_rate());
        if (now > end) {
            aa_mpi.Cancel(&request);
            aa_mpi.Wait(&request, MPI_STATUS_IGNORE);
            return false;
        }
    }
    return came;
}

static void stop_receiving(void) {
    receives = false;
    aa_shard()->path_state = AA_PATH_MISSED;
}

void aa_path_received_among(const struct aa_mpi_peers *peers, int source, int tag) {
    int peer = aa_mpi_peer(peers, source);
    struct aa_path path;
    if (peer < 0 || !receives)
        return;
    if (take(&path, peer, tag_of(peers, tag)))
        aa_path_join(&path);
    else
        stop_receiving();
    received++;
    aa_shard()->path_messages++;
}

/* ---- collectives */

static bool is_longer(const struct aa_path *one, const struct aa_path *other) {
    if (one->length != other->length)
        return one->length > other->length;
    return (one->from & ~TOO_DEAR) < (other->from & ~TOO_DEAR);
}

static void choose_longest(void *given, void *kept, int *count, MPI_Datatype *type) {
    (void)type;
    const struct aa_path *other = given;
    struct aa_path *path = kept;
    for (int i = 0; i < *count; i++) {
        uint32_t dear = (path[i].from | other[i].from) & TOO_DEAR;
        if (is_longer(&other[i], &path[i]))
            memcpy(&path[i], &other[i], aa_path_size(&other[i]));
        path[i].from = (path[i].from & ~TOO_DEAR) | dear;
    }
}

static bool is_too_dear(void) {
    uint64_t passed = aa_clock_ticks() - began;
    double allowed = aa_throttle_share();
    if (!is_limited || allowed <= 0 || (double)passed < SOONEST * aa_clock_rate())
        return false;
    return (double)spent() > allowed * (double)passed;
}

static void pay_for_collective(int members) {
    for (; members > 1; members = (members + 1) / 2) {
        sent++;
        received++;
    }
    aa_shard()->path_messages++;
}

/* Not those of an intercommunicator, nor those with processes of another MPI_COMM_WORLD: they would not join
 * in ours. */
static bool are_followed(const struct aa_mpi_peers *peers) {
    return peers && !peers->inter && !peers->strangers && peers->count > 1;
}

/* Null: there is nothing to be told, or nobody to tell. */
static const struct aa_mpi_peers *group_of(MPI_Comm comm) {
    const struct aa_mpi_peers *peers = aa_mpi_peers_of(comm);
    if (!are_followed(peers))
        return NULL;
    pay_for_collective(peers->count);
    return peers;
}

void aa_path_everyone(MPI_Comm comm) {
    const struct aa_mpi_peers *peers = group_of(comm);
    struct aa_path mine, found;
    if (!peers)
        return;
    if (peers->everybody)
        aa_path_gather_threads();
    set_here(&mine);
    mine.from |= peers->everybody && is_too_dear() ? TOO_DEAR : 0;
    if (aa_mpi.Allreduce(&mine, &found, 1, chain, longest, comm) != MPI_SUCCESS)
        return;
    bool dear = found.from & TOO_DEAR;
    found.from &= ~TOO_DEAR;
    if (peers->everybody)
        aa_path_meet(&found, found.from == me);
    else
        aa_path_join(&found);
    if (dear) {
        aa_mpi_path = false;
        aa_shard()->path_state = AA_PATH_TOO_DEAR;
    }
}

void aa_path_from_root(int root, MPI_Comm comm) {
    struct aa_path path;
    if (!group_of(comm))
        return;
    set_here(&path);
    if (aa_mpi.Bcast(&path, 1, chain, root, comm) == MPI_SUCCESS)
        aa_path_join(&path);
}

void aa_path_to_root(int root, MPI_Comm comm) {
    struct aa_path mine, found = {0};
    if (!group_of(comm))
        return;
    set_here(&mine);
    if (aa_mpi.Reduce(&mine, &found, 1, chain, longest, root, comm) == MPI_SUCCESS)
        aa_path_join(&found);
}

void aa_path_from_lower(MPI_Comm comm) {
    struct aa_path mine, found = {0};
    if (!group_of(comm))
        return;
    set_here(&mine);
    if (aa_mpi.Scan(&mine, &found, 1, chain, longest, comm) == MPI_SUCCESS)
        aa_path_join(&found);
}

/* Who receives from nobody may still send to somebody, who waits for that. */
void aa_path_from_neighbours(MPI_Comm comm) {
    struct aa_path mine, *found;
    int places = aa_neighbour_places(comm);
    if (!are_followed(aa_mpi_peers_of(comm)) || !(found = calloc((size_t)places + 1, sizeof *found)))
        return;
    set_here(&mine);
    if (aa_mpi.Neighbor_allgather(&mine, 1, chain, found, 1, chain, comm) == MPI_SUCCESS) {
        for (int i = 0; i < places; i++)
            aa_path_join(&found[i]);
    }
    free(found);
    pay_for_collective(places + 1);
}

/* ---- collectives that go on meanwhile */

struct begun {
    struct begun *next;
    MPI_Comm comm;
    MPI_Request request;
    struct aa_path mine, found;
};

static struct begun *overdue; /* complete for the program, and not yet for us: nobody waits for that */

static struct begun *begin(MPI_Comm comm) {
    struct begun *begun = group_of(comm) ? calloc(1, sizeof *begun) : NULL;
    if (begun) {
        begun->comm = comm;
        set_here(&begun->mine);
    }
    return begun;
}

static void *has_begun(struct begun *begun, int result) {
    if (result == MPI_SUCCESS)
        return begun;
    free(begun);
    return NULL;
}

void *aa_path_begin_everyone(MPI_Comm comm) {
    struct begun *it = begin(comm);
    return it ? has_begun(it, aa_mpi.Iallreduce(&it->mine, &it->found, 1, chain, longest, comm, &it->request))
              : NULL;
}

void *aa_path_begin_from_root(int root, MPI_Comm comm) {
    struct begun *it = begin(comm);
    if (it)
        it->found = it->mine;
    return it ? has_begun(it, aa_mpi.Ibcast(&it->found, 1, chain, root, comm, &it->request)) : NULL;
}

void *aa_path_begin_to_root(int root, MPI_Comm comm) {
    struct begun *it = begin(comm);
    return it ? has_begun(it,
                          aa_mpi.Ireduce(&it->mine, &it->found, 1, chain, longest, root, comm, &it->request))
              : NULL;
}

void *aa_path_begin_from_lower(MPI_Comm comm) {
    struct begun *it = begin(comm);
    return it ? has_begun(it, aa_mpi.Iscan(&it->mine, &it->found, 1, chain, longest, comm, &it->request))
              : NULL;
}

static void end(struct begun *begun) {
    begun->found.from &= ~TOO_DEAR;
    aa_path_join(&begun->found);
    free(begun);
}

static bool is_complete(struct begun *begun) {
    int complete = 0;
    if (aa_mpi.Test(&begun->request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS || !complete)
        return false;
    end(begun);
    return true;
}

/* All members wait here, and for nothing else. */
static void end_overdue(MPI_Comm comm, bool in_all) {
    struct begun **place = &overdue;
    enter();
    while (*place) {
        struct begun *begun = *place;
        if (!in_all && begun->comm != comm) {
            place = &begun->next;
            continue;
        }
        *place = begun->next;
        aa_mpi.Wait(&begun->request, MPI_STATUS_IGNORE);
        end(begun);
    }
    leave();
}

void aa_path_leave(MPI_Comm comm) {
    end_overdue(comm, false);
}

void aa_path_complete(void *collective) {
    struct begun *begun = collective, *others;
    enter();
    begun->next = overdue;
    others = begun;
    overdue = NULL;
    while (others) {
        struct begun *next = others->next;
        if (!is_complete(others)) {
            others->next = overdue;
            overdue = others;
        }
        others = next;
    }
    leave();
}

/* ---- messages that were matched before they are received */

static _Thread_local const struct aa_mpi_peers *matched AA_INITIAL_EXEC;

void aa_path_matched(uint64_t message, MPI_Comm comm) {
    aa_requests_add((struct aa_request){.handle = ~message, .peers = aa_path_peers(comm)});
}

void aa_path_take_matched(uint64_t message) {
    struct aa_request found = {0};
    aa_requests_complete(~message, UINT64_MAX, &found);
    matched = found.peers;
}

const struct aa_mpi_peers *aa_path_matched_peers(void) {
    return matched;
}

/* ---- from MPI_Init to MPI_Finalize */

static bool is_wanted(void) {
    const char *text = getenv("AUTOANALYZER_PATH");
    return text && *text && strcmp(text, "never") != 0;
}

void aa_mpi_path_announce(void) {
    if (is_wanted())
        aa_meeting_announce();
}

static bool prepare(int size) {
    return aa_mpi_peers_begin(size) && aa_mpi.Comm_dup(aa_mpi.world, &ours) == MPI_SUCCESS &&
           aa_mpi.Type_contiguous((int)sizeof(struct aa_path), aa_mpi.byte, &chain) == MPI_SUCCESS &&
           aa_mpi.Type_commit(&chain) == MPI_SUCCESS &&
           aa_mpi.Op_create(choose_longest, 1, &longest) == MPI_SUCCESS;
}

static void exchange_with_oneself(void) {
    struct aa_path mine = {.from = me}, found;
    MPI_Request request;
    if (aa_mpi.Isend(&mine, (int)aa_path_size(&mine), aa_mpi.byte, (int)me, 0, ours, &request) ==
        MPI_SUCCESS) {
        take(&found, (int)me, 0);
        aa_mpi.Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void find_price(void) {
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t since = aa_clock_ticks();
        for (int i = 0; i < IN_A_ROUND; i++)
            exchange_with_oneself();
        double took = (double)(aa_clock_ticks() - since) / IN_A_ROUND;
        price = round == 0 || took < price ? took : price;
    }
}

static void start(struct aa_header *header, int rank, int size, bool spawned) {
    header->path_state = AA_PATH_ALONE;
    if (spawned || (size > 1 && !aa_meeting_is_complete(rank, size)))
        return;
    me = (uint32_t)rank;
    if (!prepare(size))
        return;
    is_limited = strcmp(getenv("AUTOANALYZER_PATH"), "always") != 0;
    find_price();
    began = aa_clock_ticks();
    header->path_state = AA_PATH_KNOWN;
    aa_mpi_path = receives = true;
    aa_path_everyone(aa_mpi.world);
}

void aa_mpi_path_begins(int rank, int size, bool spawned) {
    if (!is_wanted() || !aa_shard())
        return;
    aa_shard()->rank = rank;
    start(aa_shard(), rank, size, spawned);
}

/* What libraries would say that somebody has left. */
static void clear_away(void) {
    aa_mpi.Op_free(&longest);
    aa_mpi.Type_free(&chain);
    aa_mpi.Comm_free(&ours);
    aa_mpi_peers_end();
}

void aa_mpi_path_ends(void) {
    if (began)
        aa_shard()->path_ticks = spent();
    if (aa_mpi_path)
        aa_path_everyone(aa_mpi.world);
    if (began) {
        end_overdue(aa_mpi.world, true);
        clear_away();
    }
    aa_mpi_path = false;
    began = 0;
}
