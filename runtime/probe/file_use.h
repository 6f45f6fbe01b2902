/*
 * The files that the process reads and writes, by name: calls, bytes and time, each in a record of the
 * shard. Files for which there is no space share one record.
 */
#ifndef AA_FILE_USE_H
#define AA_FILE_USE_H

#include "shard.h"

/* Returns the number of a file, from 1 on; 0 if nothing can be recorded now. */
uint16_t aa_file_number(const char *name);

/* Adds to a file's record, if there is one. ticks: the time of the calls. */
void aa_file_add(uint16_t number, uint64_t calls, uint64_t read, uint64_t written, uint64_t ticks);

/* In the child of a fork, which has its own shard. */
void aa_file_forget(void);

#endif
