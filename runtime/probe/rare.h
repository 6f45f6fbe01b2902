/* Rare work of the library that takes much longer than an event, such as enlarging a table. */
#ifndef AA_RARE_H
#define AA_RARE_H

#include <stdbool.h>

/*
 * Set when the thread does rare work. The next aa_counter_go then excludes all counts since aa_counter_stop,
 * because some sources of counts cannot stop.
 */
extern _Thread_local bool aa_rare_work __attribute__((tls_model("initial-exec")));

#endif
