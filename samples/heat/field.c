#include "field.h"

#include <stdlib.h>

static const double ambient = 20, hot = 100;

bool field_make(struct field *field, int rows, int columns, bool topmost) {
    *field = (struct field){rows, columns, malloc((size_t)(rows + 2) * columns * sizeof *field->cells)};
    if (field->cells == NULL) {
        return false;
    }
    for (int row = 0; row < rows + 2; row++) {
        double *cells = field_row(field, row);
        for (int column = 0; column < columns; column++) {
            cells[column] = topmost && row == 0 ? hot : ambient;
        }
    }
    return true;
}

void field_free(struct field *field) {
    free(field->cells);
}

double field_distance(const struct field *a, const struct field *b) {
    double sum = 0;
    for (int row = 1; row <= a->rows; row++) {
        const double *left = field_row(a, row), *right = field_row(b, row);
        for (int column = 0; column < a->columns; column++) {
            double difference = left[column] - right[column];
            sum += difference * difference;
        }
    }
    return sum;
}
