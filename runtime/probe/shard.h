/*
 * The shard: the file of one process with its call-path trees, mapped as long as the process lives.
 *
 * A header is followed by records, which are only ever appended, each aligned to 64 bytes. A record counts
 * once the header's `used` includes it. Values are updated in place, so they are in the file even if the
 * process is killed. Pointers are only valid in the process; the reader uses only thread.current, from which
 * it subtracts the header's `base`. Times are in ticks unless noted otherwise. runtime/gather/shard_reader.py
 * reads the file; tests/runtime/probe/test_shard_layout.py compares the reader with this header.
 */
#ifndef AA_SHARD_H
#define AA_SHARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "path_layout.h"
#include "share.h"

#define AA_SHARD_MAGIC "AASHARD" /* eight bytes, including the null character */
#define AA_SHARD_VERSION 26u
#define AA_SHARD_BYTE_ORDER 0x01020304u
#define AA_SHARD_ALIGNMENT 64
#define AA_SOURCE_LENGTH 96
#define AA_NO_REGION UINT32_MAX
#define AA_MOST_TOPOLOGIES 16 /* maximum number of topologies recorded per process */
#define AA_MOST_DIMENSIONS 32
#define AA_MOST_BLOCKS 1024 /* maximum number of blocks of ranks in the record of a process's messages */
#define AA_MOST_EVENTS 6    /* maximum number of events that the user may name; more would enlarge nodes */

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
    AA_RECORD_OBJECT = 9,
    AA_RECORD_WAIT = 10,
    AA_RECORD_SAMPLES = 11,
    AA_RECORD_MAPPING = 12,
    AA_RECORD_MESSAGES = 13
};

/*
 * Counters. AA_MPI_INSTRUCTIONS counts in MPI calls. Events named by the user count in all code of the node
 * or, with rtcount, only in the node's own code. All other counters count in the node's own code and in I/O
 * calls.
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

/*
 * The system's data about a thread or the process. Only the first thread's data include the process's
 * memory.
 */
enum aa_system_value {
    AA_MINOR_FAULTS,
    AA_MAJOR_FAULTS,
    AA_VOLUNTARY_SWITCHES,
    AA_INVOLUNTARY_SWITCHES,
    AA_RESIDENT, /* bytes: in samples, the value at the end; for the process, the maximum so far */
    AA_SYSTEM_VALUES
};

/*
 * Flags of counting: only in MPI calls; only in file I/O; events are multiplexed, so counts are estimates;
 * counted with the libpapi that the user chose, or with the one in the Python package. Also its version.
 */
#define AA_COUNTS_IN_MPI 1u
#define AA_COUNTS_IN_IO 2u
#define AA_COUNTS_BY_TURNS 4u
#define AA_COUNTS_BY_CHOSEN_PAPI 8u
#define AA_COUNTS_BY_PACKAGED_PAPI 16u
#define AA_PAPI_VERSION(major, minor) ((uint32_t)(major) << 8 | (uint32_t)(minor) << 16)

