/* Print the layout of a shard, to compare it with runtime/gather/shard_layout.py. */
#include <stdio.h>

#include "path.h"
#include "probe.h"
#include "sample.h"
#include "shard.h"

#define SIZE(name, type) printf(name " size %zu\n", sizeof(type))
#define FIELD(name, type, field)                                                                             \
    printf(name " %s %zu %zu\n", #field, offsetof(type, field), sizeof(((type *)0)->field))
#define HEADER(field) FIELD("header", struct aa_header, field)
#define THREAD(field) FIELD("thread", struct aa_thread, field)
#define NODE(field) FIELD("node", struct aa_node, field)
#define THROTTLE(field) FIELD("throttle", struct aa_throttle, field)
#define WAIT(field) FIELD("wait", struct aa_wait, field)
#define SAMPLE(field) FIELD("sample", struct aa_sample, field)
#define PATH(field)                                                                                          \
    printf("path %s %zu %zu\n", #field, offsetof(struct aa_path_record, path.field),                       \
           sizeof(((struct aa_path *)0)->field))
#define SAMPLES(field) FIELD("samples", struct aa_samples, field)
#define PART(field) FIELD("part", struct aa_part, field)
#define CONSTANT(name, value) printf("constant %s %llu\n", name, (unsigned long long)(value))

static void print_header(void) {
    SIZE("header", struct aa_header);
    HEADER(magic), HEADER(version), HEADER(byte_order), HEADER(header_size), HEADER(region_size);
    HEADER(thread_size), HEADER(node_size), HEADER(used), HEADER(base), HEADER(pid), HEADER(rank);
    HEADER(size), HEADER(thread_level), HEADER(state), HEADER(exit_code), HEADER(cpus), HEADER(unrecorded);
    HEADER(refused), HEADER(regions), HEADER(threads), HEADER(uncounted), HEADER(ticks_per_second);
    HEADER(pair_cost), HEADER(fortran_cost), HEADER(throttled_cost), HEADER(passing_cost), HEADER(left_cost), HEADER(opened_cost), HEADER(slot_cost), HEADER(messages_left_out), HEADER(start_realtime), HEADER(start), HEADER(latest), HEADER(mpi_initialised);
    HEADER(mpi_finalising), HEADER(mpi_finalised), HEADER(end), HEADER(wall_clock), HEADER(cpu_clock);
    HEADER(host), HEADER(executable), HEADER(sources), HEADER(forked_from);
    HEADER(spawned), HEADER(deepest), HEADER(script), HEADER(topologies_left_out), HEADER(run_delay), HEADER(involuntary);
    HEADER(trace_interval), HEADER(trace_generation), HEADER(trace_slowed), HEADER(trace_lost), HEADER(trace_left);
    HEADER(trace_left_out), HEADER(barriers), HEADER(counting), HEADER(call_cost), HEADER(system), HEADER(mpi_bypassed);
    HEADER(path_state), HEADER(path_lost), HEADER(path_messages), HEADER(path_ticks), HEADER(path_left_out);
}

static void print_thread(void) {
    SIZE("thread", struct aa_thread);
    THREAD(current), THREAD(last), THREAD(index), THREAD(tid), THREAD(taken), THREAD(in_use);
    THREAD(repairs), THREAD(unmatched), THREAD(collapsed);
    THREAD(fortran), THREAD(passed), THREAD(opened), THREAD(left), THREAD(reentered), THREAD(stopped);
    THREAD(slotted), THREAD(synchronised);
}

static void print_node(void) {
    SIZE("node", struct aa_node);
    NODE(thread), NODE(parent), NODE(region), NODE(visits), NODE(io_calls), NODE(mpi_calls);
    NODE(mpi_sent), NODE(mpi_received), NODE(wall), NODE(off), NODE(io_read), NODE(io_written), NODE(counters);
}

static void print_throttle(void) {
    SIZE("throttle", struct aa_throttle);
    THROTTLE(node), THROTTLE(visits), THROTTLE(again);
}

static void print_sample(void) {
    SIZE("sample", struct aa_sample);
    SAMPLE(size), SAMPLE(parts), SAMPLE(unused), SAMPLE(thread), SAMPLE(node), SAMPLE(begin), SAMPLE(end);
    SAMPLE(present), SAMPLE(recorded);
    SIZE("part", struct aa_part);
    PART(node), PART(computing), PART(visits), PART(ticks);
    printf("chunk size %zu\n", offsetof(struct aa_chunk, samples));
}

static void print_path(void) {
    SIZE("path", struct aa_path_record);
    FIELD("path", struct aa_path_record, kind);
    FIELD("path", struct aa_path_record, number);
    PATH(length);
    PATH(base);
    PATH(rank);
    PATH(segment);
    PATH(count);
    PATH(from);
    PATH(entries);
    SIZE("entry", struct aa_path_entry);
    FIELD("entry", struct aa_path_entry, rank);
    FIELD("entry", struct aa_path_entry, node);
    FIELD("entry", struct aa_path_entry, what);
    FIELD("entry", struct aa_path_entry, visits);
    FIELD("entry", struct aa_path_entry, work);
}

static void print_wait(void) {
    printf("wait size %zu\n", offsetof(struct aa_wait, at));
    WAIT(kind), WAIT(node), WAIT(length), WAIT(entries), WAIT(contended), WAIT(waited), WAIT(waited_off);
    printf("place descriptor %zu\n", offsetof(struct aa_wait, descriptor));
}

static void print_samples(void) {
    SIZE("samples", struct aa_samples);
    SAMPLES(thread), SAMPLES(state), SAMPLES(room), SAMPLES(used), SAMPLES(period), SAMPLES(signals);
    SAMPLES(periods), SAMPLES(crowded), SAMPLES(lost);
    SIZE("sample_count", struct aa_sample_count);
    FIELD("sample_count", struct aa_sample_count, place);
    FIELD("sample_count", struct aa_sample_count, node);
    FIELD("sample_count", struct aa_sample_count, periods);
    printf("mapping name %zu\n", offsetof(struct aa_mapping, name));
}

static void print_messages(void) {
    SIZE("traffic", struct aa_traffic);
    FIELD("traffic", struct aa_traffic, messages);
    FIELD("traffic", struct aa_traffic, bytes);
    FIELD("traffic", struct aa_traffic, waited);
    printf("messages %zu %zu %zu %d\n", offsetof(struct aa_messages, per_block), offsetof(struct aa_messages, count),
           offsetof(struct aa_messages, with), AA_MOST_BLOCKS);
}

static void print_constants(void) {
    CONSTANT("SAMPLES_RECORD", AA_RECORD_SAMPLES);
    CONSTANT("MAPPING_RECORD", AA_RECORD_MAPPING);
    CONSTANT("MESSAGES_RECORD", AA_RECORD_MESSAGES);
    CONSTANT("on", AA_SAMPLING_ON);
    CONSTANT("old_kernel", AA_SAMPLING_OLD_KERNEL);
    CONSTANT("theirs", AA_SAMPLING_THEIRS);
    CONSTANT("blocked", AA_SAMPLING_BLOCKED);
    CONSTANT("refused", AA_SAMPLING_REFUSED);
    CONSTANT("small_stack", AA_SAMPLING_SMALL);
    CONSTANT("masking", AA_SAMPLING_MASKING);
    CONSTANT("PATH_RECORD", AA_RECORD_PATH);
    CONSTANT("OBJECT_RECORD", AA_RECORD_OBJECT);
    CONSTANT("WAIT_RECORD", AA_RECORD_WAIT);
    CONSTANT("critical", AA_WAIT_CRITICAL);
    CONSTANT("atomic", AA_WAIT_ATOMIC);
    CONSTANT("lock", AA_WAIT_LOCK);
    CONSTANT("ordered", AA_WAIT_ORDERED);
    CONSTANT("barrier", AA_WAIT_BARRIER);
    CONSTANT("single", AA_WAIT_SINGLE);
    CONSTANT("tasks", AA_WAIT_TASKS);
    CONSTANT("PATH_ENTRIES", AA_PATH_ENTRIES);
    CONSTANT("not_asked", AA_PATH_NOT_ASKED);
    CONSTANT("sessions", AA_PATH_SESSIONS);
    CONSTANT("alone", AA_PATH_ALONE);
    CONSTANT("known", AA_PATH_KNOWN);
    CONSTANT("too_dear", AA_PATH_TOO_DEAR);
    CONSTANT("missed", AA_PATH_MISSED);
    CONSTANT("chain", AA_PATH_CHAIN);
    CONSTANT("segment", AA_PATH_SEGMENT);
    CONSTANT("total", AA_PATH_TOTAL);
    CONSTANT("delay", AA_PATH_DELAY);
    CONSTANT("team", AA_PATH_TEAM);
    CONSTANT("message_delay", AA_PATH_MESSAGE_DELAY);
    CONSTANT("CHUNK_RECORD", AA_RECORD_CHUNK);
    CONSTANT("minor_faults", AA_MINOR_FAULTS);
    CONSTANT("major_faults", AA_MAJOR_FAULTS);
    CONSTANT("voluntary_switches", AA_VOLUNTARY_SWITCHES);
    CONSTANT("involuntary_switches", AA_INVOLUNTARY_SWITCHES);
    CONSTANT("resident", AA_RESIDENT);
    CONSTANT("TRACE_VALUES", AA_TRACE_VALUES);
    CONSTANT("COUNTS_IN_MPI", AA_COUNTS_IN_MPI);
    CONSTANT("COUNTS_IN_IO", AA_COUNTS_IN_IO);
    CONSTANT("COUNTS_BY_TURNS", AA_COUNTS_BY_TURNS);
    CONSTANT("VERSION", AA_SHARD_VERSION);
    CONSTANT("BYTE_ORDER", AA_SHARD_BYTE_ORDER);
    CONSTANT("ALIGNMENT", AA_SHARD_ALIGNMENT);
    CONSTANT("SOURCE_LENGTH", AA_SOURCE_LENGTH);
    CONSTANT("NO_REGION", AA_NO_REGION);
    CONSTANT("REGION_RECORD", AA_RECORD_REGION);
    CONSTANT("THREAD_RECORD", AA_RECORD_THREAD);
    CONSTANT("NODE_RECORD", AA_RECORD_NODE);
    CONSTANT("FILE_RECORD", AA_RECORD_FILE);
    CONSTANT("THROTTLE_RECORD", AA_RECORD_THROTTLE);
    CONSTANT("TOPOLOGY_RECORD", AA_RECORD_TOPOLOGY);
    CONSTANT("MOST_TOPOLOGIES", AA_MOST_TOPOLOGIES);
    CONSTANT("MOST_DIMENSIONS", AA_MOST_DIMENSIONS);
    CONSTANT("grid", AA_GRID);
    CONSTANT("graph", AA_GRAPH);
    CONSTANT("distributed_graph", AA_DISTRIBUTED_GRAPH);
    CONSTANT("instructions", AA_INSTRUCTIONS);
    CONSTANT("cycles", AA_CYCLES);
    CONSTANT("l1_accesses", AA_L1_ACCESSES);
    CONSTANT("l1_misses", AA_L1_MISSES);
    CONSTANT("l2_accesses", AA_L2_ACCESSES);
    CONSTANT("l2_misses", AA_L2_MISSES);
    for (int i = 0; i < AA_MOST_EVENTS; i++)
        printf("constant event_%d %d\n", i + 1, AA_EVENTS + i);
    CONSTANT("mpi_instructions", AA_MPI_INSTRUCTIONS);
    CONSTANT("running", AA_RUNNING);
    CONSTANT("finalizing", AA_FINALIZING);
    CONSTANT("finalized", AA_FINALIZED);
    CONSTANT("exited", AA_EXITED);
    CONSTANT("aborted", AA_ABORTED);
}

int main(void) {
    print_header();
    print_thread();
    print_node();
    print_throttle();
    print_sample();
    print_path();
    print_wait();
    print_samples();
    print_messages();
    print_constants();
    printf("text magic %s\ntext descriptor %s\n", AA_SHARD_MAGIC, AA_DESCRIPTOR_VERSION);
    printf("file name %zu\n", offsetof(struct aa_file, name));
    printf("object name %zu\n", offsetof(struct aa_object, name));
    printf("topology axes %zu %zu\n", offsetof(struct aa_topology, axes), sizeof(struct aa_axis));
    printf("region descriptor %zu\n", offsetof(struct aa_region, descriptor));
    return 0;
}
