"""``run --usage``: the measured use of system resources by call path equals what the programs print."""

import json
import shutil

import pytest

from autoanalyzer.experiment import Experiment, load
from autoanalyzer.experiment.trace import load_trace
from autoanalyzer.view.page.dataset import dataset_of

from ..perf_event import counts_events_of_the_kernel
from .conftest import refused, succeed

LAUNCHERS = [("mpicc", ("mpirun", "--oversubscribe")), ("mpicc.mpich", ("mpirun.mpich",))]
ALL = "allocated_bytes,allocations,freed_bytes,frees,page_faults,context_switches"

# Each function measures its use by the allocator or the kernel; each rank prints one line.
USES = """
#define _GNU_SOURCE
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static int rank;
static size_t sizes[3];
static void *blocks[1000];

static void take(int count) {
    sizes[0] = 0;
    for (int i = 0; i < count; i++) {
        void *made = NULL;
        switch (i % 8) {
        case 0: made = malloc(100 + i); break;
        case 1: made = calloc(10, 100 + i); break;
        case 2: made = realloc(NULL, 100 + i); break;
        case 3: made = posix_memalign(&made, 64, 1000) ? NULL : made; break;
        case 4: made = aligned_alloc(128, 1024); break;
        case 5: made = memalign(256, 1024); break;
        case 6: made = valloc(5000); break;
        case 7: made = strdup("the C library's own calls are seen, too"); break;
        }
        blocks[i] = made;
        sizes[0] += malloc_usable_size(made);
    }
}
static void grow(int count) {
    sizes[1] = sizes[2] = 0;
    for (int i = 0; i < count; i++) {
        sizes[2] += malloc_usable_size(blocks[i]);
        blocks[i] = realloc(blocks[i], 200000);
        sizes[1] += malloc_usable_size(blocks[i]);
    }
}
static void give(int count) {
    for (int i = 0; i < count; i++)
        free(blocks[i]);
    free(NULL);
}
static void *in_a_thread(void *count) {
    for (long i = 0; i < (long)count; i++)
        free(malloc(24));
    return NULL;
}
static void of_the_kernel(long *faults, long *switches) {
    struct rusage before, after;
    getrusage(RUSAGE_THREAD, &before);
    char *memory = mmap(NULL, 4096 * 1000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 500 * (rank + 1); i++)
        memory[i * 4096] = 1;
    for (int i = 0; i < 40; i++)
        usleep(50);
    getrusage(RUSAGE_THREAD, &after);
    *faults = after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt;
    *switches = after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw;
}
int main(int argc, char **argv) {
    int count;
    long faults, switches;
    pthread_t thread;
    char *before_mpi = malloc(1000);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    count = 160 * (rank + 1);
    take(count);
    grow(count);
    size_t grown = sizes[1];
    give(count);
    pthread_create(&thread, NULL, in_a_thread, (void *)300L);
    pthread_join(thread, NULL);
    of_the_kernel(&faults, &switches);
    if (rank == 0 && fork() == 0) {
        in_a_thread((void *)50L);
        _exit(0);
    }
    if (rank == 0)
        wait(NULL);
    free(before_mpi);
    printf("{\\"rank\\": %d, \\"taken\\": %zu, \\"grown\\": %zu, \\"replaced\\": %zu, \\"faults\\": %ld, "
           "\\"switches\\": %ld, \\"small\\": %zu}\\n",
           rank, sizes[0], grown, sizes[2], faults, switches, malloc_usable_size(malloc(24)));
    MPI_Finalize();
    return 0;
}
"""

# The program starts another one with regions, which uses the energy.
STARTS_ANEW = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void pause_for(int times) {
    for (int i = 0; i < times; i++)
        usleep(3000);
}
static void burn(void) {
    char name[4096];
    snprintf(name, sizeof name, "%s/intel-rapl:0/energy_uj", getenv("AUTOANALYZER_POWERCAP"));
    FILE *file = fopen(name, "w");
    fprintf(file, "3000000\\n");
    fclose(file);
}
static void start(void) {
    system("./app anew");
    pause_for(2);
}
int main(int argc, char **argv) {
    (void)argv;
    pause_for(2);
    if (argc == 1) {
        start();
    } else {
        burn();
        pause_for(2);
    }
    return 0;
}
"""


FORTRAN = """
program main
  use mpi
  implicit none
  integer :: error, rank
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call arrays(20 * (rank + 1))
  call MPI_Finalize(error)
contains
  subroutine arrays(n)
    integer, intent(in) :: n
    real(8), allocatable :: a(:)
    integer :: i
    do i = 1, n
      allocate(a(1000 + i))
      a = i
      deallocate(a)
    end do
  end subroutine
