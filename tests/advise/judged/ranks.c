// How ranks divide work and pass it on: shares, owners, masters, chains, trees.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
double cost(int);

void shares(double *a, const double *b, int n) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = n / size * rank; i < n / size * (rank + 1); i++)
        a[i] = 2 * b[i];
}

void shares_with_rest(double *a, const double *b, int n) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int own = n / size + (rank < n % size);
    for (int i = 0; i < own; i++)
        a[i] = b[i] * b[i] + 1;
}

void rows_of_grid(double (*v)[500], const double (*u)[500], int n) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int first = rank * n / size, last = (rank + 1) * n / size;
    for (int i = first; i < last; i++)
        for (int j = 1; j < 499; j++)
            v[i][j] = 0.5 * (u[i][j - 1] + u[i][j + 1]);
}

void replicated_table(double *table, int n) {
    for (int i = 1; i < n; i++)
        table[i] = table[i - 1] * 1.5 + i;
}

void handed_out(double *sum, int n) {
    int rank, size, next;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 0; i < n + size - 1; i++) {
            MPI_Status from;
            MPI_Recv(&next, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &from);
            next = i < n ? i : -1;
            MPI_Send(&next, 1, MPI_INT, from.MPI_SOURCE, 1, MPI_COMM_WORLD);
        }
    } else {
        for (;;) {
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(&next, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (next < 0)
                break;
            *sum += cost(next);
        }
    }
}

void even_and_odd(double *x, double *y, int n) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank % 2 == 0)
        MPI_Ssend(x, n, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(y, n, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void edges_of_the_world(double *u, int n) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *ghost = u + n;
    if (rank > 0)
        MPI_Send(u, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD);
    if (rank < size - 1)
        MPI_Recv(ghost, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        u[i] = 0.5 * (u[i] + u[i + 1]);
}

void parameters(double *p, int *n) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        p[0] = 0.1;
        *n = 100;
    }
    MPI_Bcast(p, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(n, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

void walls(double (*v)[500], const double (*u)[500], const double *wall, int n) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        for (int j = 0; j < 500; j++)
            v[0][j] = wall[j];
    if (rank == size - 1)
        for (int j = 0; j < 500; j++)
            v[n - 1][j] = wall[j];
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < 499; j++)
            v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}

void results_of_anyone(double *sum, double *part, int n) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int r = 1; r < size; r++) {
            MPI_Status from;
            MPI_Recv(part, n, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &from);
            sum[from.MPI_SOURCE] = part[0];
        }
    } else
        MPI_Send(part, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
}

void says(double r, int step) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%d %g\n", step, r);
}

void tree_sum(double *x, double *other, int n) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int d = 1; d < size; d *= 2) {
        if (rank % (2 * d) == 0 && rank + d < size) {
            MPI_Recv(other, n, MPI_DOUBLE, rank + d, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < n; i++)
                x[i] += other[i];
        }
        if (rank % (2 * d) == d)
            MPI_Send(x, n, MPI_DOUBLE, rank - d, 0, MPI_COMM_WORLD);
    }
}

