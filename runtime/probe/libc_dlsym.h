/* The C library's dlsym, behind the one that finds wrappers of MPI's functions. */
#ifndef AA_LIBC_DLSYM_H
#define AA_LIBC_DLSYM_H

typedef void *aa_look_up_function(void *library, const char *name);

aa_look_up_function *aa_libc_dlsym(void);

/* The same, called for this library itself. */
void *aa_look_up(void *library, const char *name);

#endif
