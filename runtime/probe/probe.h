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
 * Enter and exit a region. The descriptor ("aa1|kind|name|file|function|ordinal|first|last", optionally
 * followed by an identifier of the file's version) must live as long as the process: its address is the
 * key, its text the identity. Instrumented programs find these functions by dlsym. Enter returns the value
 * to pass to exit: null if the region is throttled.
 */
AA_EXPORT const char *aa_probe_enter(const char *descriptor);
AA_EXPORT void aa_probe_exit(const char *descriptor);

/*
 * The same for probes with their own site, a counter of entries that are only counted: each entry
 * decrements it, and an entry that finds none left calls this function. In code that may be in a shared
 * library, all threads share the site, and only those decrement it whose stack is the main thread's, with
 * this top.
 */
AA_EXPORT const char *aa_probe_enter_counted(const char *descriptor, int64_t *site);
AA_EXPORT extern const char *aa_probe_stack;

/*
 * The same for Fortran, whose probes share slots (site.h), and do not know whether the region was entered or
 * throttled: the exit leaves the region only if it was entered last. With recursion, an outer call may be
 * left too early; then its time goes to its caller.
 */
struct aa_slot;
AA_EXPORT void aa_probe_enter_slot(const char *descriptor, struct aa_slot *slot);
AA_EXPORT void aa_probe_exit_or_pass(const char *descriptor);

/*
 * A jump has landed in an open region: leaves the regions entered since. This is a regular jump of the
 * language, such as Fortran's alternate return, so it does not count as a repair.
 */
AA_EXPORT void aa_probe_resync(const char *descriptor);

/*
 * A library call inside a region. At begin, the time since the last event is the node's own; at end, it is
 * the share of MPI, I/O or OpenMP. share: an enum aa_share, combined with the library that is at work.
 * Calls may be nested, with any shares: only the outermost one of a thread is timed, and begin returns
 * whether this one is. Every begin needs an end. In threads without a tree they do nothing.
 */
bool aa_share_begin(uint32_t share);
void aa_share_end(bool outermost);

/* The timed call continues, and the following time has another share. */
void aa_share_turn_to(uint32_t share);

/* All calls that have begun in the current region were left by a jump. */
void aa_share_leave(void);

/*
 * A statement of the program that does I/O through a run-time library. Its time is I/O time; library calls
 * in it are counted as outside it. Begin returns whether an end must follow.
 */
bool aa_statement_begin(void);
void aa_statement_end(void);

/* Adds to the current node; bytes are those that the program sends and receives. */
void aa_count_mpi(uint64_t calls, uint64_t sent, uint64_t received);
void aa_count_io(uint64_t calls, uint64_t read, uint64_t written);

/* Whether the thread is at the base of its tree and in no library call, so outside all regions. */
bool aa_is_outside_regions(void);

/*
 * The lifetime of the process, reported by the MPI wrappers. The first call creates the shard if there is
 * none yet.
 */
void aa_process_mpi_initialised(int rank, int size, bool spawned);
void aa_process_thread_level(int provided);
void aa_process_waited(void); /* in one of our barriers */
void aa_process_mpi_finalising(void);
void aa_process_mpi_past(void); /* MPI calls of a library were not seen */
void aa_process_mpi_finalised(void);
void aa_process_aborting(int code);

#endif