void fine_pipeline(double (*a)[100], int n, int left, int right) {
    for (int i = 1; i < n; i++) {
        double before;
        MPI_Recv(&before, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        a[i][0] += before;
        for (int j = 1; j < 100; j++)
            a[i][j] += a[i][j - 1];
        MPI_Send(&a[i][99], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    }
}

void ring_pass(double *mine, double *foreign, int n, int left, int right, int size) {
    for (int s = 1; s < size; s++) {
        MPI_Sendrecv_replace(foreign, n, MPI_DOUBLE, right, 0, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++)
            mine[i] += foreign[i];
    }
}

void worker(double *answer, int to) {
    double question;
    MPI_Recv(&question, 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *answer = question * question;
    MPI_Send(answer, 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
}

void server(double *table, int n) {
    int key;
    MPI_Status from;
    MPI_Recv(&key, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &from);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += table[i] * key;
    MPI_Send(&sum, 1, MPI_DOUBLE, from.MPI_SOURCE, 1, MPI_COMM_WORLD);
}

void asks(int *key, double *value, int server) {
    MPI_Send(key, 1, MPI_INT, server, 0, MPI_COMM_WORLD);
    MPI_Recv(value, 1, MPI_DOUBLE, server, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void header_and_data(double **data, int *n, int from) {
    MPI_Recv(n, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *data = malloc(*n * sizeof **data);
    MPI_Recv(*data, *n, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void bisection(double *x, double low, double high, int to) {
    double f;
    for (int k = 0; k < 40; k++) {
        x[k] = 0.5 * (low + high);
        MPI_Send(&x[k], 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
        MPI_Recv(&f, 1, MPI_DOUBLE, to, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (f > 0)
            high = x[k];
        else
            low = x[k];
    }
}

void streamed(double *x, int n, int to) {
    for (int i = 1; i < n; i++) {
        x[i] = cost(i) + x[i - 1];
        MPI_Send(&x[i], 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
    }
}

void jobs(int *job, double *sum, int n, int from) {
    for (int i = 0; i < n; i++) {
        MPI_Recv(&job[i], 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        *sum += cost(job[i]);
    }
}

void to_each(double *x, int n, int size) {
    for (int r = 0; r < size; r++)
        MPI_Send(&x[r], 1, MPI_DOUBLE, r, 0, MPI_COMM_WORLD);
}

void in_chunks(double *x, long n) {
    for (long i = 0; i < n; i += 1 << 20)
        MPI_Bcast(x + i, n - i < 1 << 20 ? (int)(n - i) : 1 << 20, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

void each_step(double *dt, double *own, int steps) {
    for (int t = 0; t < steps; t++) {
        *own = cost(t);
        MPI_Allreduce(own, dt, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        MPI_Bcast(dt, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
}

static double total;
static double *force;
void apply(double);
double measure(void);

void through_globals(double own) {
    MPI_Allreduce(&own, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double mine = measure();
    MPI_Allreduce(&mine, force, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void through_a_call(double own, double *out) {
    double all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    apply(all);
    double mine = measure();
    MPI_Allreduce(&mine, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void sum_and_largest(double *own, double *all) {
    MPI_Allreduce(own, all, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(own + 4, all + 4, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

void transposed(double *work, double *spectrum, int n, int steps) {
    //# mpi_calls=100 mpi_bytes=800000000
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            work[i] = spectrum[i] * i;
        MPI_Alltoall(work, n, MPI_DOUBLE, spectrum, n, MPI_DOUBLE, MPI_COMM_WORLD);
    }
}

void large_halos(double *u, int n, int up, int down, int steps) {
    //# mpi_calls=100 mpi_bytes=80000000
    for (int t = 0; t < steps; t++) {
        MPI_Sendrecv(u + n, n, MPI_DOUBLE, up, 0, u, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = n; i < 9 * n; i++)
            u[i] = 0.5 * (u[i - n] + u[i]);
    }
}

void blocks_of_a_sweep(double *a, double *edge, int n, int block, int left, int right) {
    for (int k = 0; k < n; k += block) {
        MPI_Recv(edge, block, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //# entries=800 entries_around=100
        for (int i = 0; i < block; i++)
            a[k + i] += edge[i];
        MPI_Send(a + k, block, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    }
}

// Faults.

void growing_shares(double *a) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 1000 * (rank + 1); i++) //= division of work
        a[i] = i;
}

void triangle_in_shares(double *a, const double *b, int n) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = n / size * rank; i < n / size * (rank + 1); i++) //= division of work
        for (int j = 0; j < i; j++)
            a[i] += b[j];
}

void unequal_costs(double *a, int n) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int own = n / size;
    for (int i = 0; i < own; i++) //= division of work
        a[i] = cost(rank * own + i);
}

void sparse_rows(double *y, const double *v, const int *from, int n) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = rank * n / size; i < (rank + 1) * n / size; i++) //= division of work
        for (int k = from[i]; k < from[i + 1]; k++)
            y[i] += v[k];
}

void by_one(double *a, int n) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) //= division of work
        for (int i = 0; i < n; i++)
            a[i] = sqrt(a[i]);
    MPI_Bcast(a, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

void last_takes_the_rest(double *a, int n) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int own = rank == size - 1 ? n / 2 : n / 2 / (size - 1);
    for (int i = 0; i < own; i++) //= division of work
        a[i] = 2 * a[i] + 1;
}

void piece_by_piece(double *x, int n, int from) {
    for (int i = 0; i < n; i++)
        MPI_Recv(&x[i], 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //= messages
}

void both_ways(double *a, int n, int after, int before) {
    for (int r = 0; r < n; r++)
        MPI_Sendrecv(&a[r], 1, MPI_DOUBLE, after, 2, &a[n + r], 1, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //= messages
}

void shift(double *x, double *y, int n, int left, int right) {
    MPI_Send(x, n, MPI_DOUBLE, right, 0, MPI_COMM_WORLD); //= messages
    MPI_Recv(y, n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void constants_each_step(double *c, double *x, int n, int steps) {
    for (int t = 0; t < steps; t++) {
        MPI_Bcast(c, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD); //= messages
        for (int i = 0; i < n; i++)
            x[i] += c[i % 8];
    }
}

void all_of_all(double *x, double *sum, int n, int size) {
    for (int r = 0; r < size; r++)
        MPI_Bcast(x + r * n, n, MPI_DOUBLE, r, MPI_COMM_WORLD); //= messages
    *sum = x[0];
}

void whole_chain(double *a, double *edge, int n, int left, int right) {
    MPI_Recv(edge, n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //= messages
    for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j++)
            a[i * n + j] += a[i * n + j - 1] + edge[i];
    MPI_Send(a, n, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
}

void one_block_of_a_sweep(double *a, double *edge, int n, int block, int left, int right) {
    for (int k = 0; k < n; k += block) { //= pipeline
        MPI_Recv(edge, block, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //# entries=100 entries_around=100
        for (int i = 0; i < block; i++)
            a[k + i] += edge[i];
        MPI_Send(a + k, block, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    }
}

static void receive_edge(double *edge, int many, int left) {
    MPI_Recv(edge, many, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_edge(const double *edge, int many, int right) {
    MPI_Send(edge, many, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
}

void planes_of_a_sweep(double *a, double *edge, int nz, int mk, int left, int right) {
    for (int k = 0; k < nz; k += mk) { //= pipeline
        receive_edge(edge, mk, left); //# entries=50 entries_around=50
        for (int i = 0; i < mk; i++)
            a[k + i] += edge[i];
        send_edge(a + k, mk, right);
    }
}

void angles_of_a_sweep(double *a, double *edge, int angles, int some, int left, int right) {
    int each = some;
    for (int m = 0; m < angles; m += each) { //= pipeline
        if (left >= 0)
            receive_edge(edge, each, left); //# entries=40 entries_around=40
        for (int i = 0; i < each; i++)
            a[m + i] += edge[i];
        if (right >= 0)
            send_edge(a + m, each, right);
    }
}

void rows_back(double *a, double *edge, int n, int rows, int up, int down) {
    for (int k = n - rows; k >= 0; k -= rows) { //= pipeline
        receive_edge(edge, rows, down); //# entries=10 entries_around=10
        for (int i = rows - 1; i >= 0; i--)
            a[k + i] += edge[i];
        send_edge(a + k, rows, up);
    }
}

void columns_of_a_wavefront(double *h, double *edge, int n, int width, int left, int right) {
    for (int c = 0; c < n; c += width) { //= pipeline
        MPI_Request of;
        MPI_Irecv(edge, width, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &of); //# entries=30 entries_around=30
        MPI_Wait(&of, MPI_STATUS_IGNORE);
        for (int i = 0; i < width; i++)
            h[c + i] = edge[i] + 1;
        MPI_Isend(h + c, width, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &of);
        MPI_Wait(&of, MPI_STATUS_IGNORE);
    }
}
