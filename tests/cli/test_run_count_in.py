"""``run --count-in``: events are counted only in calls of MPI and file I/O; regions read no counters."""

from pathlib import Path

import pytest

from autoanalyzer.experiment import load
from autoanalyzer.experiment.trace import load_trace

from ..perf_event import counts_events_of_the_kernel
from .conftest import refused

PAGES = 256
FAULTS = "perf::PAGE-FAULTS"

# Pages are touched for the first time: by the program, in an MPI call, and in a C library call that reads a file.
PROGRAM = """
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BYTES (PAGES * 4096)

static char buffer[BYTES], content[BYTES];

static char *pages(void) {
    return mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void own(void) {
    char *memory = pages();
    for (long i = 0; i < PAGES; i++)
        memory[i * 4096] = 1;
}

static void receive(void) {
    char *memory = pages();
    for (int i = 0; i < PAGES; i++)
        MPI_Sendrecv(content, 4096, MPI_BYTE, 0, 0, memory + i * 4096L, 4096, MPI_BYTE, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
}

static void read_in(FILE *file) {
    fread(pages(), 1, BYTES - 1, file); /* less than the buffer, from which the library copies it */
}

static void tiny(void) {
    for (volatile int i = 0; i < 20; i++)
        ;
}

int main(int argc, char **argv) {
    memset(buffer, 1, BYTES);
    memset(content, 1, BYTES);
    MPI_Init(&argc, &argv);
    FILE *file = tmpfile();
    setvbuf(file, buffer, _IOFBF, BYTES);
    fwrite(content, 1, BYTES, file);
    rewind(file);
    own();
    receive();
    read_in(file);
    for (int i = 0; i < 1000000; i++)
        tiny();
    MPI_Finalize();
    return 0;
}
"""

# Callbacks of an MPI call belong to it, as do MPI calls in the callbacks.
CALLING_BACK = """
#include <mpi.h>
#include <sde_lib.h>
static long long work;
static int copy(MPI_Comm comm, int key, void *state, void *from, void *to, int *flag) {
    for (volatile int i = 0; i < 1000; i++)
        ;
    work += 7;
    MPI_Barrier(MPI_COMM_SELF);
    work += 11;
    *flag = 1;
    (void)comm, (void)key, (void)state, (void)from, (void)to;
    return MPI_SUCCESS;
}
static void region(int key) {
    MPI_Comm other;
    work += 1000;
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &work);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    work += 1000;
    MPI_Comm_free(&other);
}
int main(int argc, char **argv) {
    int key;
    papi_sde_register_counter(papi_sde_init("test"), "work", PAPI_SDE_RO, PAPI_SDE_long_long, &work);
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, 0);
    for (int i = 0; i < 3; i++)
        region(key);
    MPI_Finalize();
    return 0;
}
"""


def run(tool, launcher: str, *options: str):
    words = ("run", "--no-calibrate", "--no-analyze", "-o", "out", *options, "--", launcher, "-n", "2", "./app")
    done = tool("autoanalyzer", *words)
    assert done.returncode == 0, done.stderr
    return load(tool.folder / "out" / "experiment.cube")


def by_region(experiment, metric: str) -> dict[str, list[float]]:
    """Return each region's inclusive values by rank."""
    values = experiment.inclusive(metric)
    return {path.region.name: values[row].tolist() for row, path in enumerate(experiment.call_paths)}


@counts_events_of_the_kernel
def test_what_passes_in_calls_is_counted_and_nothing_else(tool, mpi):
    launcher, compiler = mpi
    tool.build(PROGRAM.replace("PAGES", f"{PAGES}"), compiler=compiler)
    found = run(tool, launcher, "--trace", "0.002", "--counters", f"papi:{FAULTS}", "--count-in", "mpi,io")
    name = f"{FAULTS}@mpi+io"
    assert FAULTS not in found
    assert found.metric(name).source.startswith(f"measured:papi:{FAULTS}")
    assert found.metric(name).source.endswith(" in MPI and I/O calls")
    counted = by_region(found, name)
    for rank in range(2):
        assert counted["own"][rank] == 0
        assert PAGES <= counted["receive"][rank] < 2 * PAGES
        assert PAGES <= counted["read_in"][rank] < 2 * PAGES
    below = ("MPI_Init", "receive", "read_in")
    assert all(sum(counted[each][rank] for each in below) <= counted["main"][rank] for rank in range(2))
    assert found.notes.call_ns > 2 * found.notes.probe_ns
    assert found.notes.untimed > 0  # regions are throttled as usual
    assert (
        "events were counted only in MPI and I/O calls (--count-in), not in the regions' own code"
        in found.notes.remarks
    )
    trace = load_trace(tool.folder / "out" / "trace.npz")
    in_time = [line.values[:, trace.column(name)].sum() for line in trace.lines()]
    assert in_time == pytest.approx(found.exclusive(name).sum(axis=0))
    counted = by_region(run(tool, launcher, "--counters", f"papi:{FAULTS}", "--count-in", "io"), f"{FAULTS}@io")
    assert counted["receive"] == [0, 0]
    assert all(PAGES <= each < 2 * PAGES for each in counted["read_in"])


def test_what_a_call_calls_back_is_a_part_of_it(tool, mpi):
    if not Path("/usr/include/sde_lib.h").exists():
        pytest.skip("PAPI's software-defined events are not installed")
    launcher, compiler = mpi
    tool.build(CALLING_BACK, "-lsde", compiler=compiler)
    event = "sde:::test::work"
    found = run(tool, launcher, "--counters", f"papi:{event}", "--count-in", "mpi")
    own = found.exclusive(f"{event}@mpi")
    of = {path.region.name: own[row].tolist() for row, path in enumerate(found.call_paths)}
    assert of["region"] == [3 * (7 + 11)] * 2
    assert of["copy"] == [0, 0]
    assert own.sum(axis=0).tolist() == of["region"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--count-in", "mpi", "--counters", "simulated"], "--count-in needs --counters papi, found simulated"),
        (["--count-in", "io"], "--count-in io needs --counters papi:EVENT,…, found auto"),
        (["--count-in", "mpi,omp"], "expected mpi, io or mpi,io, found 'mpi,omp'"),
        (["--count-in", "io,io"], "expected mpi, io or mpi,io, found 'io,io'"),
        (["--count-in", "mpi", "--events", "cycles=A"], "expected --events none or no --events, found cycles=A"),
        (["--count-in", "mpi", "--usage", "page_faults"], "--usage cannot be combined with --count-in"),
        (["--multiplex", "--counters", "none"], "--multiplex needs --counters papi, found none"),
    ],
)
def test_what_cannot_be_counted_is_refused_before_anything_runs(words, said, here):
    assert said in refused(here("run", *words, "--", "mpirun", "-n", "2", "./none"))
