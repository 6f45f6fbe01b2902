/* Two threads share work. uneven: the first has three times the work of the second; even: both have the same;
   serial: the first works alone before both do the same. */
#include <stdio.h>
#include <string.h>

#define TURNS 5
#define PIECE 6000000

static double series(int pieces) {
    double sum = 0;
    for (long i = 0; i < (long)pieces * PIECE / 4; i++)
        sum += 1 / (1 + (double)i * sum);
    return sum;
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "even";
    int pieces[] = {strcmp(kind, "uneven") == 0 ? 3 : 1, 1};
    double results[2] = {0};
    if (strcmp(kind, "serial") == 0)
        results[0] = series(8);
    for (int turn = 0; turn < TURNS; turn++) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
        for (int i = 0; i < 2; i++) {
            double sum = 0;
            for (long k = 0; k < (long)pieces[i] * PIECE / 4; k++)
                sum += 1 / (1 + (double)k * sum);
            results[i] += sum;
        }
    }
    printf("%g %g\n", results[0], results[1]);
    return 0;
}
