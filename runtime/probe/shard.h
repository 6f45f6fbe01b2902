/*
 * The shard: the file of one process, mapped as long as the process lives, with its call-path trees.
 *
 * A header is followed by records that are only ever appended, each at a multiple of 64 bytes and of such a
 * size. A record counts once `used` lies behind it. Values are updated in place, so that a killed process
 * leaves them in the file. Pointers in it (base tells where the header was) serve the process alone, except
 * thread.current. Times are ticks. runtime/gather/shard_reader.py reads the file;
 * tests/runtime/probe/test_shard_layout.py compares the two.
 */
#ifndef AA_SHARD_H
#define AA_SHARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "share.h"

#define AA_SHARD_MAGIC "AASHARD" /* and its null: eight bytes */
#define AA_SHARD_VERSION 19u
#define AA_SHARD_BYTE_ORDER 0x01020304u
#define AA_SHARD_ALIGNMENT 64
#define AA_SOURCE_LENGTH 96
#define AA_NO_REGION UINT32_MAX
#define AA_MOST_TOPOLOGIES 16 /* of a process */
#define AA_MOST_DIMENSIONS 32
#define AA_MOST_EVENTS 6 /* that the user names: as many as fit into a node without making it larger */

enum aa_state { AA_RUNNING, AA_FINALIZING, AA_FINALIZED, AA_EXITED, AA_ABORTED };

enum aa_record_type {
    AA_RECORD_REGION = 1,
    AA_RECORD_THREAD = 2,
    AA_RECORD_NODE = 3,
    AA_RECORD_FILE = 4,
    AA_RECORD_THROTTLE = 5,
    AA_RECORD_TOPOLOGY = 6,
    AA_RECORD_CHUNK = 7,
    AA_RECORD_PATH = 8,
    AA_RECORD_OBJECT = 9
};

/*
 * Counts: of the node's own code including I/O calls, events named by the user in all of the node, and the
 * instructions in MPI calls.
 */
enum aa_counter {
    AA_INSTRUCTIONS,
    AA_CYCLES,
    AA_L1_ACCESSES,
    AA_L1_MISSES,
    AA_L2_ACCESSES,
    AA_L2_MISSES,
    AA_EVENTS,
    AA_COUNTED = AA_EVENTS + AA_MOST_EVENTS,
    AA_MPI_INSTRUCTIONS = AA_COUNTED,
    AA_COUNTERS
};

/* The system's data about a thread, or a process; for the first thread also the process's memory. */
enum aa_system_value {
    AA_MINOR_FAULTS,
    AA_MAJOR_FAULTS,
    AA_VOLUNTARY_SWITCHES,
    AA_INVOLUNTARY_SWITCHES,
    AA_RESIDENT, /* bytes: at the end of a sample; of a process the most until now */
    AA_SYSTEM_VALUES
};

/* Only in calls of MPI, or of file I/O, or both; and by turns, so that they are estimates. */
#define AA_COUNTS_IN_MPI 1u
#define AA_COUNTS_IN_IO 2u
#define AA_COUNTS_BY_TURNS 4u

