#include "messages.h"

#include "self.h"
#include "shard.h"

static struct {
    int size;
    bool is_shared;
    bool is_full; /* whether there was no memory for the row */
    struct aa_messages *_Atomic row;
} own;

void aa_messages_begin(int size, bool shared) {
    own.size = size;
    own.is_shared = shared;
}

void aa_messages_forget(void) {
    own.size = 0;
    own.row = NULL;
}

static void add(_Atomic uint64_t *to, uint64_t amount) {
    if (own.is_shared)
        atomic_fetch_add_explicit(to, amount, memory_order_relaxed);
    else
        atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + amount,
                              memory_order_relaxed);
}

static struct aa_messages *append(void) {
    uint32_t size = (uint32_t)own.size, per_block = (size + AA_MOST_BLOCKS - 1) / AA_MOST_BLOCKS;
    uint32_t count = (size + per_block - 1) / per_block;
    struct aa_messages *row =
        aa_shard_append(AA_RECORD_MESSAGES, sizeof *row + count * sizeof(struct aa_traffic));
    if (row) {
        row->per_block = per_block;
        row->count = count;
        aa_shard_publish();
    }
    return row;
}

/* Only a process with messages has a row. */
static struct aa_messages *make_row(void) {
    struct aa_section section = aa_section_begin();
    aa_shard_lock();
    if (!own.row && !own.is_full)
        own.row = append();
    own.is_full = !own.row;
    aa_shard_unlock();
    aa_section_end(section);
    return own.row;
}

/* Returns what the process exchanges with a rank's block; null if the rank is not in the matrix, if there is
 * no memory, or if there is no row and none may be made. */
static struct aa_traffic *with(int rank, bool may_make) {
    if ((unsigned)rank >= (unsigned)own.size)
        return NULL;
    struct aa_messages *row = atomic_load_explicit(&own.row, memory_order_acquire);
    if (__builtin_expect(!row, false) && (own.is_full || !may_make || !(row = make_row())))
        return NULL;
    uint32_t block = row->per_block == 1 ? (uint32_t)rank : (uint32_t)rank / row->per_block;
    return &row->with[block];
}

void aa_messages_sent(int rank, uint64_t bytes) {
    struct aa_traffic *traffic = with(rank, !aa_thread_closed);
    if (traffic) {
        add(&traffic->messages, 1);
        add(&traffic->bytes, bytes);
    } else if (aa_shard()) {
        aa_shard()->messages_left_out++;
    }
}

void aa_messages_waited(int rank, double time) {
    struct aa_traffic *traffic = time > 0 ? with(rank, true) : NULL;
    if (traffic)
        traffic->waited += time;
}
