/* Imbalance of a chosen kind in a chosen place, among phases that are balanced:
   planted PLACE SHAPE [factor] [steps in millions]; README.md lists the places and shapes. */
#include <inttypes.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

enum { PARTS = 10 };

/* Steps of each piece of the program, on this rank. */
struct plan {
    long prepare, assemble, solve, precondition, update;
};

static uint64_t prepare(uint64_t state, const struct plan *plan) {
    for (int part = 0; part < PARTS; part++) {
        state = burn(state, plan->prepare / PARTS);
    }
    return state;
}

static uint64_t assemble(uint64_t state, const struct plan *plan) {
    for (int part = 0; part < PARTS; part++) {
        state = burn(state, plan->assemble / PARTS);
    }
    return state;
}

static uint64_t precondition(uint64_t state, const struct plan *plan) {
    for (int part = 0; part < PARTS; part++) {
        state = burn(state, plan->precondition / (PARTS * PARTS));
    }
    return state;
}

static uint64_t solve(uint64_t state, const struct plan *plan) {
    for (int part = 0; part < PARTS; part++) {
        state = burn(state, plan->solve / PARTS);
        state = precondition(state, plan);
    }
    return state;
}

static uint64_t update(uint64_t state, const struct plan *plan) {
    for (int part = 0; part < PARTS; part++) {
        state = burn(state, plan->update / PARTS);
    }
    return state;
}

/* How many times the common amount this rank does, or 0 if there is no such shape. */
static long weight(const char *shape, int rank, int size, long factor) {
    if (strcmp(shape, "even") == 0) {
        return 1;
    }
    if (strcmp(shape, "heavy") == 0) {
        return rank == size - 1 ? factor : 1;
    }
    if (strcmp(shape, "halves") == 0) {
        return rank >= size / 2 ? factor : 1;
    }
    if (strcmp(shape, "stairs") == 0) {
        return 1 + rank * (factor - 1);
    }
    return 0;
}

/* Multiplies the steps at the place; false if there is no such place or nothing to multiply by. */
static bool plant(struct plan *plan, const char *place, long times) {
    if (strcmp(place, "loop") == 0) {
        plan->solve *= times;
    } else if (strcmp(place, "nested") == 0) {
        plan->precondition *= times;
    } else if (strcmp(place, "spread") == 0) {
        plan->assemble *= times;
        plan->update *= times;
    } else {
        return false;
    }
    return times > 0;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long factor = argc > 3 ? atol(argv[3]) : 3, steps = (argc > 4 ? atol(argv[4]) : 10) * 1000000;
    struct plan plan = {steps, steps, steps, steps, steps};
    if (argc < 3 || !plant(&plan, argv[1], weight(argv[2], rank, size, factor))) {
        fprintf(stderr, "usage: planted loop|nested|spread even|heavy|halves|stairs [factor] [steps]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    uint64_t sum = 0, state = prepare((uint64_t)rank, &plan);
    state = assemble(state, &plan);
    MPI_Barrier(MPI_COMM_WORLD);
    state = solve(state, &plan);
    state = update(state, &plan);
    MPI_Reduce(&state, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("planted: %" PRIu64 "\n", sum);
    }
    MPI_Finalize();
    return 0;
}
