/*
 * The probe library: the functions that instrumented programs call, and those with which the MPI and I/O
 * wrappers inform the core. The library is preloaded, never linked. While AUTOANALYZER_SHARDS does not name a
 * folder, everything here does nothing. Each thread that enters a region has a call-path tree in the
 * process's shard file (shard.h). At every event the time since the thread's last event goes to the node
 * where the thread was. So the file contains exclusive values, and a killed process loses no more than the
 * open interval.
 */
#ifndef AA_PROBE_H
#define AA_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "share.h"

#define AA_DESCRIPTOR_VERSION "aa1" /* twin: DESCRIPTOR_VERSION in experiment/region.py */

/* Exported functions; everything else is hidden by -fvisibility=hidden. */
#define AA_EXPORT __attribute__((visibility("default")))

/*
 * A region is entered and left. The descriptor ("aa1|kind|name|file|function|ordinal|first|last", and perhaps
 * by what plans know the text of the file) must live as long as the process: its address is the key, its text
 * the identity. Instrumented programs find these functions by dlsym. Enter gives back what is to be left:
 * null if the region is throttled.
 */
AA_EXPORT const char *aa_probe_enter(const char *descriptor);
AA_EXPORT void aa_probe_exit(const char *descriptor);

/*
 * The same for probes that have a site of their own, where it is said how many entries only count: each takes
 * one off, and enters where none was left. In what may be in a shared library, where the site is that of all
 * threads, only those do whose stack is the main one, of which this is the top.
 */
AA_EXPORT const char *aa_probe_enter_counted(const char *descriptor, int64_t *site);
AA_EXPORT extern const char *aa_probe_stack;

/*
 * The same for Fortran, whose probes share slots (site.h), and do not know whether the region was entered, or
 * throttled and let pass: only what was entered last is left. In recursion an outer call is left too early;
 * its time is its caller's anyway.
 */
struct aa_slot;
AA_EXPORT void aa_probe_enter_slot(const char *descriptor, struct aa_slot *slot);
AA_EXPORT void aa_probe_exit_or_pass(const char *descriptor);

/*
 * A jump has landed in an open region: those entered since are left. It is where languages jump by rule, as
 * Fortran does at an alternate return, so that it is no repair.
 */
AA_EXPORT void aa_probe_resync(const char *descriptor);

/*
 * A library call inside a region. The time since the last event is the node's own at begin, and its share of
 * MPI, I/O or OpenMP at end: an enum aa_share, and which library is at work. Guarded by depth, per thread and
 * over all shares: only the outermost call is timed, and begin returns whether this one is. Every begin has
 * its end, the inner ones too. No-ops in threads without a tree.
 */
bool aa_share_begin(uint32_t share);
void aa_share_end(bool outermost);

/* The timed call continues, and the following time has another share. */
void aa_share_turn_to(uint32_t share);

/* All calls that have begun in the current region were left by a jump. */
void aa_share_leave(void);

/*
 * A statement of the program that does I/O through a run-time library: I/O time, in which library calls begin
 * and end, and count, as outside of it. Begin returns whether it has its end.
 */
bool aa_statement_begin(void);
void aa_statement_end(void);

/* Add to the current node; bytes are those that the program sends and receives. */
void aa_count_mpi(uint64_t calls, uint64_t sent, uint64_t received);
void aa_count_io(uint64_t calls, uint64_t read, uint64_t written);

/* Whether the thread is at the base of its tree, in no library call: outside of every region. */
bool aa_is_outside_regions(void);

/*
 * The lifetime of the process, reported by the MPI wrappers. The first call creates the shard if there is
 * none yet.
 */
void aa_process_mpi_initialised(int rank, int size, bool spawned);
void aa_process_thread_level(int provided);
void aa_process_waited(void); /* in a barrier of ours */
void aa_process_mpi_finalising(void);
void aa_process_mpi_past(void); /* a library's calls of MPI were not seen */
void aa_process_mpi_finalised(void);
void aa_process_aborting(int code);

#endif
