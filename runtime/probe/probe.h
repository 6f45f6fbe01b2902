/*
 * The probe library: the functions that instrumented programs call, and those with which the MPI and I/O
 * wrappers report to it. The library is preloaded, never linked. Nothing here has any effect unless
 * AUTOANALYZER_SHARDS names a folder.
 *
 * Each thread that enters a region has a call-path tree in the process's shard, a file (shard.h). At every
 * event, the time since the thread's last event is added to the node where the thread was. The file therefore
 * contains exclusive values, and a process that is killed loses at most the time since its last event.
 */
#ifndef AA_PROBE_H
#define AA_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "share.h"

#define AA_DESCRIPTOR_VERSION "aa1" /* must equal DESCRIPTOR_VERSION in experiment/region.py */

/* Exported functions; everything else is hidden by -fvisibility=hidden. */
#define AA_EXPORT __attribute__((visibility("default")))

/*
 * Enter and leave a region. Its descriptor, "aa1|kind|name|file|function|ordinal|first|last", optionally
 * followed by an identifier of the file's version, must live as long as the process, because its address is
 * the key in the tree. Its text identifies the region. Instrumented programs find these functions by dlsym.
 * aa_probe_enter returns the value to pass to aa_probe_exit; null if the region is throttled, so that the
 * exit need not be reported.
 */
AA_EXPORT const char *aa_probe_enter(const char *descriptor);
AA_EXPORT void aa_probe_exit(const char *descriptor);

/*
 * Enters a region whose probe has its own site: the number of further entries that need only be counted. Each
 * entry decrements the site, and calls this function when it falls below 0. In code that may be in a shared
 * library, all threads share the site, but only the main thread decrements it. The main thread is recognised
 * by its stack, which is below aa_probe_stack.
 */
AA_EXPORT const char *aa_probe_enter_counted(const char *descriptor, int64_t *site);
AA_EXPORT extern const char *aa_probe_stack;

/*
 * Enter and leave a Fortran region. Fortran's probes use slots (site.h) and do not store whether a region was
 * entered or throttled, so the exit only leaves the region if it was the last region that was entered. slot:
 * null in threads other than the main thread. In a recursion, an outer call may be left too early; its
 * remaining time then goes to its caller.
 */
struct aa_slot;
struct aa_main;
AA_EXPORT void aa_probe_enter_in_slot(const char *descriptor, struct aa_slot *slot);
/* Enters a region of an object that an earlier version has instrumented. Its slots stay empty, so that each
 * entry calls this function. */
AA_EXPORT void aa_probe_enter_slot(const char *descriptor, void *slot);
AA_EXPORT extern struct aa_main aa_probe_main;
AA_EXPORT void aa_probe_exit_or_pass(const char *descriptor);

/*
 * Leaves all regions that were entered after this one, because a jump has landed in this region. Only for
 * regular jumps of the language, such as Fortran's alternate return, which do not count as repairs.
 */
AA_EXPORT void aa_probe_resync(const char *descriptor);

/*
 * Begin and end a library call. share: the category of its time, an enum aa_share, combined with a flag if
 * the MPI or OpenMP library is running. Calls may be nested, with any shares, but only a thread's outermost
 * call is timed; aa_share_begin returns whether this call is timed. Each begin needs an end. Both do nothing
 * in threads without a tree.
 */
bool aa_share_begin(uint32_t share);
void aa_share_end(bool outermost);

/* From now on, the time of the call that is being timed goes to this share. */
void aa_share_turn_to(uint32_t share);

/* Ends all calls that have begun, because a jump has left them. */
void aa_share_leave(void);

/*
 * Begin and end a statement that does I/O through a run-time library, as in Fortran. Its time is I/O time.
 * Library calls inside it count as if they were outside. aa_statement_begin returns whether
 * aa_statement_end must follow.
 */
bool aa_statement_begin(void);
void aa_statement_end(void);

/*
 * Add calls and bytes to the calling thread's current node. sent, received, read, written: the bytes that the
 * program passes to these calls or gets from them.
 */
void aa_count_mpi(uint64_t calls, uint64_t sent, uint64_t received);
void aa_count_io(uint64_t calls, uint64_t read, uint64_t written);

/*
 * Returns whether the calling thread is outside all regions: it has a tree, is at the base of the tree, and
 * is in no library call.
 */
bool aa_is_outside_regions(void);

/*
 * The lifetime of the process, reported by the MPI wrappers. The first of these calls creates the shard if
 * there is none yet.
 */
void aa_process_mpi_initialised(int rank, int size, bool spawned);
void aa_process_thread_level(int provided);
void aa_process_waited(void); /* counts our own barrier before a collective */
void aa_process_mpi_finalising(void);
void aa_process_mpi_past(void); /* some MPI calls bypassed the wrappers */
void aa_process_mpi_finalised(void);
void aa_process_aborting(int code);

#endif
