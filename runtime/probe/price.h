/* What measuring costs, measured when the process starts. */
#ifndef AA_PRICE_H
#define AA_PRICE_H

/* An entry and exit of a region; the same of a throttled one; a call of a library that is in a region. */
enum aa_priced { AA_PAIR, AA_THROTTLED_PAIR, AA_CALL };

/* What it costs, in ticks. */
double aa_price_of(enum aa_priced what);

/* What it costs where the entry of a throttled region calls nobody. */
double aa_price_of_passing(void);

#endif
