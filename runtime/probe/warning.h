/* The launcher's data about the process, and warnings, which name its rank. */
#ifndef AA_WARNING_H
#define AA_WARNING_H

/* The process's rank and the number of processes in the launcher's variables; -1 if there is none. */
int aa_launched_rank(void);
int aa_launched_local_rank(void); /* on its node */
int aa_launched_size(void);

/* Prints one line on standard error. */
void aa_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