struct aa_header {
    char magic[8];
    uint32_t version, byte_order;
    uint32_t header_size, region_size, thread_size, node_size;
    _Atomic uint64_t used;                 /* total bytes of the header and the valid records */
    uint64_t base;                         /* the header's address */
    int32_t pid, rank, size, thread_level; /* -1: unknown */
    int32_t state, exit_code;              /* exit_code: the argument of MPI_Abort */
    int32_t cpus;                          /* number of CPUs that the process may use */
    _Atomic uint32_t unrecorded;           /* number of threads that could not be recorded */
    _Atomic uint32_t refused;              /* number of call paths whose descriptor is from another version */
    uint32_t regions, threads;
    _Atomic uint32_t uncounted; /* number of threads whose counters did not start */
    double ticks_per_second;    /* measured at the start; the two anchors yield a more precise value */
    /* nanoseconds per entry and exit, measured at the start; the same through Fortran's stub */
    float pair_cost, fortran_cost;
    /* nanoseconds for a throttled region: if its entry calls the library; if its site only counts the entry
     */
    float throttled_cost, passing_cost;
    float left_cost, opened_cost;       /* if its exit calls the library, too; if its entry opens a site */
    float slot_cost;                    /* if only a Fortran slot counts its entry */
    _Atomic uint32_t messages_left_out; /* number of messages that are not in the process's aa_messages */
    uint64_t start_realtime;            /* when the process started, in nanoseconds since 1970 */
    struct aa_anchor start, latest;
    uint64_t mpi_initialised, mpi_finalising, mpi_finalised, end; /* ticks; 0: has not happened yet */
    char wall_clock[16], cpu_clock[16];
    char host[256], executable[512];
    char sources[AA_COUNTERS][AA_SOURCE_LENGTH]; /* the source of each counter; empty: not counted */
    int32_t forked_from;                         /* the number of the process that forked this one; 0: none */
    int32_t spawned;  /* whether MPI_Comm_spawn started the process, so that it has another MPI_COMM_WORLD */
    uint32_t deepest; /* if memory is short, the deepest level that still gets nodes; 0: all levels do */
    char script[144]; /* the script or module, if the executable is Python */
    uint32_t topologies_left_out; /* number of topologies not recorded: too many, or too large */
    int64_t run_delay;            /* nanoseconds for which the first thread waited for a core; -1: unknown */
    uint64_t involuntary;         /* number of times that threads were preempted */
    uint64_t trace_interval;      /* current ticks between samples; 0: no samples */
    uint32_t trace_generation;    /* generation of the valid chunks: number of merges of samples, plus 1 */
    uint32_t trace_slowed;        /* number of times the interval was doubled because samples took too long */
    uint32_t trace_lost;          /* number of samples for which there was no memory */
    uint32_t trace_left;          /* number of chunks of this generation that may still be started */
    uint64_t trace_left_out;   /* values that a policy left out of some samples, one bit each; see policy.h */
    _Atomic uint64_t barriers; /* number of our own barriers before collectives; see mpi_split.h */
    uint32_t counting;         /* flags such as AA_COUNTS_IN_MPI */
    float call_cost;           /* nanoseconds to measure a call of MPI or file I/O */
    uint64_t system[AA_SYSTEM_VALUES]; /* the system's data about the process; see system.h */
    uint64_t mpi_bypassed;             /* an enum aa_mpi_bypass: whether MPI calls bypassed the wrappers */
    _Atomic uint32_t path_state; /* an enum aa_path_state: whether the critical path is known; see path.h */
    uint32_t path_lost;          /* number of entries of chains that were lost, because there was no memory */
    _Atomic uint64_t path_messages; /* number of our own messages, in addition to the program's */
    _Atomic uint64_t path_ticks;    /* ticks that our own messages took */
    _Atomic uint64_t path_left_out; /* flags of enum aa_path_left_out: what the path does not follow */
} __attribute__((aligned(AA_SHARD_ALIGNMENT)));

struct aa_record {
    uint16_t type, lines; /* the record's size, in units of AA_SHARD_ALIGNMENT bytes */
};

struct aa_region {
    struct aa_record record;
    uint32_t id, length; /* length of the descriptor, without its null character */
    char descriptor[];
};

/* A file that the program reads or writes: the number of calls, the bytes, and the time of the calls. */
struct aa_file {
    struct aa_record record;
    uint32_t length; /* length of the name, without its null character */
    _Atomic uint64_t calls, read, written, ticks;
    char name[]; /* empty: the record that several files share */
};

/* The path of a shared library that has regions. */
struct aa_object {
    struct aa_record record;
    uint32_t length; /* length of the name, without its null character */
    char name[];
};

/* The constructs in which OpenMP threads wait for a lock, for earlier iterations, or for other threads. */
enum aa_wait_kind {
    AA_WAIT_CRITICAL,
    AA_WAIT_ATOMIC,
    AA_WAIT_LOCK,
    AA_WAIT_ORDERED,
    AA_WAIT_BARRIER,
    AA_WAIT_SINGLE,
    AA_WAIT_TASKS
};

/* A place where a thread waits for other threads, on one call path; see openmp_waits.h. */
struct aa_wait {
    struct aa_record record;
    uint32_t kind, node; /* an enum aa_wait_kind; the node's offset in the file, divided by 64 */
    uint32_t length;     /* length of the descriptor, without its null character */
    uint64_t entries, contended;
    int64_t waited, waited_off; /* ticks of waiting; the part of them off the CPU */
    /* Only for the process itself: a node and a return address, which identify the record. */
    struct aa_node *at;
    const void *returns_to;
    char descriptor[]; /* the place's descriptor; see call_site.h */
};

