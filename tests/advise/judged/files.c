// Files: results, checkpoints, tables, logs, records.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void write_whole(const char *name, const double *x, int n) {
    FILE *f = fopen(name, "wb");
    fwrite(x, sizeof *x, n, f);
    fclose(f);
}

void write_rows(FILE *f, double **row, int rows, int columns) {
    //# io_calls=1000 io_bytes=800000000
    for (int i = 0; i < rows; i++)
        fwrite(row[i], sizeof **row, columns, f);
}

long read_blocks(FILE *f, char *block) {
    //# io_calls=1000 io_bytes=1000000000
    long total = 0, got;
    while ((got = fread(block, 1, 1 << 20, f)) > 0)
        total += block[0] + got;
    return total;
}

void read_own_planes(FILE *f, double *x, int nz, long plane, long from) {
    //# io_calls=200 io_bytes=200000000
    for (int k = 0; k < nz; k++) {
        fseek(f, (k * plane + from) * (long)sizeof *x, SEEK_SET);
        fread(x + k * plane, sizeof *x, plane, f);
    }
}

void checkpoint(FILE *f, double *x, int n, int steps) {
    //# io_calls=20 io_bytes=160000000
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            x[i] += 0.1 * i;
        if (t % 100 == 0) {
            fwrite(x, sizeof *x, n, f);
            fflush(f);
        }
    }
}

void snapshots(double *x, int n, int steps) {
    //# io_calls=20 io_bytes=160000000
    for (int t = 0; t < steps; t++) {
        char name[32];
        snprintf(name, sizeof name, "out.%d", t);
        FILE *f = fopen(name, "wb");
        fwrite(x, sizeof *x, n, f);
        fclose(f);
    }
}

void progress(double *x, int n, int steps) {
    //# io_calls=20 io_bytes=400
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            x[i] *= 0.9;
        if (t % 1000 == 0)
            printf("step %d: %g\n", t, x[0]);
    }
}

void buffered(FILE *f, const double *x, int n) {
    //# io_calls=10 io_bytes=1000000
    char *text = malloc(24 * (size_t)n);
    int at = 0;
    for (int i = 0; i < n; i++)
        at += sprintf(text + at, "%.17g\n", x[i]);
    fwrite(text, 1, at, f);
    free(text);
}

void complains(const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (x[i] < 0) {
            fprintf(stderr, "negative mass %g\n", x[i]);
            exit(1);
        }
}

int lines(FILE *f) {
    char line[256];
    int n = 0;
    rewind(f);
    while (fgets(line, sizeof line, f))
        n++;
    rewind(f);
    return n;
}

void each_file(char **names, double **x, int files, int n) {
    //# io_calls=8 io_bytes=80000000
    for (int i = 0; i < files; i++) {
        FILE *f = fopen(names[i], "rb");
        fread(x[i], sizeof **x, n, f);
        fclose(f);
    }
}

void collective(MPI_File f, const double *x, int n, int steps) {
    //# io_calls=50 io_bytes=400000000
    for (int t = 0; t < steps; t++)
        MPI_File_write_at_all(f, (MPI_Offset)t * n * 8, x, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
}

void settings(FILE *f, double *value) {
    //# io_calls=1 io_bytes=60
    for (int i = 0; i < 3; i++)
        fscanf(f, "%lf", &value[i]);
}

void sort_outside(int f, char *buffer, long runs, long size) {
    //# io_calls=400 io_bytes=800000000
    for (long r = 0; r < runs; r++) {
        pread(f, buffer, size, r * size);
        buffer[0]++;
        pwrite(f, buffer, size, (r + runs) * size);
    }
}

void updated_in_place(FILE *f, double *x, long n, long records) {
    //# io_calls=400 io_bytes=800000000
    for (long r = 0; r < records; r++) {
        fseek(f, r * n * 8, SEEK_SET);
        fread(x, sizeof *x, n, f);
        for (long i = 0; i < n; i++)
            x[i] *= 2;
        fseek(f, r * n * 8, SEEK_SET);
        fwrite(x, sizeof *x, n, f);
    }
}

// Faults.

void written_and_read_back(FILE *f, double *x, double *y, long n, int steps) {
    //# io_calls=400 io_bytes=800000
    for (int r = 0; r < steps; r++) {
        fseek(f, r % 4 * n * 8, SEEK_SET);
        fwrite(x, sizeof *x, n, f); //= input and output
        fseek(f, r % 4 * n * 8, SEEK_SET);
        fread(y, sizeof *y, n, f);
    }
}

void text_of_numbers(FILE *f, const double *x, int n) {
    //# io_calls=1000 io_bytes=20000
    for (int i = 0; i < n; i++)
        fprintf(f, "%g\n", x[i]); //= input and output
}

void numbers_from_text(FILE *f, double *x, int n) {
    //# io_calls=1000 io_bytes=20000
    for (int i = 0; i < n; i++)
        fscanf(f, "%lf", &x[i]); //= input and output
}

void opened_each_time(double *x, int n, int steps) {
    //# io_calls=1000 io_bytes=20000
    for (int t = 0; t < steps; t++) {
        FILE *f = fopen("log", "a"); //= input and output
        fwrite(x, sizeof *x, n, f);
        fclose(f);
    }
}

void flushed(FILE *f, double *x, int n, int steps) {
    //# io_calls=1000 io_bytes=20000
    for (int t = 0; t < steps; t++) {
        fwrite(x, sizeof *x, n, f);
        fflush(f); //= input and output
    }
}

void read_again(FILE *f, double *x, double *y, int n, int steps) {
    //# io_calls=1000 io_bytes=80000000
    for (int t = 0; t < steps; t++) {
        rewind(f);
        fread(x, sizeof *x, n, f); //= input and output
        for (int i = 0; i < n; i++)
            y[i] += x[i];
    }
}

void kept_on_disk(int f, double *x, double *y, int n, int steps) {
    //# io_calls=1000 io_bytes=80000000
    for (int t = 0; t < steps; t++) {
        pwrite(f, x, n * sizeof *x, 0); //= input and output
        for (int i = 0; i < n; i++)
            y[i] += t;
        pread(f, x, n * sizeof *x, 0);
    }
}

void byte_by_byte(int f, double *x, int n) {
    //# io_calls=1000000 io_bytes=8000000
    for (int i = 0; i < n; i++)
        write(f, &x[i], sizeof x[i]); //= input and output
}

void pieces_of_a_shared_file(MPI_File f, double *x, int n, int size) {
    //# io_calls=1000000 io_bytes=8000000
    for (int i = 0; i < n; i++)
        MPI_File_write_at(f, (MPI_Offset)i * size * 8, &x[i], 1, MPI_DOUBLE, MPI_STATUS_IGNORE); //= input and output
}
