/* The C library's dlsym, which is hidden by our own one that finds MPI wrappers. */
#ifndef AA_LIBC_DLSYM_H
#define AA_LIBC_DLSYM_H

typedef void *aa_look_up_function(void *library, const char *name);

aa_look_up_function *aa_libc_dlsym(void);

/* The same, called from this library. */
void *aa_look_up(void *library, const char *name);

#endif
