"""Counters of the probe library: their source, what PAPI's counts belong to, and the message if there are none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.gather.merge import merge_shards
from autoanalyzer.runtime.gather.shard import Shard
from autoanalyzer.runtime.gather.shard_reader import read_shard
from autoanalyzer.runtime.mpi.detection import Mpi
from autoanalyzer.view.counters import as_typed

from ...perf_event import counts_events_of_the_kernel, processor_counts
from .conftest import COMPILER, SAMPLED, SANITIZED, Record, compile_c, recorder

AS_RANK = {"PMI_RANK": "0", "PMI_SIZE": "1"}  # a rank counts from when the library is loaded
DATA = Path(__file__).parents[2] / "data" / "papi"

# The program has its own counter, which PAPI reads as an event, so the exact value is known on any machine.
WORK = """
#include <dlfcn.h>
#include <pthread.h>
#include <sde_lib.h>
static long long work;
static void (*enter)(const char *), (*leave)(const char *);
static void *region(void *unused) {
    static const char text[] = "aa1|function|region|x.c|region|0|1|2";
    enter(text);
    work += 5;
    leave(text);
    work += 3;
    return unused;
}
int main(void) {
    static const char text[] = "aa1|function|main|x.c|main|0|1|2";
    pthread_t thread;
    enter = (void (*)(const char *))dlsym(RTLD_DEFAULT, "aa_probe_enter");
    leave = (void (*)(const char *))dlsym(RTLD_DEFAULT, "aa_probe_exit");
    papi_sde_register_counter(papi_sde_init("test"), "work", PAPI_SDE_RO, PAPI_SDE_long_long, &work);
    work += 1000;
    enter(text);
    for (int i = 0; i < 100; i++)
        region(NULL);
    work += 7;
    leave(text);
    pthread_create(&thread, NULL, region, NULL);
    pthread_join(thread, NULL);
    return 0;
}
"""


# A signal handler that runs between reading the kernel's counter and using it touches pages in a long region.
INTERRUPT = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
static volatile char pages[1000][4096];
static int used, inside;
static int (*usage_of)(__rusage_who_t, struct rusage *);
static void (*enter)(const char *), (*leave)(const char *);
static const char handler[] = "aa1|function|handler|x.c|handler|0|1|2";
__attribute__((constructor)) static void look_up(void) { /* not in a signal handler, as dlsym uses the heap */
    usage_of = (int (*)(__rusage_who_t, struct rusage *))dlsym(RTLD_NEXT, "getrusage");
    enter = (void (*)(const char *))dlsym(RTLD_DEFAULT, "aa_probe_enter");
    leave = (void (*)(const char *))dlsym(RTLD_DEFAULT, "aa_probe_exit");
}
static void handle(void) {
    enter(handler);
    for (int i = 0; i < 50; i++)
        pages[used++ % 1000][0] = 1;
    for (clock_t end = clock() + CLOCKS_PER_SEC / 125; clock() < end;)
        continue;
    leave(handler);
}
int getrusage(__rusage_who_t who, struct rusage *usage) {
    struct sigaction now;
    if (!usage_of)
        look_up();
    int done = usage_of(who, usage);
    sigaction(SIGALRM, 0, &now);
    if (!inside && now.sa_handler != SIG_DFL) {
        inside = 1;
        handle();
        inside = 0;
    }
    return done;
}
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Build a program that does 5 units of work in a region, and 3 after it."""
    if not shutil.which("papi_avail") and not Path("/usr/include/sde_lib.h").exists():
        pytest.skip("PAPI's software-defined events are not installed")
    (tmp_path / "work.c").write_text(WORK)
    words = ["gcc", str(tmp_path / "work.c"), "-o", str(tmp_path / "work"), "-lsde", "-lpthread", "-ldl"]
    subprocess.run(words, check=True)
    return tmp_path / "work"


