/* The C library's dlsym. Our own dlsym, which finds MPI wrappers, hides it. */
#ifndef AA_LIBC_DLSYM_H
#define AA_LIBC_DLSYM_H

typedef void *aa_look_up_function(void *library, const char *name);

/* Returns the C library's dlsym; ends the process if there is none. */
aa_look_up_function *aa_libc_dlsym(void);

/* Calls the C library's dlsym from this library. */
void *aa_look_up(void *library, const char *name);

#endif