end program
"""

CXX = """
#include <map>
#include <vector>
static std::map<int, std::vector<double>> fill(int n) {
    std::map<int, std::vector<double>> all;
    for (int i = 0; i < n; i++)
        all[i] = std::vector<double>(100);
    return all;
}
int main(int argc, char **) {
    auto all = fill(50 * argc);
    return all.size() != 50;
}
"""

# The program also simulates the processor, whose counter overflows at the end.
BURNS = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void set(const char *zone, long long microjoules) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%s/energy_uj", getenv("AUTOANALYZER_POWERCAP"), zone);
    FILE *file = fopen(name, "w");
    fprintf(file, "%lld\\n", microjoules);
    fclose(file);
    usleep(3000); /* it is read once a millisecond */
}
static void burn(int rank, int times) {
    usleep(3000);
    for (int i = 1; i <= times; i++)
        if (rank == 0)
            set("intel-rapl:0", 1000000 + i * 200000);
}
static void overflow(int rank) {
    usleep(3000);
    if (rank == 0)
        set("intel-rapl:0", 500000);
}
static void load_memory(int rank) {
    usleep(3000);
    if (rank == 0)
        set("intel-rapl:0:1", 750000);
}
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    burn(rank, 10);
    load_memory(rank);
    overflow(rank);
    MPI_Finalize();
    return 0;
}
"""


def run(tool, usage: str, *command: str, env: dict[str, str] | None = None):
    words = ("--no-calibrate", "--counters", "none", "-o", "out", "--usage", usage, "--", *command)
    return tool("autoanalyzer", "run", *words, env=env or {})


def row(found: Experiment, region: str) -> int:
    (place,) = [place for place, path in enumerate(found.call_paths) if path.region.name == region]
    return place


def used(found: Experiment, metric: str, region: str) -> list[float]:
    """Return the use of each process in a region and everything below it."""
    values = found.inclusive(metric)[row(found, region)]
    processes = sorted({place.process for place in found.locations})
    return [
        sum(value for value, place in zip(values, found.locations, strict=True) if place.process == process)
        for process in processes
    ]


@pytest.mark.parametrize(("compiler", "launcher"), LAUNCHERS)
def test_what_c_uses_is_what_the_allocator_and_the_kernel_tell_it(tool, compiler, launcher):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    tool.build(USES, "-O0", "-lpthread", compiler=compiler)
    done = run(tool, ALL, *launcher, "-n", "2", "./app")
    assert done.returncode == 0, done.stderr
    told = sorted((json.loads(line) for line in done.stdout.decode().splitlines()), key=lambda each: each["rank"])
    found = load(tool.folder / "out" / "experiment.cube")
    counts = [160, 320]
    # The third process is the fork, which enters one region.
    assert used(found, "allocations", "take") == [*counts, 0]
    assert used(found, "allocated_bytes", "take") == [*(each["taken"] for each in told), 0]
    assert used(found, "frees", "take") == used(found, "freed_bytes", "take") == [0, 0, 0]
    assert used(found, "allocations", "grow") == used(found, "frees", "grow") == [*counts, 0]
    assert used(found, "allocated_bytes", "grow") == [*(each["grown"] for each in told), 0]
    assert used(found, "freed_bytes", "grow") == [*(each["replaced"] for each in told), 0]
    assert used(found, "frees", "give") == [*counts, 0]
    assert used(found, "freed_bytes", "give") == [*(each["grown"] for each in told), 0]
    assert used(found, "allocations", "give") == [0, 0, 0]
    assert used(found, "allocations", "in_a_thread") == used(found, "frees", "in_a_thread") == [300, 300, 50]
    small = told[0]["small"]
    assert used(found, "allocated_bytes", "in_a_thread") == [300 * small, 300 * small, 50 * small]
    for metric, key in (("page_faults", "faults"), ("context_switches", "switches")):
        few = 20  # between the entry of the region and the kernel's answer
        assert used(found, metric, "of_the_kernel")[:2] == pytest.approx([each[key] for each in told], abs=few)
        assert used(found, metric, "main")[0] > used(found, metric, "of_the_kernel")[0]
    about = {metric.name: (metric.unit, metric.source, metric.parent) for metric in found.metrics}
    assert about["allocated_bytes"] == ("bytes", "measured:malloc", None)
    assert about["page_faults"] == ("occ", "measured:getrusage", None)
    assert about["major_page_faults"] == ("occ", "measured", None)  # per process only, so not part of page_faults
    said = tool("autoanalyzer", "analyze", "--all", "out").stdout.decode()
    counted = "not counted, only page_faults, context_switches, allocated_bytes and 3 more events"
    assert counted in " ".join(said.split())


