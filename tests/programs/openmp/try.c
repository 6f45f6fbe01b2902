/* While one thread holds a lock, another tries to take it; then they take it one after the other. */
#include <omp.h>
#include <stdio.h>

#define TRIALS 100

int main(void) {
    int taken = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        int first = omp_get_thread_num() == 0;
        if (first)
            omp_test_lock(&lock);
#pragma omp barrier
        for (int i = 0; i < TRIALS && !first; i++)
            taken += omp_test_lock(&lock);
#pragma omp barrier
        if (first)
            omp_unset_lock(&lock);
#pragma omp barrier
        if (!first) {
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
        }
    }
    printf("%d\n", taken);
    return 0;
}