def run(program: Path, library: Path, **variables: str) -> tuple[Shard, str]:
    shards = program.parent / "shards"
    shards.mkdir()
    environment = {**os.environ, "LD_PRELOAD": str(library), "AUTOANALYZER_SHARDS": str(shards), **variables}
    done = subprocess.run([program], env=environment, capture_output=True, text=True, check=True)
    return read_shard(next(shards.glob("*.shard"))), done.stderr


def test_nothing_is_counted_unasked(preloaded: Record, tmp_path: Path) -> None:
    (shard,) = preloaded("+main -main")
    assert shard.sources == SAMPLED
    assert (tmp_path / "stderr").read_text() == ""


def test_page_faults_are_of_the_region_that_touches_new_memory(preloaded: Record) -> None:
    words = "+main +f touch 8 spin 3 -f times 5 +g spin 3 -g ; fork +h touch 1 spin 3 -h ; -main"
    shard, child = sorted(preloaded(words), key=lambda each: each.forked_from or 0)
    assert 256 <= child.threads[0].nodes["event_6"].sum() < 512
    assert child.threads[0].nodes["event_5"].sum() < 1e6  # microseconds
    faults = {}
    for node in shard.threads[0].nodes[1:]:
        faults[shard.regions[node["region"]].name] = int(node["event_6"])
    assert 8 * 256 <= faults["f"] < 9 * 256
    assert faults["g"] < 10
    found = merge_shards([shard], RunFacts())
    assert found.metric("page_faults").source == found.metric("system_time").source == "measured"
    assert found.inclusive("page_faults")[0, 0] > faults["f"]  # includes those before the first region


def test_faults_are_of_the_code_around_calls_by_its_time_and_before_a_long_one_all_of_them(
    tmp_path: Path, fake_linked_program: Path
) -> None:
    record = recorder(tmp_path, [fake_linked_program], SANITIZED)
    calm, half = "times 70 spin 3 +g -g ;", "times 20 mpi{ touch 1 spin 1 }mpi spin 1 +g -g ;"
    long = "+i times 20 touch 1 spin 1 mpi{ spin 9 }mpi ; -i"
    step = f"+step {calm} " + "times 20 +c touch 1 spin 1 -c +x mpi{ spin 1 }mpi -x ; -step"
    lasting = "+h times 20 touch 1 spin 2 +g -g ; -h"
    (shard,) = record(f"+main +start {calm} -start +f {half} -f {lasting} {long} {step} -main")
    faults = {shard.regions[node["region"]].name: int(node["event_6"]) for node in shard.threads[0].nodes[1:]}
    assert faults["f"] == pytest.approx(10 * 256, rel=0.1)  # half of the time is between readings
    assert faults["h"] == pytest.approx(20 * 256, rel=0.1)
    assert faults["i"] == pytest.approx(20 * 256, rel=0.1)
    assert faults["c"] == pytest.approx(20 * 256, rel=0.2)
    assert faults["x"] < 0.1 * faults["c"]
    usage = {"AUTOANALYZER_USAGE": "page_faults,major_page_faults"}
    words = "+main +f mpi{ touch 8 }mpi touch 2 -f -main"
    (counted,) = [each for each in record(words, **usage) if each.pid != shard.pid]
    assert 2 * 256 <= counted.threads[0].nodes["event_6"].sum() < 3 * 256
    shards = record("+main times 300 mpi{ spin 1 }mpi ; -main")
    (in_calls,) = [each for each in shards if each.pid not in {shard.pid, counted.pid}]
    assert in_calls.threads[0].synchronised < 250  # after a short interval, the next reading is skipped


def test_a_signal_handler_that_looks_meanwhile_leaves_no_less_than_nothing(
    tmp_path: Path, library: Path, plain_program: Path
) -> None:
    (tmp_path / "interrupt.c").write_text(INTERRUPT)
    made = tmp_path / "interrupt.so"
    compile_c("-shared", "-fPIC", tmp_path / "interrupt.c", "-o", made)
    record = recorder(tmp_path, ["env", f"LD_PRELOAD={library}:{made}", plain_program], {})
    (shard,) = record("+main alarms times 10 +f spin 3 -f ; -main")
    assert all((shard.threads[0].nodes[place] >= 0).all() for place in SAMPLED)
    assert shard.threads[0].nodes["event_6"].sum() >= 100


