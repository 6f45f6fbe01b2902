/* What measuring costs, measured when the process starts. */
#ifndef AA_PRICE_H
#define AA_PRICE_H

/* What an entry and exit of a region costs, in ticks; and that of a throttled one which calls nobody. */
double aa_price_of_pair(void);
double aa_price_of_passing(void);

#endif
