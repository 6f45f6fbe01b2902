/* What the system says of a thread, and of the process: page faults, switches of context, memory. */
#ifndef AA_SYSTEM_H
#define AA_SYSTEM_H

#include "shard.h"

/* Of the calling thread, but for its process's memory; returns the microseconds that it was in the kernel. */
uint64_t aa_system_of_thread(uint64_t values[AA_SYSTEM_VALUES]);

/* Of all threads since the process began, those that have ended too, and the most memory that it had. */
void aa_system_of_process(uint64_t values[AA_SYSTEM_VALUES]);

#endif
