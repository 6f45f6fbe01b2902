#define _GNU_SOURCE
#include "path_holder.h"

#include "memory.h"

struct aa_path_holder *_Atomic aa_path_holders;
_Thread_local struct aa_path_holder *aa_path_own AA_INITIAL_EXEC;
_Atomic bool aa_path_has_ended;

bool aa_path_is_followed(void) {
    return aa_path_own && aa_path_own->thread == aa_thread_self && !aa_path_has_ended;
}

struct aa_path_holder *aa_path_known_holder(const struct aa_thread *thread) {
    struct aa_path_holder *holder = aa_path_holders;
    while (holder && holder->thread != thread)
        holder = holder->next;
    return holder;
}

struct aa_path_holder *aa_path_holder_of(const struct aa_thread *thread) {
    struct aa_path_holder *known = aa_path_known_holder(thread);
    if (known)
        return known;
    struct aa_path_holder *holder = aa_memory_map(sizeof *holder);
    struct aa_path_record *record = holder ? aa_path_append(AA_PATH_CHAIN) : NULL;
    if (holder && !record)
        aa_memory_unmap(holder, sizeof *holder);
    if (!record)
        return NULL;
    holder->thread = thread;
    holder->path = &record->path;
    holder->next = aa_path_holders;
    aa_path_holders = holder;
    return holder;
}

void aa_path_add_work(struct aa_path_holder *holder, const struct aa_path_share *share) {
    double raised = holder->path->length - holder->length;
    double beyond = raised > 0 ? share->work - raised : share->work;
    if (beyond > 0)
        aa_path_share_lengthen(share, beyond / share->work, holder->path);
    holder->length = holder->path->length;
}
