/*
 * The process's rank and the job's size, from the launcher's variables; and warnings, which contain the
 * rank.
 */
#ifndef AA_WARNING_H
#define AA_WARNING_H

/* Return the rank in MPI_COMM_WORLD, the rank on the node, and the number of processes; -1 if unknown. */
int aa_launched_rank(void);
int aa_launched_local_rank(void); /* the rank on the node */
int aa_launched_size(void);

/* Prints one line to standard error. */
void aa_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