struct aa_header {
    char magic[8];
    uint32_t version, byte_order;
    uint32_t header_size, region_size, thread_size, node_size;
    _Atomic uint64_t used;                 /* bytes, with the header */
    uint64_t base;                         /* the header's address */
    int32_t pid, rank, size, thread_level; /* -1: unknown */
    int32_t state, exit_code;              /* exit_code: what MPI_Abort was given */
    int32_t cpus;                          /* which the process may use */
    _Atomic uint32_t unrecorded;           /* threads that could not be recorded */
    _Atomic uint32_t refused;              /* call paths whose descriptor is none of this version */
    uint32_t regions, threads;
    _Atomic uint32_t uncounted;         /* threads whose counters did not start */
    double ticks_per_second;            /* as measured at the start; the anchors tell it better */
    double pair_cost;                   /* nanoseconds of an entry and exit, measured at the start */
    float throttled_cost, passing_cost; /* of a throttled region whose entry calls the library, or does not */
    float left_cost, opened_cost;       /* where its exit calls, too; where its entry opens a site */
    float slot_cost, unused;            /* where a Fortran stub only counts it */
    uint64_t start_realtime;            /* of the process: nanoseconds since 1970 */
    struct aa_anchor start, latest;
    uint64_t mpi_initialised, mpi_finalising, mpi_finalised, end; /* ticks; 0: has not happened */
    char wall_clock[16], cpu_clock[16];
    char host[256], executable[512];
    char sources[AA_COUNTERS][AA_SOURCE_LENGTH]; /* how counters come about; empty: they do not */
    int32_t forked_from;                         /* the process of which this one is a fork; 0: it is none */
    int32_t spawned;  /* whether MPI_Comm_spawn has started it, so that its MPI_COMM_WORLD is another one */
    uint32_t deepest; /* so many levels of new call paths were made since memory ran short; 0: it did not */
    char script[144]; /* what the executable runs, if that is Python */
    uint32_t topologies_left_out; /* that MPI made: more than are kept, or with more dimensions */
    int64_t run_delay;            /* nanoseconds that the first thread waited for a processor; -1: unknown */
    uint64_t involuntary;         /* how often a thread had to leave its processor */
    uint64_t trace_interval;      /* ticks between samples of the time lines, by now; 0: there are none */
    uint32_t trace_generation;    /* of the chunks that count: pairs of samples were merged once less often */
    uint32_t trace_slowed;        /* how often the interval was doubled, as samples took long */
    uint32_t trace_lost;          /* samples for which there was no memory */
    uint32_t trace_left;          /* chunks of this generation that may still be begun */
    uint64_t trace_left_out;      /* values that samples lack somewhere, as a policy said so; see policy.h */
    _Atomic uint64_t barriers;    /* of ours, before collectives; see mpi_split.h */
    uint32_t counting;            /* how events are counted: AA_COUNTS_IN_MPI and the like */
    float call_cost;              /* nanoseconds of a call of MPI or file I/O, but for its region */
    uint64_t system[AA_SYSTEM_VALUES]; /* what the system says of the process; see system.h */
    uint64_t mpi_bypassed;             /* whether calls of MPI were not seen: an enum aa_mpi_bypass */
    uint32_t path_state;    /* an enum aa_path_state: whether the critical path is known; see path.h */
    uint32_t path_lost;     /* entries of chains for which there was no memory */
    uint64_t path_messages; /* that the library sent beside the program's */
    uint64_t path_ticks;    /* what they took */
    uint64_t path_left_out; /* what it does not follow, and the program did: of enum aa_path_left_out */
} __attribute__((aligned(AA_SHARD_ALIGNMENT)));

struct aa_record {
    uint16_t type, lines; /* of AA_SHARD_ALIGNMENT bytes */
};

struct aa_region {
    struct aa_record record;
    uint32_t id, length; /* of the descriptor, without its null */
    char descriptor[];
};

/* What was read from a file and written to it, and how long the calls took. */
struct aa_file {
    struct aa_record record;
    uint32_t length; /* of the name, without its null */
    _Atomic uint64_t calls, read, written, ticks;
    char name[]; /* empty: several files */
};

/* The file of a shared library that has regions. */
struct aa_object {
    struct aa_record record;
    uint32_t length; /* of the name, without its null */
    char name[];
};

struct aa_node {
    struct aa_record record;
    uint32_t thread;
    uint32_t parent; /* the parent's offset in the file by 64; 0: none */
    uint32_t region; /* AA_NO_REGION: a base, where a thread stands outside every region */
    uint64_t visits, io_calls;
    uint64_t mpi_calls, mpi_sent, mpi_received;
    int64_t wall[AA_SHARES];
    int64_t off[AA_MPI + 1]; /* how much of that the thread was off the CPU; of all of MPI together */
    uint64_t io_read, io_written;
    uint64_t counters[AA_COUNTERS];
} __attribute__((aligned(AA_SHARD_ALIGNMENT)));

#define AA_NODE_VALUES                                                                                       \
    ((offsetof(struct aa_node, counters) + AA_COUNTERS * sizeof(uint64_t) -                                  \
      offsetof(struct aa_node, visits)) /                                                                    \
     sizeof(uint64_t))
#define AA_COUNTER_VALUE                                                                                     \
    ((offsetof(struct aa_node, counters) - offsetof(struct aa_node, visits)) / sizeof(uint64_t))
