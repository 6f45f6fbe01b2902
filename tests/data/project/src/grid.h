#ifndef GRID_H
#define GRID_H

#ifdef __cplusplus
extern "C" {
#endif

void grid_fill(int n, double *values);
double grid_sum(int n, const double *values);

#ifdef __cplusplus
}
#endif

#endif