def test_usage_is_compared_and_merged_as_other_metrics_are(tool):
    tool.build(USES, "-O0", "-lpthread")
    assert run(tool, "allocations", "./app").returncode == 0
    (tool.folder / "out").rename(tool.folder / "first")
    assert run(tool, "page_faults,freed_bytes", "./app").returncode == 0
    succeed(tool("autoanalyzer", "merge", "first", "out", "-o", "both.cube"))
    both, second = load(tool.folder / "both.cube"), load(tool.folder / "out" / "experiment.cube")
    assert used(both, "allocations", "take")[0] == 160
    assert used(both, "freed_bytes", "give") == used(second, "freed_bytes", "give") != [0]
    said = tool("autoanalyzer", "compare", "first", "--with", "first", "--metric", "allocations")
    assert said.returncode == 0, said.stderr
    shown = {each["name"]: each["unit"] for each in dataset_of(both).head["metrics"]}
    assert (shown["freed_bytes"], shown["allocations"], shown["peak_memory"]) == ("bytes", "occ", "bytes")
    table = succeed(tool("autoanalyzer", "dump", "out", "--metrics", "freed_bytes,peak_memory"))
    (main,) = [line.split() for line in table.stdout.decode().splitlines() if " main " in line]
    assert main[1] == main[3] == "MB"


def test_what_fortran_allocates_is_counted_and_in_time_lines(tool):
    tool.write("app.f90", FORTRAN)
    succeed(tool("aa-mpifort", "app.f90", "-o", "app"))
    metrics, env = "allocated_bytes,allocations,frees,page_faults", {"AUTOANALYZER_TRACE": "0.01"}
    done = run(tool, metrics, "mpirun", "--oversubscribe", "-n", "2", "./app", env=env)
    assert done.returncode == 0, done.stderr
    found = load(tool.folder / "out" / "experiment.cube")
    assert used(found, "allocations", "main::arrays") == used(found, "frees", "main::arrays") == [20, 40]
    for allocated, turns in zip(used(found, "allocated_bytes", "main::arrays"), (20, 40), strict=True):
        asked = sum(8 * (1000 + turn) for turn in range(1, turns + 1))
        assert asked <= allocated <= asked + 64 * turns  # the allocator adds some bytes
    trace = load_trace(tool.folder / "out" / "trace.npz")
    names = [metric.name for metric in trace.metrics]
    assert names.count("page_faults") == 1
    for line, frees in zip(trace.lines(), found.exclusive("frees").sum(axis=0), strict=True):
        assert line.values[:, names.index("frees")].sum() >= frees > 40  # includes calls before main


def test_what_cxx_makes_by_new_is_counted_in_dynamic_programs(tool):
    tool.write("app.cc", CXX)
    succeed(tool("aa-mpicxx", "app.cc", "-o", "app", env={"AUTOANALYZER_CXX": "g++"}))
    assert run(tool, "allocations", "./app").returncode == 0
    found = load(tool.folder / "out" / "experiment.cube")
    assert used(found, "allocations", "fill") == [100]  # nodes of a map, and elements of a vector


def test_a_program_at_a_fixed_address_that_takes_mallocs_is_counted(tool):
    tool.write(
        "app.c",
        """
        #include <stdio.h>
        #include <stdlib.h>
        static int work(int n) {
            void *(*volatile allocate)(size_t) = malloc; /* in code: data would be relocated */
            int made = 0;
            for (int i = 0; i < n; i++)
                made += allocate(100) != NULL;
            return made;
        }
        int main(int argc, char **argv) { (void)argv; printf("%d\\n", work(50 * argc)); return 0; }
        """,
    )
    gcc = {"AUTOANALYZER_CC": "gcc"}
    succeed(tool("aa-mpicc", "-O0", "-fno-pie", "-no-pie", "app.c", "-o", "app", env=gcc))
    done = run(tool, "allocations", "./app", env=gcc)
    assert (done.returncode, done.stdout) == (0, b"50\n"), done.stderr
    found = load(tool.folder / "out" / "experiment.cube")
    assert used(found, "allocations", "work") == [50]


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (("-fsanitize=address",), "a sanitizer replaces the program's allocator"),
        (("-DOWN", "-rdynamic"), "the program has its own allocator"),
    ],
)
def test_an_allocator_that_others_stand_in_front_of_is_left_alone_and_that_is_said(tool, flags, reason):
    own = """
    #include <stddef.h>
    #include <stdio.h>
    extern void *__libc_malloc(size_t);
    #ifdef OWN
    void *malloc(size_t size) { return __libc_malloc(size); }
    #else
    #include <stdlib.h>
    #endif
    static int work(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            char *made = malloc(100);
            sum += made != NULL;
        }
        return sum;
    }
    int main(int argc, char **argv) { (void)argv; printf("%d\\n", work(100 * argc)); return 0; }
    """
    tool.write("app.c", own)
    compiler = {"AUTOANALYZER_CC": "gcc", "ASAN_OPTIONS": "detect_leaks=0"}
    succeed(tool("aa-mpicc", "-O0", "-g", *flags, "app.c", "-o", "app", env=compiler))
    done = run(tool, "allocations,page_faults", "./app", env=compiler)
    assert (done.returncode, done.stdout) == (0, b"100\n")
    assert f"AUTOANALYZER_USAGE: allocations is not counted: {reason}\n" in done.stderr.decode()
    found = load(tool.folder / "out" / "experiment.cube")
    assert "allocations" not in found
    assert found.metric("page_faults").source == "measured:getrusage"


