/* Short and long reads and writes of a file, through the page cache, as in most programs. */
#ifndef AA_FILES_H
#define AA_FILES_H

#include "work.h"

enum { AA_FILE_WORKS = 4, AA_FEW = 64, AA_LONG = 1 << 20 };

/* Fills in the works, which read and write a new file with this name. Returns -1 and sets errno if the file
 * cannot be created. */
int aa_files(struct aa_work works[AA_FILE_WORKS], const char *name);

/* Returns 0 if all calls succeeded, otherwise the errno of a failure. */
int aa_file_failure(void);

#endif