@pytest.mark.parametrize(
    ("counters", "said"),
    [
        ("simulated", "the program does not run under Valgrind's tool rtcount; nothing is counted"),
        ("many", "expected auto, papi, papi:EVENT,..., simulated or none; nothing is counted"),
    ],
)
def test_what_cannot_be_counted_is_said_once(preloaded: Record, tmp_path: Path, counters: str, said: str) -> None:
    (shard,) = preloaded("+main +f -f -main", AUTOANALYZER_COUNTERS=counters)
    assert shard.sources == SAMPLED
    assert (tmp_path / "stderr").read_text().count(said) == 1


def test_usage_that_one_rank_cannot_count_takes_its_place_and_is_said_once(preloaded: Record, tmp_path: Path) -> None:
    said = "AUTOANALYZER_USAGE: allocations is not counted: the library that counts allocations is not preloaded"
    wishes = {"AUTOANALYZER_USAGE": "allocations,page_faults"}
    (shard,) = preloaded("+main -main", PMI_RANK="1", PMI_SIZE="3", **wishes)
    assert shard.sources == {"event_5": "measured:getrusage:page_faults"}
    assert (tmp_path / "stderr").read_text() == f"autoanalyzer: rank 1: {said}\n"
    assert len(preloaded("+main -main", PMI_RANK="2", PMI_SIZE="3", **wishes)) == 2
    assert (tmp_path / "stderr").read_text() == ""


def test_counts_go_to_the_region_that_is_open(work: Path, library: Path) -> None:
    events = "instructions=sde:::test::work"
    shard, said = run(work, library, AUTOANALYZER_COUNTERS="papi", AUTOANALYZER_EVENTS=events, **AS_RANK)
    assert said == ""
    assert shard.sources == dict.fromkeys(["instructions", "mpi_instructions"], "measured:papi:sde:::test::work")
    base, main, region = shard.threads[0].nodes
    assert [int(node["instructions"]) for node in (base, main, region)] == [1000, 307, 500]
    assert int(region["mpi_instructions"]) == 0
    assert int(shard.threads[1].nodes["instructions"][1]) == 5


# The library's rare, long paths also do work: they map memory for tables, and search the loaded objects for symbols and
# call sites.
DETOURS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <sde_lib.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
typedef int callback(struct dl_phdr_info *, size_t, void *);
static long long work;
static char texts[400][48];
void *mmap(void *where, size_t length, int protection, int flags, int file, off_t offset) {
    work += 1000;
    return (void *)syscall(SYS_mmap, where, length, protection, flags, file, offset);
}
int dl_iterate_phdr(callback *each, void *data) {
    static int (*next)(callback *, void *);
    work += 1000;
    if (!next)
        next = (int (*)(callback *, void *))dlsym(RTLD_NEXT, "dl_iterate_phdr");
    return next(each, data);
}
int main(void) {
    void (*enter)(const char *) = (void (*)(const char *))dlsym(RTLD_DEFAULT, "aa_probe_enter");
    void (*leave)(const char *) = (void (*)(const char *))dlsym(RTLD_DEFAULT, "aa_probe_exit");
    static const char text[] = "aa1|function|main|x.c|main|0|1|2";
    papi_sde_register_counter(papi_sde_init("test"), "work", PAPI_SDE_RO, PAPI_SDE_long_long, &work);
    enter(text);
    for (int i = 0; i < 400; i++) {
        snprintf(texts[i], sizeof texts[i], "aa1|user|region|x.c|f|%d|1|1", i);
        enter(texts[i]);
        work += 5;
        leave(texts[i]);
    }
    work += 7;
    #pragma omp barrier
    leave(text);
    fprintf(stderr, "%lld", work);
    return 0;
}
"""


def test_rare_work_of_the_library_itself_is_not_counted(tmp_path: Path) -> None:
    if not Path("/usr/include/sde_lib.h").exists():
        pytest.skip("PAPI's software-defined events are not installed")
    (tmp_path / "work.c").write_text(DETOURS)
    words = ["gcc", "-fopenmp", "-rdynamic", str(tmp_path / "work.c"), "-o", str(tmp_path / "work"), "-lsde", "-ldl"]
    subprocess.run(words, check=True)
    events = {"AUTOANALYZER_COUNTERS": "papi", "AUTOANALYZER_EVENTS": "instructions=sde:::test::work"}
    shard, said = run(tmp_path / "work", probe_library(Mpi(None)), **events)
    assert int(said) > 400 * 5 + 7 + 5 * 1000, "the library maps memory, and looks for the barrier and its place"
    _, main, *regions = shard.threads[0].nodes["instructions"].tolist()
    assert (main, regions) == (7, 400 * [5])


# Prints how often the program requests a file's status.
ASKED = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/stat.h>
static int asked;
int fstat(int fd, struct stat *status) {
    asked++;
    return ((int (*)(int, struct stat *))dlsym(RTLD_NEXT, "fstat"))(fd, status);
}
__attribute__((destructor)) static void tell(void) { fprintf(stderr, "asked %d times", asked); }
"""