struct aa_node {
    struct aa_record record;
    uint32_t thread;
    uint32_t parent; /* the parent's offset in the file, divided by 64; 0: none */
    uint32_t region; /* AA_NO_REGION: the base of a tree, for time outside all regions */
    uint64_t visits, io_calls;
    uint64_t mpi_calls, mpi_sent, mpi_received;
    int64_t wall[AA_SHARES];
    int64_t off[AA_MPI + 1]; /* the part of `wall` off the CPU; for MPI only the total */
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

/* the number of values in a sample: the values of a node, beginning with `visits`, then the system's */
#define AA_TRACE_VALUES (AA_NODE_VALUES + AA_SYSTEM_VALUES)

/* The part of a sample that was spent in one node, or, if the node is 0, in several nodes together. */
struct aa_part {
    uint32_t node;      /* the node's offset in the file, divided by 64 */
    uint32_t computing; /* the share of `ticks` that was CPU time outside calls, in units of 1 / AA_WHOLE */
    uint64_t visits, ticks;
};
#define AA_WHOLE UINT32_MAX

/* A thread's activity in an interval. It is followed by the sample's non-zero values, and by its parts. */
struct aa_sample {
    uint32_t size; /* bytes, including the values and parts that follow */
    uint16_t parts, unused;
    uint32_t thread, node; /* offsets divided by 64, of the thread, and of its current node at the end */
    uint64_t begin, end;
    uint64_t present, recorded; /* one bit per value: whether it follows; whether it was recorded */
};

/* Samples of all threads; each thread's samples are in order of time. The first `used` bytes are valid. */
struct aa_chunk {
    struct aa_record record;
    uint32_t generation;
    _Atomic uint64_t used;
    char samples[];
};

/*
 * A node that is or was throttled. While it is throttled, its time goes to its parent, and its visits are
 * only counted.
 */
struct aa_throttle {
    struct aa_record record;
    uint32_t node;   /* the node's offset in the file, divided by 64 */
    uint64_t visits; /* number of timed visits, without those since the node was timed again */
    uint64_t again;  /* the node's number of visits when it was timed again; 0: it is throttled */
    /* Only for the process itself: the own time of all visits in the current sample, and of its longest
     * visit. */
    int64_t sampled, longest;
    int64_t own;      /* the node's own time before the sample's last visit; -1: no visit is being timed */
    double computing; /* the thread's busy time when the last sample was judged */
} __attribute__((aligned(AA_SHARD_ALIGNMENT)));

enum aa_topology_kind { AA_GRID, AA_GRAPH, AA_DISTRIBUTED_GRAPH };

struct aa_axis {
    int32_t size, periodic, at;
};

/* The position of the process in an MPI topology; a graph is treated as a line of its nodes. */
struct aa_topology {
    struct aa_record record;
    uint32_t kind;
    uint64_t members; /* a number that is the same in all processes of the topology */
    uint32_t dimensions;
    struct aa_axis axes[];
};

struct aa_path_record {
    struct aa_record record;
    uint32_t kind, number;
    struct aa_path path;
} __attribute__((aligned(AA_SHARD_ALIGNMENT)));

/* What the process sends to the ranks of a block, and how long it waits for messages from these ranks. */
struct aa_traffic {
    _Atomic uint64_t messages, bytes;
    double waited; /* in the unit of the critical path */
};

/*
 * The process's point-to-point messages, by blocks of consecutive ranks in MPI_COMM_WORLD; up to
 * AA_MOST_BLOCKS ranks, each rank has its own block.
 */
struct aa_messages {
    struct aa_record record;
    uint32_t per_block, count; /* number of ranks in a block; number of blocks */
    struct aa_traffic with[];
};

/* A thread's open library calls: the share of the time, the number of calls, and how many are statements. */
struct aa_call {
    uint32_t share;
    uint16_t depth, statements;
};

struct aa_frame {
    struct aa_node *node; /* the node to which the thread will return */
    const char *key;
    struct aa_call call;
};

/*
 * An edge of the tree from a node to the child for a descriptor's address, or to an ancestor if the region is
 * entered recursively. If the child is null, the entry counts towards the node itself.
 */
struct aa_edge {
    struct aa_node *node;
    const char *key;
    struct aa_node *child;
    const char *other; /* the key of the next edge from the node to the child; see edges.c */
};

struct aa_team;

struct aa_thread {
    struct aa_record record;
    bool idle;               /* see team.h */
    struct aa_node *current; /* the reader subtracts the header's base */
    uint64_t last;           /* ticks of the last event */
    struct aa_frame *top;
    uint64_t due; /* ticks at which the CPU clock is read and the next sample is taken; see trace.h */
    struct aa_call call;
    struct aa_watch watch;

