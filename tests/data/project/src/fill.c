#include "grid.h"

void grid_fill(int n, double *values)
{
    for (int i = 0; i < n; i++)
        values[i] = i + 1;
}
