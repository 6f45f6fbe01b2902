/* Looking functions of MPI up by name. */
#ifndef AA_MPI_LOOKUP_H
#define AA_MPI_LOOKUP_H

/* The C library's dlsym for this library itself, which looks for no wrappers. */
void *aa_look_up(void *library, const char *name);

#endif