#define AA_WALL_VALUE ((offsetof(struct aa_node, wall) - offsetof(struct aa_node, visits)) / sizeof(uint64_t))
#define AA_OFF_VALUE ((offsetof(struct aa_node, off) - offsetof(struct aa_node, visits)) / sizeof(uint64_t))

#define AA_TRACE_VALUES                                                                                      \
    (AA_NODE_VALUES + AA_SYSTEM_VALUES) /* of a sample: a node's from visits on, and these */

/* A node's share of a sample; node 0: several nodes together. */
struct aa_part {
    uint32_t node;      /* the node's offset in the file by 64 */
    uint32_t computing; /* the share of ticks on a processor and in no call, of AA_WHOLE */
    uint64_t visits, ticks;
};
#define AA_WHOLE UINT32_MAX

/* What a thread did from one moment to another. It is followed by the values that are not 0, and the parts.
 */
struct aa_sample {
    uint32_t size; /* with what follows */
    uint16_t parts, unused;
    uint32_t thread, node; /* offsets by 64: whose it is, and where that stood at the end */
    uint64_t begin, end;
    uint64_t present, recorded; /* which values follow; which were looked for */
};

/* Samples of all threads, those of each in the order of time. They count up to used. */
struct aa_chunk {
    struct aa_record record;
    uint32_t generation;
    _Atomic uint64_t used;
    char samples[];
};

/* From now on a node's time goes to its parent, while its visits are counted on; until it is timed again. */
struct aa_throttle {
    struct aa_record record;
    uint32_t node;   /* the node's offset in the file by 64 */
    uint64_t visits; /* those whose time is known; once it is timed again, of those before */
    uint64_t again;  /* so many visits it had when it was timed again; 0: it is not */
    /* For the process alone: of visits that are a sample, not judged yet, their own time and the longest's.
     */
    int64_t sampled, longest;
    int64_t own;      /* the node's own time before the last of them; -1: there is none */
    double computing; /* of the thread when the sample before was judged */
} __attribute__((aligned(AA_SHARD_ALIGNMENT)));

enum aa_topology_kind { AA_GRID, AA_GRAPH, AA_DISTRIBUTED_GRAPH };

struct aa_axis {
    int32_t size, periodic, at;
};

/* The place of the process in a topology that MPI made; a graph is a line of its nodes. */
struct aa_topology {
    struct aa_record record;
    uint32_t kind;
    uint64_t members; /* the same in all processes that have a place in it */
    uint32_t dimensions;
    struct aa_axis axes[];
};

/*
 * What a chain of work holds of one node of a rank, or how much a rank's wait is that node's fault. Node 0:
 * of what is not known; or, where there is no work, `what` is the segment of this rank in which the chain
 * goes on backwards.
 */
struct aa_path_entry {
    uint32_t rank, node; /* the node's offset in the rank's file by 64 */
    uint32_t what;       /* the same for the same call path in every rank; of a delay the node that waited */
    uint32_t by_message; /* of a delay: whether a message ended it, and not a collective */
    double work;
};

#define AA_PATH_ENTRIES                                                                                      \
    40 /* of a message: in 1,000 bytes, which Open MPI sends fastest, as it does up to 1 KiB */

/* The longest chain of work that leads to a thread's position: the contents of our messages. */
struct aa_path {
    double length;          /* nanoseconds of CPU time, or instructions */
    double base;            /* the length at which all ranks had last met, that is in none of its entries */
    uint32_t rank, segment; /* what the entries lack; segment 0: nothing but what ranks have as total */
    uint32_t count, from;   /* of entries; which rank stands there */
    struct aa_path_entry entries[AA_PATH_ENTRIES];
};

enum aa_path_left_out {
    AA_PATH_LOCKS = 1,       /* of windows */
    AA_PATH_PARTITIONED = 2, /* messages */
    AA_PATH_STRANGERS = 4    /* communicators with processes of another MPI_COMM_WORLD */
};

enum aa_path_kind {
    AA_PATH_CHAIN,   /* of a thread, now */
    AA_PATH_SEGMENT, /* of a chain, which has left it behind: `number` names it, `rank` and `segment` go on */
    AA_PATH_TOTAL,   /* of the critical path, before all ranks last met */
    AA_PATH_DELAY    /* what the process has waited for */
};