    uint32_t index, tid;
    uint32_t taken; /* number of threads that have used the tree so far, one after the other */
    uint32_t in_use;
    uint64_t repairs;   /* number of exits that had to close other regions first */
    uint64_t unmatched; /* number of exits of regions that were not open */
    uint64_t collapsed; /* number of entries that count towards the parent; see aa_tree_step */
    uint64_t fortran;   /* number of exits from timed regions by Fortran's stub; see aa_probe_exit_or_pass */
    /* number of entries to throttled regions that called the library; number of those that opened a site */
    uint64_t passed;
    uint64_t opened;
    uint64_t left; /* number of exits from throttled regions that called the library, as in Fortran */
    struct aa_node *base;
    struct aa_frame *limit; /* the highest value of top; entries read it and the next two fields */
    struct aa_edge *edges;  /* hash table with open addressing, at most a quarter full */
    uint64_t edge_mask, edge_count, frame_capacity;
    struct aa_frame *frames;
    struct aa_thread *next_free;
    _Atomic(struct aa_team *) waits_for; /* for this field and the next ones, see team.h */
    struct aa_node *waited_at;
    int64_t waited;
    struct aa_books *books;         /* see throttle.c */
    struct aa_time_line *time_line; /* see trace.c */
    uint64_t counted[AA_COUNTED];   /* the thread's counts at the last event */
    uint64_t reentered;             /* like collapsed, for signal handlers that interrupted the library */
    uint64_t stopped;               /* number of threads stopped because there was no memory for frames */
    uint64_t outside;               /* ticks spent idle and in library calls; see usage.c */
    uint64_t slotted;               /* number of entries that only Fortran's stubs counted; see site.h */
    struct aa_samples *samples;     /* see sample.h */
    uint64_t silent;                /* number of entries that only sites counted; see site.h */
    uint64_t synchronised;          /* number of times the CPU clock was read */
    _Atomic uint64_t continued;     /* for this field and the next one, see work.h */
    _Atomic(const struct aa_node *) continued_at[4];
} __attribute__((aligned(AA_SHARD_ALIGNMENT)));

_Static_assert(sizeof(void *) == 8, "the layout of shards needs 64-bit pointers");
_Static_assert(offsetof(struct aa_thread, watch.real) == AA_SHARD_ALIGNMENT, "an event touches one line");
_Static_assert(offsetof(struct aa_thread, limit) / AA_SHARD_ALIGNMENT ==
                   offsetof(struct aa_thread, edge_mask) / AA_SHARD_ALIGNMENT,
               "an entry touches only one more line");

/*
 * Creates the file in a folder and maps it; returns null and sets errno if this fails. limit: bytes to which
 * the file may grow. for_samples: additional bytes by which it may grow, so that samples leave enough memory
 * for call paths. None of the functions below uses malloc or the library's own I/O wrappers.
 */
struct aa_header *aa_shard_create(const char *folder, uint64_t limit, uint64_t for_samples);
/* Returns the path of the last file that aa_shard_create created or tried to create. */
const char *aa_shard_path(void);

/* Forgets the shard in the child of a fork, because it belongs to the parent. */
void aa_shard_forget(void);

/* Returns the header; null if there is no shard. */
struct aa_header *aa_shard(void);

/* Lock and unlock the shard. All records are found and appended under this lock. */
void aa_shard_lock(void);
void aa_shard_unlock(void);
/* Appends a zeroed record, which counts once it is published; null if there is no memory. The caller holds
 * the lock. */
void *aa_shard_append(enum aa_record_type type, size_t size);

/* Returns the fraction of the memory that is in use, in 256ths, without the memory of samples. */
uint32_t aa_shard_filled(void);
/* Publishes all appended records, which count from now on. */
void aa_shard_publish(void);

/* Returns the record after this one (for null, the first record); null after the last record. */
struct aa_record *aa_shard_next(struct aa_record *record);

#endif
