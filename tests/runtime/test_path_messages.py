"""The tool's messages if not all ranks take part: it never waits for a message that nobody sends or needs."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.runtime.gather import shard_layout as layout
from autoanalyzer.runtime.gather.critical_path import PathRecords

from ..conftest import SPAWNING, until_spawned
from .conftest import recorded

LITTLE = {"AUTOANALYZER_PATH": "auto", "AUTOANALYZER_MAX_OVERHEAD": "0.001%"}

LOCKING = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, exposed = 7;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&exposed, sizeof exposed, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, window);
    MPI_Win_unlock(1 - rank, window);
    MPI_Win_free(&window);
    printf("%d on %d\\n", exposed, rank);
    return MPI_Finalize();
}
"""

NEVER_TOGETHER = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 200; i++) {
        int value = i, other = 1 - rank;
        MPI_Sendrecv_replace(&value, 1, MPI_INT, other, 0, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value;
    }
    printf("%d on %d\\n", sum, rank);
    return MPI_Finalize();
}
"""

PARTITIONED = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, values[2] = {7, 8};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(values, 2, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(values, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    for (int i = 0; i < 2 && rank == 0; i++)
        MPI_Pready(i, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    printf("%d on %d\\n", values[1], rank);
    return MPI_Finalize();
}
"""

ONE_WAY = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, other[1], weights[1] = {1}, received = -1;
    MPI_Comm graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other[0] = 1 - rank;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 1, other, weights, rank == 0, other, weights,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &received, 1, MPI_INT, graph);
    printf("%d from %d\\n", rank, received);
    MPI_Comm_free(&graph);
    return MPI_Finalize();
}
"""

TOGETHER = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int rank, none[2] = {0, 0}, large = 1 << 20, sum, total = 0, shared = 0;
    int *values = calloc(large, sizeof *values);
    struct rlimit files;
    MPI_Comm copy;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int i = 0; i < 100; i++, total += sum)
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, copy);
    if (rank == 1)
        usleep(20000); /* so that the root is ahead */
    for (int i = 0; i < 200; i++, total += sum) {
        sum = i;
        MPI_Bcast(&sum, 1, MPI_INT, 0, copy);
    }
    if (rank == 0 && MPI_Bcast(&sum, 1, MPI_INT, 7, copy) == MPI_SUCCESS)
        return 1;
    for (int i = 0; i < 100; i++, total += sum) {
        MPI_Reduce(&i, &sum, 1, MPI_INT, MPI_SUM, i % 2, copy);
        MPI_Scan(&i, &sum, 1, MPI_INT, MPI_SUM, copy);
    }
    if (rank == 0)
        MPI_Irecv(values, large, MPI_INT, 1, 0, copy, &request);
    else
        MPI_Send(values, large, MPI_INT, 0, 0, copy); /* which rank 0 need not await before it goes on */
    MPI_Alltoallv(values, none, none, MPI_INT, values + 1, none, none, MPI_INT, copy);
    if (rank == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&copy);
    for (int i = 0; i < 260; i++) { /* never freed; the first files may only be small */
        getrlimit(RLIMIT_FSIZE, &files);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){i < 4 ? 4096 : files.rlim_max, files.rlim_max});
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        for (int j = 0; j < 3; j++)
            MPI_Barrier(copy);
    }
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    while (fgets(line, sizeof line, maps))
        shared += strstr(line, "/memfd:aa-") != NULL;
    printf("%d on %d, %d shared\\n", total, rank, shared);
    return MPI_Finalize();
}
"""

