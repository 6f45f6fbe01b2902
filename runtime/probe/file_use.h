/*
 * The files that the process reads and writes, by name: calls, bytes and time of each, in records of the
 * shard. Those for which there is no room have one record together.
 */
#ifndef AA_FILE_USE_H
#define AA_FILE_USE_H

#include "shard.h"

/* Which files there are: a number each, from 1 on; 0 if nothing can be recorded now. */
uint16_t aa_file_number(const char *name);

/* Add to a file's record, if there is one. Ticks are the time of the calls. */
void aa_file_add(uint16_t number, uint64_t calls, uint64_t read, uint64_t written, uint64_t ticks);

/* In the child of a fork, which has a shard of its own. */
void aa_file_forget(void);

#endif
