/* The name of the program that Python runs. */
#ifndef AA_SCRIPT_H
#define AA_SCRIPT_H

#include <stddef.h>

/*
 * Writes the name of the script or module that Python runs, in at most `room` bytes; an empty name if the
 * executable is not Python, or runs neither a script nor a module.
 */
void aa_script_name(const char *executable, char *name, size_t room);

#endif
