/* The program that Python runs. */
#ifndef AA_SCRIPT_H
#define AA_SCRIPT_H

#include <stddef.h>

/*
 * Writes the script's file name or the module's name; empty unless the executable is Python with a
 * program.
 */
void aa_script_name(const char *executable, char *name, size_t room);

#endif