@pytest.mark.parametrize(("compiler", "launcher"), LAUNCHERS)
@pytest.mark.by_day(compiler=["mpicc"])
def test_energy_of_the_node_is_on_the_call_paths_of_its_first_rank(tool, compiler, launcher):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    zones = {
        "intel-rapl:0": ("package-0", 1000000, 3200000),
        "intel-rapl:0:0": ("core", 5, 3200000),
        "intel-rapl:0:1": ("dram", 0, 3200000),
    }
    for zone, (name, energy, most) in zones.items():
        tool.write(f"powercap/{zone}/name", f"{name}\n")
        tool.write(f"powercap/{zone}/energy_uj", f"{energy}\n")
        tool.write(f"powercap/{zone}/max_energy_range_uj", f"{most}\n")
    env = {"AUTOANALYZER_POWERCAP": str(tool.folder / "powercap")}
    tool.build(BURNS, compiler=compiler)
    done = run(tool, "energy,dram_energy", *launcher, "-n", "2", "./app", env=env)
    assert done.returncode == 0, done.stderr
    found = load(tool.folder / "out" / "experiment.cube")
    assert used(found, "energy", "burn") == pytest.approx([2.0, 0.0])
    assert used(found, "energy", "overflow") == pytest.approx([0.7, 0.0])
    assert used(found, "energy", "main") == pytest.approx([2.7, 0.0])
    assert used(found, "dram_energy", "load_memory") == used(found, "dram_energy", "main") == [0.75, 0.0]
    assert (found.metric("energy").unit, found.metric("energy").source) == ("J", "measured:powercap")


def test_energy_is_counted_once_though_the_program_starts_itself_anew(tool):
    tool.write("powercap/intel-rapl:0/name", "package-0\n")
    tool.write("powercap/intel-rapl:0/energy_uj", "1000000\n")
    tool.write("powercap/intel-rapl:0/max_energy_range_uj", "90000000\n")
    tool.write("app.c", STARTS_ANEW)
    succeed(tool("aa-mpicc", "-O0", "app.c", "-o", "app", env={"AUTOANALYZER_CC": "gcc"}))
    done = run(tool, "energy", "./app", env={"AUTOANALYZER_POWERCAP": str(tool.folder / "powercap")})
    assert done.returncode == 0, done.stderr
    found = load(tool.folder / "out" / "experiment.cube")
    assert found.exclusive("energy").sum() == pytest.approx(2)
    assert sum(used(found, "energy", "start")) == pytest.approx(2)
    assert not (tool.folder / "out" / "shards").exists()


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        ("", "expected METRIC,…, such as page_faults, found nothing"),
        ("pagefaults", "no metric 'pagefaults' can be counted; did you mean page_faults"),
        ("frees,frees", "expected each metric once, found frees twice"),
        (f"{ALL},major_page_faults", "expected at most 6 metrics per run, found 7"),
    ],
)
def test_usage_that_is_none_is_refused_before_anything_runs(usage, said, here):
    assert said in refused(here("run", "--usage", usage, "--", "./none"))


@counts_events_of_the_kernel
def test_the_variable_is_tried_as_the_option_is(tool):
    words = ("--counters", "papi:perf::PAGE-FAULTS", "--count-in", "mpi")
    done = tool("autoanalyzer", "run", *words, "--", "true", env={"AUTOANALYZER_USAGE": "page_faults"})
    assert "--usage cannot be combined with --count-in" in refused(done)


def test_energy_that_cannot_be_read_is_refused_with_the_reason(tool):
    tool.write("empty/name", "")
    env = {"AUTOANALYZER_POWERCAP": str(tool.folder / "empty")}
    done = tool("autoanalyzer", "run", "--usage", "dram_energy", "--", "./none", env=env)
    said = f"dram_energy cannot be counted here: found no energy counter in {tool.folder}/empty, and none in /sys/bus/"
    assert said in refused(done)
    done = tool("autoanalyzer", "exec", "-o", "out", "true", env={"AUTOANALYZER_USAGE": "pages"})
    assert "AUTOANALYZER_USAGE: no metric 'pages' can be counted" in refused(done)
