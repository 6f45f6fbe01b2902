/* What the launcher says of the process, and warnings, which name its rank. */
#ifndef AA_WARNING_H
#define AA_WARNING_H

/* What launchers call a process's rank, and their number; -1 if none says. */
int aa_launched_rank(void);
int aa_launched_local_rank(void); /* on its node */
int aa_launched_size(void);

/* Print one line on standard error. */
void aa_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