MEANWHILE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void probe(const char *name, const char *region) {
    ((void (*)(const char *))dlsym(RTLD_DEFAULT, name))(region);
}
static void exchange(void) {
    int out = 0, in;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
static double cpu_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}
static double on_path, alone; /* what rank 0 has really worked, however long a hypervisor had the processor */
static void work(double seconds, int exchanges) {
    static const char region[] = "aa1|user|meanwhile|||0|0|0";
    double start = cpu_time();
    probe("aa_probe_enter", region);
    while (cpu_time() < start + seconds)
        ;
    *(exchanges ? &on_path : &alone) += cpu_time() - start;
    if (exchanges)
        exchange();
    probe("aa_probe_exit", region);
}
static void meet_on_a_copy(void) { /* in more regions than a chain has room for */
    static char regions[100][40];
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int i = 0; i < 100; i++) {
        sprintf(regions[i], "aa1|user|step%d|||0|0|0", i);
        probe("aa_probe_enter", regions[i]);
        MPI_Barrier(copy);
        probe("aa_probe_exit", regions[i]);
    }
    MPI_Comm_free(&copy);
}
static void *work_alone(void *unused) {
    work(0.1, 0);
    return unused;
}
static void *work_late(void *unused) { /* has the tree of the one before */
    work(0.05, 1);
    return unused;
}
static void *work_meanwhile(void *unused) {
    exchange();
    work(0.2, 1); /* while the other thread enters the barrier */
    fclose(fopen("done", "w"));
    return unused;
}
int main(int argc, char **argv) {
    int rank, provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        work(0.1, 1);
        for (int i = 0; i < 2; i++) {
            pthread_create(&thread, NULL, i == 0 ? work_alone : work_late, NULL);
            pthread_join(thread, NULL);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        pthread_create(&thread, NULL, work_meanwhile, NULL);
    if (rank == 1 && fork() == 0) {
        work(0, 1);
        _exit(0);
    }
    while (rank == 1 && access("done", F_OK) != 0)
        usleep(1000);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        pthread_join(thread, NULL);
    else
        wait(NULL);
    meet_on_a_copy();
    if (rank == 0)
        printf("%.0f %.0f\\n", 1e9 * on_path, 1e9 * alone);
    return MPI_Finalize();
}
"""

# Both threads enter a region separately, and then work in a team that one of them starts in this region.
TEAM_AGAIN = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <omp.h>
#include <time.h>
static const char whole[] = "aa1|function|main|x.c|main|0|1|2", part[] = "aa1|function|f|x.c|f|0|1|2";
static void probe(const char *name, const char *region) {
    ((void (*)(const char *))dlsym(RTLD_DEFAULT, name))(region);
}
static double cpu_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}
static void enter(int works) {
    probe("aa_probe_enter", part);
    #pragma omp parallel num_threads(2) if (works)
    if (omp_get_thread_num() == 1)
        for (double end = cpu_time() + 0.1; cpu_time() < end;)
            ;
    probe("aa_probe_exit", part);
}
int main(int argc, char **argv) {
    probe("aa_probe_enter", whole);
    MPI_Init(&argc, &argv);
    #pragma omp parallel num_threads(2)
    enter(0);
    enter(1);
    probe("aa_probe_exit", whole);
    return MPI_Finalize();
}
"""

# Two threads of each rank exchange messages and meet, before and after the path's cost is judged.
DEAR_AT_ONCE = """
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
static int rank;
static void *exchange(void *given) {
    MPI_Comm comm = *(MPI_Comm *)given;
    long sum = 0;
    for (int i = 0; i < 400; i++) {
        int in = 0, root = i;
        MPI_Request request;
        if (i == 50)
            usleep(150000);
        MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 7, comm, &request);
        (i % 2 ? MPI_Send : MPI_Ssend)(&i, 1, MPI_INT, 1 - rank, 7, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sum += in;
        if (i % 50 == 0) {
            MPI_Bcast(&root, 1, MPI_INT, 0, comm);
            MPI_Allreduce(MPI_IN_PLACE, &root, 1, MPI_INT, MPI_SUM, comm);
            sum += root;
        }
    }
    *(long *)given = sum;
    return NULL;
}
int main(int argc, char **argv) {
    int provided;
    union {
        MPI_Comm comm;
        long sum;
    } parts[3];
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &parts[i].comm);
    pthread_create(&thread, NULL, exchange, &parts[0]);
    exchange(&parts[1]);
    pthread_join(thread, NULL);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 1024}); /* for the third one no memory is shared */
    for (int i = 0; i < 1000; i++)
        MPI_Bcast(&provided, 1, MPI_INT, 0, parts[2].comm);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){1024, 1024});
    printf("%ld on %d\\n", parts[0].sum + parts[1].sum, rank);
    return MPI_Finalize();
}
"""

FAILING = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, sum, value[2] = {0, 0}, failed;
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    failed = MPI_Bcast(value, 1, MPI_INT, 7 * rank, MPI_COMM_WORLD) != MPI_SUCCESS;
    for (int i = 0; i < 150; i++) { /* of which each would take a second */
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Barrier(copy);
    }
    for (int i = 0; i < 200; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    printf("%d on %d\\n", failed, rank);
    return MPI_Finalize();
}
"""

FREED = """
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rank, other, value = 0;
    long in_use = 0;
    volatile double x = 1;
    MPI_Comm copy;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0)
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, copy, &request);
    for (int i = 0; i < rank * 1000000; i++)
        x = x * 1.0000001;
    if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, copy);
    MPI_Comm_free(&copy);
    for (size_t bytes = 8; bytes < 200; bytes += 8)
        for (int i = 0; i < 100; i++) /* in the place of what was freed */
            calloc(1, bytes);
    if (rank == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request); /* for which nothing else is kept */
    for (int i = 0; i < 1000; i++) {
        in_use = i == 500 ? mallinfo2().uordblks : in_use;
        MPI_Comm_dup(MPI_COMM_SELF, &copy);
        MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &other, 1, MPI_INT, 0, 0, copy, MPI_STATUS_IGNORE);
        MPI_Comm_free(&copy);
    }
    in_use = mallinfo2().uordblks - in_use;
    MPI_Request_free(&request);
    printf("%d on %d%s\\n", value, rank, in_use < 500 * 64 ? "" : " in ever more memory");
    return MPI_Finalize();
}
"""

FAILING_ALONE = """
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static double used(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}
int main(int argc, char **argv) {
    int rank, other, value = 0;
    double before = used(), initialised, most;
    MPI_Init(&argc, &argv);
    initialised = used();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0 && MPI_Bcast(&value, 1, MPI_INT, 7, MPI_COMM_WORLD) == MPI_SUCCESS)
        return 1;
    for (int i = 0; i < 4; i++) {
        MPI_Allreduce(&i, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        usleep(i == 0 ? 150000 : 0); /* until the path is judged */
    }
    for (int i = 0; i < 200; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    before += used() - initialised;
    MPI_Allreduce(&before, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (double end = used() + 2 * most; used() < end;) /* as long as what both did before, or longer */
        ;
    printf("%d on %d, %.0f before\\n", value, rank, 2e9 * most);
    return MPI_Finalize();
}
"""

FAILING_IN_TURN = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, value[2] = {0, 0}, failed;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    failed = MPI_Bcast(value, 1, MPI_INT, 7 * (rank == 1), MPI_COMM_WORLD) != MPI_SUCCESS;
    for (int i = 0; i < 30; i++) {
        MPI_Bcast(value, 1, MPI_INT, (i + 2) % 3, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("%d on %d\\n", failed, rank);
    return MPI_Finalize();
}
"""

# The path is given up in a barrier, which one rank reaches with a collective under way.
AHEAD = """
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int rank, sum, total = 0;
    MPI_Comm copy;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    usleep(150000); /* until the path is judged */
    for (int i = 0; i < 40; i++) {
        int one = 1;
        if (rank == 0)
            MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        total += sum;
    }
    printf("%d on %d\\n", total, rank);
    return MPI_Finalize();
}
"""

# The ranks work in turn, and receive by a request that they only test and free. Before that, two receive buffers are
# too short.
FREED_WHEN_COMPLETE = """
#include <mpi.h>
#include <stdio.h>
#include <time.h>
int main(int argc, char **argv) {
    int rank, which, result, complete = 0, failed = 0, value = 0, sum = 0, two[2] = {0, 0};
    MPI_Request in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1)
        MPI_Send(two, 2, MPI_INT, 0, 5, MPI_COMM_WORLD);
    MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, &in);
    if (rank == 0) {
        failed += MPI_Waitany(1, &in, &which, MPI_STATUS_IGNORE) != MPI_SUCCESS;
        MPI_Send(two, 2, MPI_INT, 1, 5, MPI_COMM_WORLD);
    } else {
        do
            result = MPI_Testany(1, &in, &which, &complete, MPI_STATUS_IGNORE);
        while (result == MPI_SUCCESS && !complete);
        failed += result != MPI_SUCCESS;
    }
    for (int i = 0; i < 100; i++) {
        if (i % 2 != rank) {
            MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, &in);
            for (complete = 0; !complete;)
                MPI_Request_get_status(in, &complete, MPI_STATUS_IGNORE);
            MPI_Request_free(&in);
            sum += value;
        } else {
            if (i >= 98)
                for (clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;)
                    ;
            MPI_Send(&i, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD);
        }
    }
    printf("%d, %d on %d\\n", failed, sum, rank);
    return MPI_Finalize();
}
"""

TRUNCATED = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, many[512], sum = 0, failed = 0;
    MPI_Comm of[2] = {MPI_COMM_WORLD};
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &of[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int c = 0; c < 2; c++) {
        MPI_Comm_set_errhandler(of[c], MPI_ERRORS_RETURN);
        failed += MPI_Bcast(many, 2 - (rank == 2), MPI_INT, 0, of[c]) != MPI_SUCCESS;
        for (int root = 0; root < 2; root++) {
            for (int i = 0; i < 512; i++)
                many[i] = rank == root;
            MPI_Bcast(many, 512, MPI_INT, root, of[c]);
            for (int i = 0; i < 512; i++)
                sum += many[i];
        }
        MPI_Barrier(of[c]);
    }
    if (rank == 1)
        MPI_Send(many, 2, MPI_INT, 2, 0, of[0]);
    else if (rank == 2)
        failed += MPI_Recv(many, 1, MPI_INT, 1, 0, of[0], MPI_STATUS_IGNORE) != MPI_SUCCESS;
    printf("%d, %d on %d\\n", failed, sum, rank);
    return MPI_Finalize();
}
"""

# Each rank tests a completed request again; the next message belongs to other work.
INACTIVE = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, came, value = 0, sum = 0;
    volatile double x = 1;
    MPI_Request in, both[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv_init(&value, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, &in);
    for (int i = 0; i < 20; i++) {
        MPI_Start(&in);
        MPI_Send(&i, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD);
        both[0] = in;
        both[1] = MPI_REQUEST_NULL;
        MPI_Waitany(2, both, &came, MPI_STATUS_IGNORE);
        sum += value;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1 && i < 19)
            for (int k = 0; k < 100000; k++)
                x = x * 1.0000001;
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        MPI_Test(&in, &came, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&in);
    printf("%d on %d\\n", sum, rank);
    return MPI_Finalize();
}
"""


def said(
    launcher: str,
    compiler: str,
    text: str,
    folder: Path,
    state: str = "known",
    *,
    ranks: int = 2,
    flags: Sequence[str] = (),
    **variables: str,
) -> tuple[list[str], list[PathRecords]]:
    """Return the output of the ranks, and the path records of each process of MPI_COMM_WORLD."""
    (folder / "app.c").write_text(text)
    words = [compiler, "-w", *flags, "app.c", "-o", "app", "-ldl", "-lpthread"]
    subprocess.run(words, cwd=folder, check=True)
    command = ["timeout", "1200", launcher, "-n", str(ranks), str(folder / "app")]
    run = recorded(command, folder, **{"AUTOANALYZER_PATH": "always", **variables})
    chains = [shard.chains for shard in run.shards if shard.chains and not shard.spawned]
    assert state in {each.state for each in chains} <= {state, "known"}
    return sorted(run.output.splitlines()), chains


def test_collectives_with_spawned_processes_are_left_alone(tmp_path: Path) -> None:
    """Debian's MPICH cannot spawn processes."""
    output, chains = until_spawned(
        lambda: said("mpirun.openmpi", "mpicc.openmpi", SPAWNING.read_text(), tmp_path), tmp_path / "shards"
    )
    assert output == ["3 together"] * 3
    assert [each.left_out for each in chains] == [{"strangers"}] * 2


@pytest.mark.by_day(mpi=["openmpi"])
def test_where_processes_share_memory_collectives_need_no_messages(mpi: tuple[str, str], tmp_path: Path) -> None:
    """The exceptions are the first collectives, collectives that may not wait for all ranks, and failures."""
    output, chains = said(*mpi, TOGETHER, tmp_path)
    assert output == ["34750 on 0, 256 shared", "39700 on 1, 256 shared"]
    assert all(0 < each.messages < 20 + 3 * 260 for each in chains)


@pytest.mark.by_day(mpi=["openmpi"])
def test_what_threads_work_before_they_call_mpi_and_while_all_meet_is_on_the_path(
    mpi: tuple[str, str], tmp_path: Path
) -> None:
    """The path contains no work of a fork's child, nor of a thread that never calls MPI."""
    (output,), chains = said(*mpi, MEANWHILE, tmp_path)
    on_path, alone = map(float, output.split())
    longest = max(each.of_kind("chain")["length"].max() for each in chains)
    assert 0.97 * on_path < longest < on_path + 0.9 * alone
    assert [len(each.of_kind("segment")) for each in chains] == [0, 0]  # chains have started again
    headers = [np.fromfile(path, layout.HEADER_LAYOUT, 1)[0] for path in (tmp_path / "shards").glob("*.shard")]
    assert [int(each["path_messages"]) for each in headers if each["forked_from"]] == [0]


@pytest.mark.by_day(mpi=["openmpi"])
def test_the_slowest_thread_is_on_the_path_where_it_has_entered_the_region_by_itself(
    mpi: tuple[str, str], tmp_path: Path
) -> None:
    _, (chains,) = said(*mpi, TEAM_AGAIN, tmp_path, ranks=1, flags=["-fopenmp"])
    assert chains.of_kind("chain")["length"].max() > 0.99e8


@pytest.mark.by_day(mpi=["mpich"])
def test_a_path_that_takes_too_long_is_given_up_by_all_whatever_other_threads_do(
    mpi: tuple[str, str], tmp_path: Path
) -> None:
    output, chains = said(*mpi, DEAR_AT_ONCE, tmp_path, "too_dear", **LITTLE)
    total = 2 * (sum(range(400)) + 2 * sum(range(0, 400, 50)))
    assert output == [f"{total} on {rank}" for rank in range(2)]
    assert all(each.state == "too_dear" and each.messages < 800 for each in chains)


@pytest.mark.by_day(mpi=["openmpi"])
def test_a_path_is_whole_if_its_ranks_never_meet_before_the_end(mpi: tuple[str, str], tmp_path: Path) -> None:
    output, chains = said(*mpi, NEVER_TOGETHER, tmp_path, **LITTLE)
    assert output == ["19900 on 0", "19900 on 1"]
    assert [each.state for each in chains] == ["known"] * 2


@pytest.mark.by_day(mpi=["openmpi"])
def test_a_message_is_followed_that_comes_after_its_communicator_is_freed(mpi: tuple[str, str], tmp_path: Path) -> None:
    output, chains = said(*mpi, FREED, tmp_path)
    assert output == ["0 on 1", "1 on 0"]
    assert any(len(each.of_kind("message_delay")) for each in chains)


@pytest.mark.by_day(mpi=["openmpi"])
def test_it_is_given_up_where_a_collective_has_failed(mpi: tuple[str, str], tmp_path: Path) -> None:
    output, chains = said(*mpi, FAILING_ALONE, tmp_path, "too_dear", **LITTLE)
    assert [each.partition(",")[0] for each in output] == ["6 on 0", "6 on 1"]
    assert all(each.state == "too_dear" and each.messages < 200 for each in chains)
    before = float(output[0].split()[3])
    assert max(each.of_kind("chain")["length"].max() for each in chains) < before  # without the work after it


@pytest.mark.by_day(mpi=["openmpi"])
def test_members_wait_once_for_one_in_which_a_collective_has_failed(mpi: tuple[str, str], tmp_path: Path) -> None:
    """They also receive later messages, although they no longer follow the path."""
    output, chains = said(*mpi, FAILING, tmp_path, "missed")
    assert output == ["0 on 0", "1 on 1"]
    assert all(each.messages > 400 for each in chains)


def test_a_path_is_given_up_while_a_collective_of_some_is_under_way(mpi: tuple[str, str], tmp_path: Path) -> None:
    output, chains = said(*mpi, AHEAD, tmp_path, "too_dear", **LITTLE)
    assert output == ["80 on 0", "80 on 1"]
    assert [each.state for each in chains] == ["too_dear"] * 2


@pytest.mark.by_day(mpi=["openmpi"])
def test_a_receive_that_is_freed_when_it_is_complete_takes_its_chain(mpi: tuple[str, str], tmp_path: Path) -> None:
    """The same holds if its buffer is too short."""
    output, chains = said(*mpi, FREED_WHEN_COMPLETE, tmp_path)
    assert output == ["1, 2450 on 1", "1, 2500 on 0"]
    assert max(each.of_kind("chain")["length"].max() for each in chains) > 3.9e8  # of both ranks, not only of one


@pytest.mark.by_day(mpi=["mpich"])
def test_one_whose_buffer_is_too_short_stays_in_step(mpi: tuple[str, str], tmp_path: Path) -> None:
    output, chains = said(*mpi, TRUNCATED, tmp_path, ranks=3)
    assert output == ["0, 2048 on 0", "0, 2048 on 1", "3, 2048 on 2"]
    assert [each.state for each in chains] == ["known"] * 3


def test_one_that_failed_alone_waits_for_nobody_who_is_ahead(tmp_path: Path) -> None:
    """With Open MPI, the program hangs even without the tool."""
    output, _ = said("mpirun.mpich", "mpicc.mpich", FAILING_IN_TURN, tmp_path, "missed", ranks=3)
    assert output[:3] == ["0 on 0", "0 on 2", "1 on 1"]  # the library may print unreceived messages


@pytest.mark.by_day(mpi=["openmpi"])
def test_no_message_is_awaited_of_a_persistent_receive_that_was_not_started_again(
    mpi: tuple[str, str], tmp_path: Path
) -> None:
    output, chains = said(*mpi, INACTIVE, tmp_path)
    assert output == ["190 on 0", "190 on 1"]
    assert [each.state for each in chains] == ["known"] * 2


def test_ranks_that_are_recorded_send_nothing_to_one_that_has_no_room(tmp_path: Path) -> None:
    """MPICH itself needs more space."""
    script = tmp_path / "limited"
    script.write_text(
        "#!/bin/sh\ntrap '' XFSZ\nif [ \"$OMPI_COMM_WORLD_RANK\" = 1 ]; then ulimit -f 128; fi\nexec ./app\n"
    )
    script.chmod(0o755)
    (tmp_path / "app.c").write_text(INACTIVE)
    subprocess.run(["mpicc.openmpi", "-w", "app.c", "-o", "app"], cwd=tmp_path, check=True)
    command = ["timeout", "1200", "mpirun.openmpi", "-n", "2", str(script)]
    run = recorded(command, tmp_path, AUTOANALYZER_PATH="always")
    assert {"190 on 0", "190 on 1"} <= {*run.output.splitlines()}  # the library may also report its limits
    (shard,) = run.shards
    assert (shard.rank, shard.chains and shard.chains.state) == (0, "alone")


@pytest.mark.by_day(mpi=["mpich"])
def test_neighbours_that_receive_from_nobody_still_send(mpi: tuple[str, str], tmp_path: Path) -> None:
    output, chains = said(*mpi, ONE_WAY, tmp_path)
    assert output == ["0 from -1", "1 from 0"]
    assert [each.left_out for each in chains] == [set()] * 2


@pytest.mark.by_day(mpi=["openmpi"])
def test_it_is_known_that_a_program_locks_windows(mpi: tuple[str, str], tmp_path: Path) -> None:
    output, chains = said(*mpi, LOCKING, tmp_path)
    assert output == ["7 on 0", "7 on 1"]
    assert [each.left_out for each in chains] == [{"locks"}] * 2


def test_it_is_known_that_a_program_sends_partitioned_messages(tmp_path: Path) -> None:
    """Open MPI 4 has no partitioned messages."""
    output, chains = said("mpirun.mpich", "mpicc.mpich", PARTITIONED, tmp_path)
    assert output == ["8 on 0", "8 on 1"]
    assert [each.left_out for each in chains] == [{"partitioned"}] * 2
