/*
 * The critical path of synchronous sends, which wait until their receive has begun. The sender's chain asks
 * for an answer: the chain that the receiver had when its receive began. The receiver answers after it has
 * received the message, so the answer may arrive after the send is complete. The sender does not wait for the
 * answer, because the receiver may be waiting for the sender. A later call continues with the answer if it is
 * longer.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi_path.h"
#include "mpi_path_parts.h"
#include "self.h"

#define MOST_LATE 64 /* maximum number of late answers; a rank in a 3D grid has 26 neighbours */

_Atomic bool aa_path_is_asked;

struct answer {
    struct answer *next;
    MPI_Request request;
    struct aa_path path;
};

static struct answer *_Atomic late;
static int late_count;
static _Atomic uint32_t questions;
static _Thread_local struct answer *latest AA_INITIAL_EXEC;

/* ---- the sender */

void *aa_path_ask_among(const struct aa_mpi_peers *peers, int dest, int tag) {
    int peer = aa_mpi_peer(peers, dest);
    if (peer < 0 || aa_path_has_ended)
        return NULL;
    struct answer *answer = malloc(sizeof *answer);
    uint32_t number = answer ? questions++ % AA_PATH_ANSWERS : 0;
    if (answer &&
        aa_mpi.Irecv(&answer->path, (int)sizeof answer->path, aa_mpi.byte, peer, (int)(AA_PATH_TAGS + number),
                     aa_path_ours.comm, &answer->request) != MPI_SUCCESS) {
        free(answer);
        answer = NULL;
    }
    aa_path_take_late();
    aa_path_send_parcel(aa_path_ours.comm, peer, aa_path_tag_of(peers, tag), NULL,
                        answer ? AA_PATH_ASKS | number : 0);
    return answer;
}

void aa_path_ask(int dest, int tag, MPI_Comm comm) {
    latest = aa_path_ask_among(aa_path_peers(comm), dest, tag);
}

void *aa_path_question(void) {
    void *asked = latest;
    latest = NULL;
    return asked;
}

static void take(struct answer *answer) {
    aa_path_took(aa_path_ours.comm);
    aa_path_join_sender(&answer->path, AA_PATH_NO_SENDER);
    aa_path_count_message();
    free(answer);
}

static void give_up(struct answer *answer) {
    if (!aa_path_cancel(&answer->request))
        aa_path_took(aa_path_ours.comm);
    free(answer);
}

void aa_path_answered(void *question) {
    struct answer *answer = question;
    if (!answer)
        return;
    if (aa_path_is_here(&answer->request)) {
        take(answer);
        return;
    }
    aa_path_lock();
    bool has_room = late_count < MOST_LATE && !aa_path_has_ended;
    if (has_room) {
        answer->next = late;
        late = answer;
        late_count++;
    }
    aa_path_unlock();
    if (!has_room)
        give_up(answer);
}

/* Returns the late answers, which now belong to the caller. */
static struct answer *all_late(void) {
    aa_path_lock();
    struct answer *all = late;
    late = NULL;
    late_count = 0;
    aa_path_unlock();
    return all;
}

void aa_path_take_late(void) {
    struct answer *answer = late ? all_late() : NULL;
    while (answer) {
        struct answer *next = answer->next;
        int came = 0;
        if (aa_mpi.Test(&answer->request, &came, MPI_STATUS_IGNORE) == MPI_SUCCESS && came) {
            take(answer);
        } else {
            aa_path_lock();
            answer->next = late;
            late = answer;
            late_count++;
            aa_path_unlock();
        }
        answer = next;
    }
}

void aa_path_end_answers(void) {
    for (struct answer *answer = all_late(), *next; answer; answer = next) {
        next = answer->next;
        give_up(answer);
    }
}

/* ---- the receiver */

void *aa_path_begun(void) {
    struct aa_path *begun = aa_path_is_asked ? malloc(sizeof *begun) : NULL;
    if (begun)
        aa_path_write(begun);
    return begun;
}

void *aa_path_room(void) {
    return calloc(1, sizeof(struct aa_path));
}

void aa_path_begun_in(void *room) {
    if (room && aa_path_is_asked)
        aa_path_write(room);
}
