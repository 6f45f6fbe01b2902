/*
 * The files that the process reads and writes, by name. Each has a record in the shard with calls, bytes and
 * time. Files for which there is no space share one record.
 */
#ifndef AA_FILE_USE_H
#define AA_FILE_USE_H

#include "shard.h"

/*
 * Returns the number of a file's record, counted from 1, and appends the record if it is new; 0 if this
 * thread cannot append it now.
 */
uint16_t aa_file_number(const char *name);

/*
 * Adds calls, bytes read and written, and the calls' time in ticks to a file's record; does nothing if number
 * is 0.
 */
void aa_file_add(uint16_t number, uint64_t calls, uint64_t read, uint64_t written, uint64_t ticks);

/* Forgets all records in the child of a fork, because they are in the parent's shard. */
void aa_file_forget(void);

#endif
