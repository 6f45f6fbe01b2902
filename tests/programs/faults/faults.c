/* One fault of a chosen kind among phases that have none:
   faults none|misses|io|network|instructions [all|last] [steps]; README.md says what each does. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 512, VALUES = 4096, RECORD = 1 << 16, TERMS = 8, ROUNDS = 10, TALK = 20, WALK = 3 };

static double grid[SIDE][SIDE], line[VALUES], record[RECORD], copy[RECORD];

/* Sums up the grid, along its rows or, as a fault, down its columns. */
static double walk(bool fault) {
    const double *at = &grid[0][0];
    int along = fault ? SIDE : 1, across = fault ? 1 : SIDE;
    double sum = 0;
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            sum += at[i * across + j * along];
        }
    }
    return sum;
}

/* Keeps a number in a file or, as a fault, the whole record, over and over, and reads it back. */
static void dump(FILE *file, bool fault) {
    size_t values = fault ? RECORD : 1;
    for (int round = 0; round < (fault ? ROUNDS : 1); round++) {
        rewind(file);
        fwrite(record, sizeof *record, values, file);
        rewind(file);
        if (fread(copy, sizeof *copy, values, file) != values) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

/* Adds up a number of all ranks; as a fault, some of them send their whole records to all others first. */
static double exchange(double value, int first, int size) {
    double total = 0;
    for (int sender = first; sender < size; sender++) {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        for (int round = 0; round < ROUNDS; round++) {
            if (rank == sender) {
                for (int i = 0; i < RECORD; i++) {
                    copy[i] = record[i] * (1 + round);
                }
            }
            for (int other = 0; other < size; other++) {
                if (rank == sender && other != sender) {
                    MPI_Send(copy, RECORD, MPI_DOUBLE, other, round, MPI_COMM_WORLD);
                } else if (rank == other && other != sender) {
                    MPI_Recv(copy, RECORD, MPI_DOUBLE, sender, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                }
            }
        }
    }
    MPI_Allreduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return total;
}

/* Evaluates a polynomial at each value, by Horner's rule or, as a fault, with every power anew. */
static double evaluate(bool fault) {
    double sum = 0;
    for (int i = 0; i < VALUES; i++) {
        double value = 0;
        for (int term = TERMS; term >= 0; term--) {
            if (fault) {
                double power = 1;
                for (int factor = 0; factor < term * TERMS; factor++) {
                    power *= factor % TERMS == 0 ? line[i] : 1.0;
                }
                value += power;
            } else {
                value = value * line[i] + 1;
            }
        }
        sum += value;
    }
    return sum;
}

/* Smoothes the line. */
static double smooth(void) {
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 1; i < VALUES - 1; i++) {
            line[i] = 0.25 * line[i - 1] + 0.5 * line[i] + 0.25 * line[i + 1];
        }
    }
    return line[VALUES / 2];
}

/* Scatters a few values over the line. */
static double scatter(unsigned seed) {
    for (int i = 0; i < 4 * VALUES; i++) {
        seed = seed * 1664525u + 1013904223u;
        line[seed >> 20] += 1e-6 * (seed >> 28);
    }
    return line[0];
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *fault = argc > 1 ? argv[1] : "";
    bool last = argc > 2 && strcmp(argv[2], "last") == 0, mine = !last || rank == size - 1;
    int steps = argc > 3 ? atoi(argv[3]) : 200;
    for (int i = 0; i < VALUES; i++) {
        line[i] = 0.5 + 1.0 / (2 + i);
    }
    for (int i = 0; i < RECORD; i++) {
        record[i] = i;
    }
    for (int i = 0; i < SIDE * SIDE; i++) {
        grid[i / SIDE][i % SIDE] = i % 7;
    }
    FILE *file = tmpfile();
    int first = strcmp(fault, "network") == 0 ? (last ? size - 1 : 0) : size;
    double sum = 0;
    for (int step = 0; step < steps; step++) {
        if (step % WALK == 0) {
            sum += walk(mine && strcmp(fault, "misses") == 0);
        }
        sum += evaluate(mine && strcmp(fault, "instructions") == 0);
        sum += scatter((unsigned)step) + smooth();
        dump(file, mine && strcmp(fault, "io") == 0);
        if (step % TALK == TALK - 1) {
            sum = exchange(sum, first, size) / size;
        }
    }
    fclose(file);
    if (rank == 0) {
        printf("faults: %.9g\n", sum);
    }
    MPI_Finalize();
    return 0;
}
