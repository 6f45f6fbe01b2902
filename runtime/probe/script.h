/* The program that an interpreter runs. */
#ifndef AA_SCRIPT_H
#define AA_SCRIPT_H

#include <stddef.h>

/* Its name, without the folder, or that of a module; empty unless the executable is Python with a program. */
void aa_script_name(const char *executable, char *name, size_t room);

#endif
