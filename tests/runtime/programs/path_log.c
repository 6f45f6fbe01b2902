/*
 * Logs everything in a process that the critical path depends on. This library is preloaded behind the probe library,
 * whose own messages it does not see. It logs each message and collective of the program, with the busy time by node
 * that the probe library has recorded until then. It uses only the probe library's layout of the shard, and sends no
 * messages. path_log.py computes the path from the log.
 *
 * AUTOANALYZER_TEST_LOG names the folder for the logs. Of Fortran's functions, those that the NAS benchmarks call are
 * logged, with Open MPI.
 */
#include "path_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shard.h"

#define ROOM (1ull << 32)

/* An event begins with these words. Its nodes, and a communicator's members, follow. */
enum word { KIND, COMM, PEER, TAG, ID, NODE, COUNT, WORDS };

static int64_t *log_begin, *log_next;

/* ---- the shard of this process */

static const struct aa_header *shard;
static const struct aa_node *nodes[MOST];
static double worked[MOST];
static int node_count;
static uint64_t seen;
static const struct aa_thread *thread;

static void find_shard(void) {
    static char text[1 << 20];
    const char *folder = getenv("AUTOANALYZER_SHARDS");
    int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY);
    size_t used = 0;
    for (long more; (more = syscall(SYS_read, file, text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)more;
    syscall(SYS_close, file);
    for (char *line = strtok(text, "\n"); folder && line && !shard; line = strtok(NULL, "\n")) {
        const char *name = strstr(line, folder);
        size_t length = strlen(line);
        if (name && length > 6 && strcmp(line + length - 6, ".shard") == 0)
            shard = (const void *)strtoull(line, NULL, 16);
    }
    seen = shard ? shard->header_size : 0;
}

static double work_of(const struct aa_node *node) {
    if (strncmp(shard->sources[AA_INSTRUCTIONS], "simulated", 9) == 0)
        return (double)node->counters[AA_INSTRUCTIONS];
    int64_t ticks = node->wall[AA_OWN] + node->wall[AA_IO] - node->off[AA_OWN];
    return (double)ticks / shard->ticks_per_second * 1e9;
}

static int64_t offset_of(const struct aa_node *node) {
    return ((const char *)node - (const char *)shard) / AA_SHARD_ALIGNMENT;
}

static void find_nodes(void) {
    while (seen < atomic_load(&shard->used)) {
        const struct aa_record *record = (const void *)((const char *)shard + seen);
        const struct aa_node *node = (const void *)record;
        if (record->type == AA_RECORD_NODE && node->thread == 0 && node_count < MOST)
            nodes[node_count++] = node;
        if (record->type == AA_RECORD_THREAD && !thread)
            thread = (const void *)record;
        seen += (uint64_t)record->lines * AA_SHARD_ALIGNMENT;
    }
}

/* ---- events */

static void note(enum kind kind, int64_t comm, int peer, int tag, int64_t id) {
    if (!log_next)
        return;
    find_nodes();
    int64_t *event = log_next;
    log_next += WORDS;
    for (int i = 0; i < node_count; i++) {
        double more = work_of(nodes[i]) - worked[i];
        if (more == 0)
            continue;
        *log_next++ = offset_of(nodes[i]);
        memcpy(log_next++, &more, sizeof more);
        worked[i] += more;
        event[COUNT]++;
    }
    event[COMM] = comm, event[PEER] = peer, event[TAG] = tag, event[ID] = id;
    event[NODE] = offset_of(thread->current);
    event[KIND] = kind;
}

/* ---- communicators; a communicator has the same number in all members, because members make the communicators of the
 * same members in the same order */

static struct {
    MPI_Comm comm;
    int64_t id;
    int size, *members;
} comms[MOST];
static int comm_count;
static int64_t made[MOST];

static int world_rank(MPI_Comm comm, int rank);

static int place_of(MPI_Comm comm) {
    for (int i = comm_count - 1; i >= 0; i--)
        if (comms[i].comm == comm)
            return i;
    int place = comm_count++, size;
    MPI_Group group, world;
    PMPI_Comm_size(comm, &size);
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    int *ranks = malloc(2 * (size_t)size * sizeof *ranks), *members = ranks + size;
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    PMPI_Group_translate_ranks(group, size, ranks, world, members);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    int64_t hash = 17, times = 0;
    for (int i = 0; i < size; i++)
        hash = (hash * 1000003 + members[i] + 1) & 0xffffffffff;
    for (int i = 0; i < place; i++)
        times += made[i] == hash;
    made[place] = hash;
    comms[place].comm = comm;
    comms[place].id = hash * 1024 + times;
    comms[place].size = size;
    comms[place].members = members;
    note(COMMUNICATOR, comms[place].id, 0, 0, size);
    for (int i = 0; i < size && log_next; i++)
        *log_next++ = members[i];
    return place;
}

static int64_t id_of(MPI_Comm comm) {
    return comms[place_of(comm)].id;
}

static int world_rank(MPI_Comm comm, int rank) {
    int place = place_of(comm);
    return rank < 0 || rank >= comms[place].size ? -1 : comms[place].members[rank];
}

void forget(MPI_Comm comm) {
    comms[place_of(comm)].comm = MPI_COMM_NULL;
}

/* ---- requests */

static struct request requests[MOST];
static int most_requests;
static int64_t numbers; /* the last number of a receive or a collective, in the order in which they begin */

void put(struct request request) {
    int i = 0;
    while (i < MOST - 1 && requests[i].handle)
        i++;
    requests[i] = request;
    most_requests = i >= most_requests ? i + 1 : most_requests;
}

struct request *find(int64_t handle) {
    for (int i = 0; i < most_requests; i++)
        if (handle && requests[i].handle == handle)
            return &requests[i];
    return NULL;
}

void complete(struct request request, const MPI_Status *status) {
    if (request.kind == COMPLETED)
        note(COMPLETED, 0, 0, 0, request.id);
    if (request.kind != RECEIVED)
        return;
    int peer = request.peer == MPI_ANY_SOURCE ? status->MPI_SOURCE : request.peer;
    int tag = request.tag == MPI_ANY_TAG ? status->MPI_TAG : request.tag;
    if (peer != MPI_PROC_NULL)
        note(RECEIVED, id_of(request.comm), world_rank(request.comm, peer), tag, request.id);
}

void sent(MPI_Comm comm, int peer, int tag) {
    if (peer != MPI_PROC_NULL)
        note(SENT, id_of(comm), world_rank(comm, peer), tag, 0);
}

int64_t next_number(void) {
    return ++numbers;
}

void met(MPI_Comm comm, int who, int root) {
    note(COLLECTIVE, id_of(comm), who, world_rank(comm, root), 0);
}

int64_t met_later(MPI_Comm comm, int who, int root) {
    note(BEGUN, id_of(comm), who, world_rank(comm, root), ++numbers);
    return numbers;
}

void begin(void) {
    char path[4096];
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    find_shard();
    snprintf(path, sizeof path, "%s/%d.log", getenv("AUTOANALYZER_TEST_LOG"), rank);
    int file = shard ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_TRUNC, 0644) : -1;
    if (file < 0 || syscall(SYS_ftruncate, file, ROOM)) {
        fprintf(stderr, "path_log: no shard, or no log\n");
        _exit(99);
    }
    log_begin = log_next = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    met(MPI_COMM_WORLD, 'e', 0);
}

void end(void) {
    met(MPI_COMM_WORLD, 'e', 0);
}
