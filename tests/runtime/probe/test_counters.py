"""Counters of the probe library: which source counts, what PAPI's go to, and what is said where none can be had."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.merge import merge_shards
from autoanalyzer.runtime.shard import Shard, read_shard

Record = Callable[..., list[Shard]]

# A counter of the program's own that PAPI reads as an event: known to the last one, on any machine.
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


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A program that does 5 in a region and 3 behind it."""
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
    assert shard.sources == {}
    assert (tmp_path / "stderr").read_text() == ""


@pytest.mark.parametrize(
    ("counters", "said"),
    [
        ("simulated", "the program under Valgrind's tool rtcount wanted, found it without; nothing is counted"),
        ("many", "simulated or none wanted; nothing is counted"),
    ],
)
def test_what_cannot_be_counted_is_said_once(preloaded: Record, tmp_path: Path, counters: str, said: str) -> None:
    (shard,) = preloaded("+main +f -f -main", AUTOANALYZER_COUNTERS=counters)
    assert shard.sources == {}
    assert (tmp_path / "stderr").read_text().count(said) == 1


def test_counts_go_to_the_region_that_is_open(work: Path, library: Path) -> None:
    events = "instructions=sde:::test::work"
    shard, said = run(work, library, AUTOANALYZER_COUNTERS="papi", AUTOANALYZER_EVENTS=events)
    assert said == ""
    assert shard.sources == dict.fromkeys(["instructions", "mpi_instructions"], "measured:papi:sde:::test::work")
    base, main, region = shard.threads[0].nodes
    assert [int(node["instructions"]) for node in (base, main, region)] == [1000, 307, 500]
    assert int(region["mpi_instructions"]) == 0
    assert int(shard.threads[1].nodes["instructions"][1]) == 5


def test_metrics_say_which_event_stands_for_them(work: Path, library: Path) -> None:
    events = "l1_misses=sde:::test::work,cycles=sde:::test::none_such:::"
    shard, _ = run(work, library, AUTOANALYZER_COUNTERS="papi", AUTOANALYZER_EVENTS=events)
    metrics = {metric.name: metric for metric in merge_shards([shard], RunFacts()).metrics}
    assert metrics["l1_misses"].source == "measured:papi:sde:::test::work"
    assert metrics["l1_misses"].parent is None  # accesses were not counted
    assert {"instructions", "l1_accesses"}.isdisjoint(metrics)


def test_events_that_do_not_start_are_said(work: Path, library: Path) -> None:
    shard, said = run(work, library, AUTOANALYZER_COUNTERS="papi", AUTOANALYZER_EVENTS="instructions=NO_SUCH_EVENT")
    assert shard.sources == {}
    assert "AUTOANALYZER_COUNTERS=papi: an event that starts wanted, found none (virtual machine?" in said
