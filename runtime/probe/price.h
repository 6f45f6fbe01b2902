/* What measuring costs, measured when the process starts. */
#ifndef AA_PRICE_H
#define AA_PRICE_H

#include <stdbool.h>

/* What an entry and exit of a region costs, throttled or not, in ticks. */
double aa_price_of_pair(bool throttled);

/* What it costs where the entry of a throttled region calls nobody. */
double aa_price_of_passing(void);

#endif
