/* A rank's share of the plate: a band of whole rows, with a halo row of the neighbours' above and below. */
#ifndef FIELD_H
#define FIELD_H

#include <stdbool.h>

struct field {
    int rows, columns; /* own rows, numbered 1 to rows; rows 0 and rows + 1 are the halo */
    double *cells;
};

static inline double *field_row(const struct field *field, int row) {
    return field->cells + (long)row * field->columns;
}

/* A plate at ambient temperature, with one hot edge at the top if this band is the topmost; false if there is
   no memory for it. */
bool field_make(struct field *field, int rows, int columns, bool topmost);

void field_free(struct field *field);

/* The sum of the squares of what the own rows of the two fields differ by. */
double field_distance(const struct field *a, const struct field *b);

#endif
