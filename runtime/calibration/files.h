/*
 * Small and long reads and writes of a file: through the system's memory, as nearly all of a program's are.
 */
#ifndef AA_FILES_H
#define AA_FILES_H

#include "work.h"

enum { AA_FILE_WORKS = 4, AA_FEW = 64, AA_LONG = 1 << 20 };

/* Returns -1, with errno, where the file cannot be made. */
int aa_files(struct aa_work works[AA_FILE_WORKS], const char *name);

/* Returns 0 for success, or an errno. */
int aa_file_failure(void);

#endif