@counts_events_of_the_kernel
def test_what_counters_are_read_from_is_looked_at_once_where_their_price_is_measured(
    plain_program: Path, tmp_path: Path
) -> None:
    library = probe_library(Mpi(None))  # includes the wrappers for file I/O, because PAPI itself does I/O
    (tmp_path / "asked.c").write_text(ASKED)
    subprocess.run(["gcc", "-shared", "-fPIC", "asked.c", "-o", "asked.so", "-ldl"], cwd=tmp_path, check=True)
    variables = {"AUTOANALYZER_COUNTERS": "papi:perf::PAGE-FAULTS", "AUTOANALYZER_EVENTS": "none"}
    record = recorder(tmp_path, ["env", f"LD_PRELOAD={tmp_path / 'asked.so'}:{library}", plain_program], variables)
    (shard,) = record("+main -main")
    assert shard.sources == {"event_1": "measured:papi:perf::PAGE-FAULTS"}
    said = (tmp_path / "stderr").read_text()
    assert int(said.removeprefix("asked ").removesuffix(" times")) < 100  # although each of 8 rounds enters 256 pairs


def test_a_process_that_is_no_rank_counts_from_its_first_event_on(work: Path, library: Path) -> None:
    events = {"AUTOANALYZER_COUNTERS": "papi", "AUTOANALYZER_EVENTS": "instructions=sde:::test::work"}
    shard, said = run(work, library, **events)
    assert said == ""
    base, main, region = shard.threads[0].nodes
    assert [int(node["instructions"]) for node in (base, main, region)] == [0, 307, 500]
    assert int(shard.threads[1].nodes["instructions"][1]) == 5


def test_metrics_say_which_event_stands_for_them(work: Path, library: Path) -> None:
    events = "l1_misses=sde:::test::work,cycles=sde:::test::none_such:::"
    shard, _ = run(work, library, AUTOANALYZER_COUNTERS="papi", AUTOANALYZER_EVENTS=events)
    metrics = {metric.name: metric for metric in merge_shards([shard], RunFacts()).metrics}
    assert metrics["l1_misses"].source == "measured:papi:sde:::test::work"
    assert metrics["l1_misses"].parent is None  # without accesses, misses have no parent
    assert {"instructions", "l1_accesses"}.isdisjoint(metrics)


def test_events_that_do_not_start_are_said(work: Path, library: Path) -> None:
    shard, said = run(work, library, AUTOANALYZER_COUNTERS="papi", AUTOANALYZER_EVENTS="instructions=NO_SUCH_EVENT")
    assert shard.sources == SAMPLED
    assert "AUTOANALYZER_COUNTERS=papi: no event can be started (virtual machine?" in said
    assert "not counted: instructions=NO_SUCH_EVENT\n" in said


