/* Seismic ray tracing along a line of shots: the master hands the shots out, the workers trace them.
   README.md says what is slow here, and why. */
#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "schedule.h"
#include "survey.h"

enum { MASTER = 0, SMOOTHING_PASSES = 100 };

struct options {
    int shots, rays;
};

static bool read_count(const char *text, int *count) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    *count = (int)value;
    return errno == 0 && end != text && *end == '\0' && value >= 1 && value <= 1000000;
}

/* What is wrong with the command line or the number of ranks, or NULL. */
static const char *read_options(int argc, char **argv, struct options *options) {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 3 || (argc > 1 && !read_count(argv[1], &options->shots)) ||
        (argc > 2 && !read_count(argv[2], &options->rays))) {
        return "usage: rays [shots] [rays], each a number from 1 to 1000000";
    }
    if (size < 2) {
        return "rays: needs a master and at least one worker: mpirun -n 2 or more";
    }
    if (options->shots < size - 1) {
        return "rays: more workers than shots: fewer ranks or more shots, please";
    }
    return NULL;
}

static void write_times(const double *times, int count) {
    FILE *file = fopen("rays.out", "w");
    if (file == NULL) {
        perror("rays: rays.out");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < count; i++) {
        fprintf(file, "%d %.9f\n", i, times[i]);
    }
    fclose(file);
}

/* Sums in the order of the shots, so that the schedule leaves no trace in the rounding. */
static void print_checksum(const double *times, const struct options *options) {
    double sum = 0;
    for (int i = 0; i < options->shots; i++) {
        sum += times[i] * (1 + i % 7);
    }
    printf("rays: %d shots of %d rays, checksum %.9f\n", options->shots, options->rays, sum);
}

static void lead(const struct options *options) {
    struct shot *shots = allocate(options->shots, sizeof *shots);
    double *times = allocate(options->shots, sizeof *times);
    survey_plan(shots, options->shots);
    hand_out(shots, options->shots, times);
    write_times(times, options->shots);
    print_checksum(times, options);
    free(times);
    free(shots);
}

static void follow(const struct options *options) {
    struct model *model = allocate(1, sizeof *model);
    model_build(model);
    model_smooth(model, SMOOTHING_PASSES);
    work(model, options->shots, options->rays);
    free(model);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct options options = {.shots = 400, .rays = 1000};
    const char *complaint = read_options(argc, argv, &options);
    if (complaint != NULL && rank == MASTER) {
        fprintf(stderr, "%s\n", complaint);
    }
    if (complaint == NULL && rank == MASTER) {
        lead(&options);
    } else if (complaint == NULL) {
        follow(&options);
    }
    MPI_Finalize();
    return complaint == NULL ? 0 : 2;
}
