#include "messages.h"

#include "self.h"
#include "shard.h"

static struct {
    int size;
    bool is_shared;
    _Atomic bool is_full; /* whether there is no memory for the row */
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

/* Returns the row; null if there is no memory. Only a process with messages has a row. */
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

static inline struct aa_traffic *with(struct aa_messages *row, int rank) {
    return &row->with[row->per_block == 1 ? (uint32_t)rank : (uint32_t)rank / row->per_block];
}

static void count(struct aa_traffic *traffic, uint64_t bytes) {
    add(&traffic->messages, 1);
    add(&traffic->bytes, bytes);
}

/* Counts a message if there is no row yet, or if the message does not belong to the row. A signal handler
 * creates no row, because it may have interrupted the library. */
static __attribute__((noinline)) void count_rarely(int rank, uint64_t bytes) {
    bool belongs = (unsigned)rank < (unsigned)own.size;
    struct aa_messages *row = belongs && !own.is_full && !aa_thread_closed ? make_row() : NULL;
    if (row)
        count(with(row, rank), bytes);
    else if (aa_shard())
        aa_shard()->messages_left_out++;
}

void aa_messages_sent(int rank, uint64_t bytes) {
    struct aa_messages *row = atomic_load_explicit(&own.row, memory_order_acquire);
    if (__builtin_expect(!row || (unsigned)rank >= (unsigned)own.size, false)) {
        count_rarely(rank, bytes);
        return;
    }
    count(with(row, rank), bytes);
}

void aa_messages_waited(int rank, double time) {
    if (time <= 0 || (unsigned)rank >= (unsigned)own.size)
        return;
    struct aa_messages *row = own.row || own.is_full ? own.row : make_row();
    if (row)
        with(row, rank)->waited += time;
}