def test_what_events_are_wished_for_in_vain_is_said(work: Path, library: Path) -> None:
    event = "sde:::test::work"
    wishes = f"l1_mises={event},instructions={event},cycles,l2_misses=,,instructions={event}"
    shard, said = run(work, library, AUTOANALYZER_COUNTERS="auto", AUTOANALYZER_EVENTS=wishes)
    assert set(shard.sources) == {"instructions", "mpi_instructions"}
    assert said == (
        "autoanalyzer: AUTOANALYZER_EVENTS: expected at most one METRIC=EVENT for each of instructions, cycles, "
        "l1_accesses, l1_misses, l2_accesses and l2_misses, with an event that can be started; "
        f"not counted: l1_mises={event}, cycles, l2_misses=, instructions={event}\n"
    )


# A processor with the events named by EVENTS, separated by spaces; if ALONE is set, only the first thread gets
# counters.
PROCESSOR = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int sets;
static _Thread_local int added;
static _Thread_local long long count;
int PAPI_library_init(int version) { return version; }
int PAPI_thread_init(unsigned long (*id)(void)) { (void)id; return 0; }
int PAPI_register_thread(void) { return 0; }
int PAPI_unregister_thread(void) { return 0; }
int PAPI_create_eventset(int *set) { *set = __atomic_add_fetch(&sets, 1, __ATOMIC_RELAXED); added = 0; return 0; }
static int has(const char *name) {
    size_t length = strlen(name);
    for (const char *word = getenv("EVENTS"); word; word = strchr(word, ' ')) {
        word += strspn(word, " ");
        if (strncmp(word, name, length) == 0 && (word[length] == ' ' || !word[length]))
            return 1;
    }
    return 0;
}
int PAPI_add_named_event(int set, const char *name) {
    (void)set, added++;
    return has(name) && (!getenv("ALONE") || gettid() == getpid()) ? 0 : -7;
}
int PAPI_cleanup_eventset(int set) { (void)set; return 0; }
int PAPI_destroy_eventset(int *set) { *set = -1; return 0; }
int PAPI_start(int set) { (void)set; return 0; }
int PAPI_read(int set, long long *values) {
    (void)set, count++;
    for (int i = 0; i < added; i++)
        values[i] = (1 << (10 * i)) * count;
    return 0;
}
int PAPI_stop(int set, long long *values) { return PAPI_read(set, values); }
"""

# Events are multiplexed; each estimate goes up by 1000 and down again although nothing happens.
TURNS = (
    PROCESSOR.replace("(1 << (10 * i)) * count", "count % 2 * 1000")
    + """