struct aa_path_record {
    struct aa_record record;
    uint32_t kind, number;
    struct aa_path path;
} __attribute__((aligned(AA_SHARD_ALIGNMENT)));

/* Whether the thread is in a library call: where the time goes, how deep, and how much of that are
 * statements. */
struct aa_call {
    uint32_t share;
    uint16_t depth, statements;
};

struct aa_frame {
    struct aa_node *node; /* where to return to */
    const char *key;
    struct aa_call call;
};

/* From a node by a descriptor's address to a child or an ancestor; null: to none. */
struct aa_edge {
    struct aa_node *node;
    const char *key;
    struct aa_node *child;
};

struct aa_team;

struct aa_thread {
    struct aa_record record;
    bool idle;               /* see team.h */
    struct aa_node *current; /* the reader subtracts base */
    uint64_t last;           /* the last event */
    struct aa_frame *top;
    uint64_t due; /* ticks at which the CPU clock is asked, and the next sample taken; see trace.h */
    struct aa_call call;
    struct aa_watch watch;

    uint32_t index, tid;
    uint32_t taken; /* how many threads have used the tree, one after the other */
    uint32_t in_use;
    uint64_t repairs;   /* exits that had to close other regions first */
    uint64_t unmatched; /* exits of regions that were not open */
    uint64_t collapsed; /* entries counted to the parent: no memory for a node, or a refused descriptor */
    uint64_t synchronised;
    uint64_t passed; /* entries of throttled regions that called the library; those that opened a site */
    uint64_t opened;
    uint64_t left; /* exits of throttled regions that called the library, as Fortran's do */
    struct aa_node *base;
    struct aa_frame *limit; /* of top; an entry reads it, and the two that follow */
    struct aa_edge *edges;  /* open addressing; at most a quarter full */
    uint64_t edge_mask, edge_count, frame_capacity;
    struct aa_frame *frames;
    struct aa_thread *next_free;
    _Atomic(struct aa_team *) waits_for; /* see team.h; so are the following */
    struct aa_node *waited_at;
    int64_t waited;
    struct aa_books *books;         /* see throttle.c */
    struct aa_time_line *time_line; /* see trace.c */
    uint64_t counted[AA_COUNTED];   /* the counts at the last event */
    uint64_t reentered;             /* as collapsed: by signal handlers that interrupted the library */
    uint64_t stopped; /* threads that were recorded no longer, as there was no memory for their stack */
    uint64_t outside; /* ticks in library calls and idle; see usage.c */
    uint64_t slotted; /* entries of throttled regions that only Fortran's stubs counted; see site.h */
} __attribute__((aligned(AA_SHARD_ALIGNMENT)));

_Static_assert(sizeof(void *) == 8, "the shard is laid out for 64 bits");
_Static_assert(offsetof(struct aa_thread, watch.real) == AA_SHARD_ALIGNMENT, "an event touches one line");
_Static_assert(offsetof(struct aa_thread, limit) / AA_SHARD_ALIGNMENT ==
                   offsetof(struct aa_thread, edge_mask) / AA_SHARD_ALIGNMENT,
               "an entry touches one more");

/*
 * Create the file in the folder and map it; null and errno, if that cannot be. The file may grow up to the
 * limit, and as much beyond it for samples; so these leave no call path without memory. None of the functions
 * allocates with malloc or goes through the library's own I/O wrappers.
 */
struct aa_header *aa_shard_create(const char *folder, uint64_t limit, uint64_t for_samples);
const char *aa_shard_path(void);

/* In the child of a fork: the shard is the parent's. */
void aa_shard_forget(void);

/* The header; null while there is no shard. */
struct aa_header *aa_shard(void);

/*
 * Append a zeroed record; null without memory. The record counts once it is published. The caller holds the
 * lock under which all records are found and appended.
 */
void aa_shard_lock(void);
void aa_shard_unlock(void);
void *aa_shard_append(enum aa_record_type type, size_t size);

/* The share of the memory that is in use, of 256; that of samples apart. */
uint32_t aa_shard_filled(void);
void aa_shard_publish(void);

/* The record behind this one, or the first; null behind the last. */
struct aa_record *aa_shard_next(struct aa_record *record);

#endif
