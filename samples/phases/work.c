#include "work.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    CELLS = 1 << 20,       /* of the table: 8 MiB, more than a second-level cache holds */
    FIRST_CELLS = 1 << 12, /* in use at first: 32 KiB */
    MOST_FAR = 250,        /* lookups of a thousand that leave the first part */
    LOOKUPS = 600000,      /* a step */
    TERMS = 24,            /* of a polynomial */
    ARGUMENTS = 120000,    /* for which it is evaluated in a step */
    POINTS = 3000000,      /* a step */
    CHECKPOINT_EVERY = 20, /* steps */
    CHECKPOINT = 24 << 20, /* bytes */
    EXCHANGE_EVERY = 25,   /* steps */
    PACKING = 5,           /* steps before an exchange in which new memory is used */
    BLOCKS = 12,           /* of new memory */
    BLOCK = 1 << 20,       /* bytes, fewer than a huge page has */
};

static const double slower = 1.6; /* times the points of the other ranks */

static uint64_t *table;
static double coefficients[TERMS];
static char *state;
static double sum;
static int rank, size;

bool work_start(void) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    table = malloc(CELLS * sizeof *table);
    state = malloc(CHECKPOINT);
    if (table == NULL || state == NULL) {
        return false;
    }
    for (int i = 0; i < CELLS; i++) {
        table[i] = (uint64_t)i * 2654435761u;
    }
    memset(state, rank, CHECKPOINT);
    for (int k = 0; k < TERMS; k++) {
        coefficients[k] = 1.0 / (k + 1);
    }
    return true;
}

void work_end(void) {
    free(table);
    free(state);
}

double work_sum(void) {
    return sum;
}

/* All ranks agree on the end of a step. */
static void agree(double own) {
    double all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sum += all;
}

/* Looks up as many cells in each step, at random places, of which FAR out of a thousand are anywhere in the
   table, and all others in its first part; where the next one is depends on what was found. */
static uint64_t look_up(int far) {
    uint64_t place = 1, found = 0;
    for (int i = 0; i < LOOKUPS; i++) {
        place = place * 6364136223846793005u + 1442695040888963407u + found;
        int anywhere = (int)((place >> 20) % 1000) < far;
        found = table[(place >> 33) % (uint64_t)(anywhere ? CELLS : FIRST_CELLS)];
    }
    return found;
}

/* From three tenths of the steps to seven tenths the working set grows. */
void grow(int step, int steps) {
    double done = (step - 0.3 * steps) / (0.4 * steps);
    done = done < 0 ? 0 : done > 1 ? 1 : done;
    agree((double)(look_up((int)(done * MOST_FAR)) & 1));
}

/* The sum of a polynomial's values, by Horner's rule or by powers, each of which is computed anew. */
static double evaluate(bool horner) {
    double total = 0;
    for (int i = 0; i < ARGUMENTS; i++) {
        double x = (double)i / ARGUMENTS, value = 0;
        for (int k = TERMS - 1; k >= 0; k--) {
            if (horner) {
                value = value * x + coefficients[k];
            } else {
                value += coefficients[k] * x;
                x = x * x + 1e-9;
            }
            if (!horner && k % 2 == 0) {
                value += coefficients[k] / (1 + x);
            }
        }
        total += value;
    }
    return total;
}

/* From half of the steps on another algorithm evaluates. */
void solve(int step, int steps) {
    agree(evaluate(step < steps / 2));
}

static double integrate(int points) {
    double area = 0, width = 1.0 / points;
    for (int i = 0; i < points; i++) {
        double x = (i + 0.5) * width;
        area += 4 / (1 + x * x);
    }
    return area * width;
}

static void write_checkpoint(void) {
    char name[64];
    snprintf(name, sizeof name, "checkpoint.%d", rank);
    FILE *file = fopen(name, "wb");
    if (file == NULL || fwrite(state, 1, CHECKPOINT, file) != CHECKPOINT) {
        fprintf(stderr, "phases: %s cannot be written\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    fclose(file);
    remove(name);
}

/* Every so many steps the state is written. */
void advance(int step, int steps) {
    (void)steps;
    if (step % CHECKPOINT_EVERY == CHECKPOINT_EVERY - 1) {
        write_checkpoint();
    }
    agree(integrate(POINTS));
}

/* With NEW memory the results are laid out in pages that the system has to provide first. */
static double lay_out(bool new) {
    double area = integrate(POINTS);
    for (int block = 0; new &&block < BLOCKS; block++) {
        char *pages = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        for (long i = 0; i < BLOCK; i += 4096) {
            pages[i] = (char)i;
        }
        munmap(pages, BLOCK);
    }
    return area;
}

static void exchange(void) {
    double *mine = calloc((size_t)size, sizeof *mine), *theirs = calloc((size_t)size, sizeof *theirs);
    if (mine == NULL || theirs == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Alltoall(mine, 1, MPI_DOUBLE, theirs, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    free(mine);
    free(theirs);
}

/* In the last steps before an exchange, new memory is used. */
void pack(int step, int steps) {
    (void)steps;
    int place = step % EXCHANGE_EVERY;
    agree(lay_out(place >= EXCHANGE_EVERY - PACKING));
    if (place == EXCHANGE_EVERY - 1) {
        exchange();
    }
}

static double follow(bool behind) {
    return integrate(behind ? (int)(slower * POINTS) : POINTS);
}

/* From half of the steps on the last rank has more to do. */
void track(int step, int steps) {
    agree(follow(rank == size - 1 && step >= steps / 2));
}