static _Thread_local int assigned;
int PAPI_multiplex_init(void) { return 0; }
int PAPI_get_component_index(const char *name) { return strcmp(name, "perf_event") ? -1 : 3; }
int PAPI_assign_eventset_component(int set, int component) { assigned = set; return component == 3 ? 0 : -1; }
int PAPI_set_multiplex(int set) { return assigned == set && has("PAPI_TOT_INS") ? 0 : -7; }
"""
)


def papi_of(text: str, folder: Path) -> Path:
    """Compile a libpapi; return its folder."""
    (folder / "papi.c").write_text(text)
    words = [COMPILER, "-shared", "-fPIC", str(folder / "papi.c"), "-o", str(folder / "libpapi.so.7.2")]
    subprocess.run(words, check=True)
    return folder


@pytest.fixture(scope="module")
def papi_of_processor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return papi_of(PROCESSOR, tmp_path_factory.mktemp("papi"))


@pytest.fixture
def processor(papi_of_processor: Path) -> dict[str, str]:
    """Return variables with which the probe library finds a simulated libpapi of this processor."""
    return {"LD_LIBRARY_PATH": str(papi_of_processor), "AUTOANALYZER_COUNTERS": "papi"}


@pytest.mark.parametrize(
    ("events", "accesses", "misses"),
    [
        ("PAPI_L1_DCA PAPI_L1_DCM PAPI_LST_INS PAPI_L1_LDM", "PAPI_L1_DCA", "PAPI_L1_DCM"),
        ("PAPI_L1_DCA PAPI_LST_INS PAPI_LD_INS PAPI_L1_LDM", "PAPI_LD_INS", "PAPI_L1_LDM"),
        ("PAPI_LST_INS PAPI_L1_LDM", None, "PAPI_L1_LDM"),
        ("PAPI_LST_INS perf::L1-DCACHE-LOADS perf::L1-DCACHE-LOAD-MISSES", "perf::L1-DCACHE-LOADS", "perf::L1-DCACHE-"),
        ("PAPI_L1_DCA", None, None),
    ],
)
def test_misses_are_among_the_accesses_that_are_counted(
    preloaded: Record, processor: dict[str, str], events: str, accesses: str | None, misses: str | None
) -> None:
    (shard,) = preloaded("+main -main", EVENTS=f"PAPI_TOT_INS {events}", **processor)
    assert shard.sources["instructions"] == "measured:papi:PAPI_TOT_INS"
    for name, event in (("l1_accesses", accesses), ("l1_misses", misses)):
        assert shard.sources.get(name, "none").startswith(f"measured:papi:{event}" if event else "none")


def test_events_that_are_named_have_places_of_their_own(
    preloaded: Record, processor: dict[str, str], tmp_path: Path
) -> None:
    wishes = {**processor, **AS_RANK, "AUTOANALYZER_COUNTERS": "papi:A,NONE,C,D,E,F,G"}
    (shard,) = preloaded("+main +f -f -main", EVENTS="A C D E F G PAPI_TOT_INS", **wishes)
    places = {name: source.removeprefix("measured:papi:") for name, source in shard.sources.items()}
    assert places == {
        **{"event_1": "A", "event_3": "C", "event_4": "D", "event_5": "E", "event_6": "F"},
        **dict.fromkeys(["instructions", "mpi_instructions"], "PAPI_TOT_INS"),
    }
    said = "AUTOANALYZER_COUNTERS: expected at most 6 events that can be started together; not counted: NONE, G\n"
    assert (tmp_path / "stderr").read_text() == f"autoanalyzer: rank 0: {said}"
    nodes = shard.threads[0].nodes
    assert nodes["event_2"].sum() == 0
    # Instructions are first in the set, then A and C; each counts 1024 times its predecessor.
    assert (nodes["event_3"] == 1024 * nodes["event_1"]).all()
    assert (nodes["event_1"] == 1024 * nodes["instructions"]).all()
    assert nodes["event_1"].sum() > 0
    metrics = merge_shards([shard], RunFacts()).metrics
    named = [metric.name for metric in metrics if metric.source == f"measured:papi:{metric.name}"]
    assert named == ["A", "C", "D", "E", "F"]


def test_the_standard_counts_may_be_left_out(preloaded: Record, processor: dict[str, str]) -> None:
    wishes = {"AUTOANALYZER_COUNTERS": "papi:A", "AUTOANALYZER_EVENTS": "none"}
    (shard,) = preloaded("+main -main", EVENTS="A PAPI_TOT_INS", **{**processor, **wishes})
    assert shard.sources == {"event_1": "measured:papi:A"}


def test_estimates_of_events_that_take_turns_never_go_back(preloaded: Record, tmp_path: Path) -> None:
    wishes = {"LD_LIBRARY_PATH": str(papi_of(TURNS, tmp_path)), "AUTOANALYZER_COUNTERS": "papi:A,B"}
    (shard,) = preloaded("+main *100 +f -f -main", EVENTS="A B PAPI_TOT_INS", AUTOANALYZER_MULTIPLEX="1", **wishes)
    assert shard.threads[0].nodes["visits"].sum() > 100
    assert all(shard.threads[0].nodes[name].sum() <= 1000 for name in ("event_1", "event_2"))
    found = merge_shards([shard], RunFacts())
    for name, event in (("A", "A"), ("instructions", "PAPI_TOT_INS")):
        assert found.metric(name).source == f"measured:papi:{event} by turns, an estimate"
    assert "counts are estimates: events shared the hardware counters (--multiplex)" in found.notes.remarks
    assert as_typed(["A", "B"], {each.name: each.source for each in found.metrics}) == "--counters papi:A,B --multiplex"


def test_events_cannot_take_turns_on_counters_that_are_not_there(
    preloaded: Record, processor: dict[str, str], tmp_path: Path
) -> None:
    wishes = {**processor, "AUTOANALYZER_COUNTERS": "papi:A", "AUTOANALYZER_MULTIPLEX": "1"}
    (shard,) = preloaded("+main -main", EVENTS="A", **wishes)
    assert shard.sources == {}
    said = (tmp_path / "stderr").read_text()
    assert "AUTOANALYZER_MULTIPLEX: there are no hardware counters that events could share; nothing" in said


@pytest.mark.parametrize(("calls", "named"), [("io", "papi:A"), ("mpi", "papi:A"), ("mpi", "papi")])
def test_what_the_library_itself_takes_of_a_counted_call_is_left_out(
    linked: Record, processor: dict[str, str], calls: str, named: str
) -> None:
    wishes = {**processor, "AUTOANALYZER_COUNTERS": named, "AUTOANALYZER_COUNT_IN": calls}
    event = "A" if named == "papi:A" else "PAPI_TOT_INS"
    (shard,) = linked(f"+main times 10 {calls}{{ }}{calls} ; -main", EVENTS=event, **wishes)
    (name,) = shard.sources
    assert shard.sources[name] == f"measured:papi:{event}"
    assert shard.threads[0].nodes[name].sum() == 0  # the event counts 1 per reading, and nothing else


# A libpapi that searches for devices in vain, and prints this. It logs its starts in the file STARTS.
NOISY = (
    PROCESSOR.replace("int PAPI_library_init(int version) {", "static int init(int version) {")
    + """
