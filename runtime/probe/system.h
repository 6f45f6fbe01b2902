/* The system's data about a thread or the process: page faults, context switches, memory. */
#ifndef AA_SYSTEM_H
#define AA_SYSTEM_H

#include "shard.h"

/*
 * Reads the data of the calling thread, without the memory of its process; returns the microseconds that it
 * has spent in the kernel.
 */
uint64_t aa_system_of_thread(uint64_t values[AA_SYSTEM_VALUES]);

/*
 * Reads the data of all threads since the process began, including ended threads, and the process's peak
 * memory in bytes.
 */
void aa_system_of_process(uint64_t values[AA_SYSTEM_VALUES]);

#endif