#include <stdio.h>
static const char names[][128] = {"perf_event", "perf_event_uncore", "devices", "named"};
int PAPI_num_components(void) { return 4; }
const char *PAPI_get_component_info(int component) { return names[component]; }
static void keep(const char *text) {
    FILE *account = fopen(getenv("STARTS"), "a");
    fprintf(account, "%s\\n", text);
    fclose(account);
}
int PAPI_disable_component(int component) { keep(names[component]); return 0; }
int PAPI_library_init(int version) {
    keep("started");
    printf("Failed to open the devices' folder\\n");
    fprintf(stderr, "Exception caught: no device\\n");
    return init(version);
}
"""
).replace("\\\\n", "\\n")


@pytest.fixture(scope="module")
def noisy_papi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return papi_of(NOISY, tmp_path_factory.mktemp("papi"))


@pytest.fixture
def noisy(noisy_papi: Path, tmp_path: Path) -> dict[str, str]:
    """Return variables with which the probe library finds a libpapi that prints messages."""
    (tmp_path / "starts").touch()
    return {"LD_LIBRARY_PATH": str(noisy_papi), "STARTS": str(tmp_path / "starts"), "EVENTS": "PAPI_TOT_INS named:::x"}


@pytest.mark.parametrize("rank", ["-1", "0"])
def test_papi_says_nothing_to_users_and_looks_for_no_devices(
    preloaded: Record, noisy: dict[str, str], tmp_path: Path, rank: str
) -> None:
    wishes = {"AUTOANALYZER_COUNTERS": "papi:named:::x", "PMI_RANK": rank, "PMI_SIZE": "1"}
    (shard,) = preloaded("+main -main", **noisy, **wishes)
    assert shard.sources["event_1"] == "measured:papi:named:::x"
    assert (tmp_path / "starts").read_text() == "devices\nstarted\n"
    assert (tmp_path / "stderr").read_text() == ""
    assert (tmp_path / "stdout").read_text() == ""


@pytest.mark.parametrize("rank", ["-1", "0"])
def test_counters_that_nobody_asked_for_start_only_where_the_processor_has_some(
    preloaded: Record, noisy: dict[str, str], tmp_path: Path, rank: str
) -> None:
    (shard,) = preloaded("+main -main", AUTOANALYZER_COUNTERS="auto", PMI_RANK=rank, PMI_SIZE="1", **noisy)
    expected = "named\ndevices\nstarted\n" if processor_counts() else ""
    assert (tmp_path / "starts").read_text() == expected
    assert (shard.sources == SAMPLED) == (not expected)
    assert (tmp_path / "stderr").read_text() + (tmp_path / "stdout").read_text() == ""


def test_papi_is_not_started_in_what_runs_on_the_way_to_the_program(
    library: Path, noisy: dict[str, str], tmp_path: Path
) -> None:
    variables = {"LD_PRELOAD": str(library), "AUTOANALYZER_SHARDS": str(tmp_path), "AUTOANALYZER_COUNTERS": "papi"}
    for command in (["true"], ["sh", "-c", "mpirun -n 1 true >&2"]):
        environment = {**os.environ, **variables, **noisy}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert (done.stdout, done.stderr) == ("", "")
    assert (tmp_path / "starts").read_text().count("started") == 1  # started once, by the rank


def test_a_standard_stream_that_is_closed_stays_closed_while_papi_starts(
    library: Path, noisy: dict[str, str], tmp_path: Path
) -> None:
    variables = {"LD_PRELOAD": str(library), "AUTOANALYZER_SHARDS": str(tmp_path), "AUTOANALYZER_COUNTERS": "papi"}
    command = ["sh", "-c", "exec /usr/bin/test -e /proc/self/fd/1 >&-"]
    done = subprocess.run(command, env={**os.environ, **variables, **AS_RANK, **noisy}, check=False)
    assert (tmp_path / "starts").read_text().count("started") == 2, "in the shell and in what it becomes"
    assert done.returncode == 1, "nothing is there"


PRESETS = json.loads((DATA / "presets.json").read_text())


@pytest.mark.parametrize("processor_name", PRESETS)
def test_events_are_chosen_as_documented_for_each_processor(
    preloaded: Record, processor: dict[str, str], processor_name: str
) -> None:
    recorded = PRESETS[processor_name]
    (shard,) = preloaded("+main -main", EVENTS=" ".join(recorded["events"]), **processor)
    chosen = {name: source.removeprefix("measured:papi:") for name, source in shard.sources.items()}
    assert chosen.pop("mpi_instructions") == chosen["instructions"]
    assert chosen == recorded["chosen"]


@pytest.mark.parametrize("way", ["preloaded", "raced"])
def test_a_thread_that_gets_no_counters_counts_nothing_and_is_noted(
    request: pytest.FixtureRequest, processor: dict[str, str], tmp_path: Path, way: str
) -> None:
    record: Record = request.getfixturevalue(way)
    words = "+main thread 2 +f -f ; parallel 3 +f -f ; +g -g -main"
    (shard,) = record(words, EVENTS="PAPI_TOT_INS PAPI_TOT_CYC", ALONE="1", **AS_RANK, **processor)
    assert shard.uncounted == 5
    first, *others = shard.threads
    assert first.nodes["instructions"].sum() > 0
    assert (first.nodes["cycles"] == 1024 * first.nodes["instructions"]).all()
    assert all(tree.nodes[name].sum() == 0 for tree in others for name in shard.sources)
    remarks = merge_shards([shard], RunFacts()).notes.remarks
    assert "threads without counts, because their counters did not start: 5" in remarks
    assert (tmp_path / "stderr").read_text() == ""


def test_the_child_of_a_fork_is_one_thread_without_counts(preloaded: Record, processor: dict[str, str]) -> None:
    shards = preloaded("+main fork +f -f ; -main", EVENTS="PAPI_TOT_INS", **processor)
    assert sorted(shard.uncounted for shard in shards) == [0, 1]
