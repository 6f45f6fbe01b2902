"""CPU time is that of the kernel's own clock, however it is watched."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from autoanalyzer.runtime.shard import Shard, read_shard

Record = Callable[..., list[Shard]]

CLOCKS = ["rseq", "perf-lock", "syscall"]


def recorded_by(record: Record, clock: str, words: str, **more: str) -> Shard:
    (shard,) = record(words, AUTOANALYZER_CPU_CLOCK=clock, **more)
    if shard.cpu_clock != clock:
        pytest.skip(f"CPU time cannot be watched by {clock} here")
    return shard


def spun(folder: Path) -> float:
    """The seconds that the word ``spun`` told: what spinning took by the threads' own clocks."""
    return int((folder / "stderr").read_text()) * 1e-9


@pytest.mark.parametrize("clock", CLOCKS)
def test_spinning_is_cpu_time_and_sleeping_is_not(record: Record, clock: str, tmp_path: Path) -> None:
    shard = recorded_by(record, clock, "+main times 10 +spin spin 5 -spin +sleep sleep 5 -sleep ; -main spun")
    spin, sleep = shard.threads[0].nodes[2:]
    assert 0.8 <= spin["cpu"] / spun(tmp_path) <= 1.5  # what a hypervisor takes shows late
    assert sleep["cpu"] < 0.2 * sleep["wall"]


@pytest.mark.parametrize("clock", CLOCKS)
def test_cpu_time_is_right_where_threads_share_a_cpu(preloaded: Record, clock: str, tmp_path: Path) -> None:
    words = "+main parallel 3 times 10 +spin spin 4 -spin ; ; -main spun"
    (cpu,) = list(os.sched_getaffinity(0))[:1]
    (shard,) = preloaded(words, before=("taskset", "-c", str(cpu)), AUTOANALYZER_CPU_CLOCK=clock)
    if shard.cpu_clock != clock:
        pytest.skip(f"CPU time cannot be watched by {clock} here")
    assert shard.cpus == 1
    spins = [thread.nodes[1] for thread in shard.threads[1:]]
    assert sum(spin["visits"] for spin in spins) == 30
    assert 0.8 <= sum(spin["cpu"] for spin in spins) / spun(tmp_path) <= 1.5


@pytest.mark.parametrize("clock", ["rseq", "perf-lock"])
def test_the_cpu_clock_is_asked_only_after_a_switch(record: Record, clock: str) -> None:
    shard = recorded_by(record, clock, "+main times 1000 *50 +r *50 -r ; -main")
    assert shard.threads[0].synchronised < 1000


def test_without_registered_sequences_another_clock_is_chosen(preloaded: Record) -> None:
    (shard,) = preloaded("+main -main", GLIBC_TUNABLES="glibc.pthread.rseq=0")
    assert shard.cpu_clock in CLOCKS[1:]


def test_ticks_have_one_rate_however_long_the_program_runs(record: Record) -> None:
    (short,), both = record("+main -main"), record("+main sleep 100 -main")
    rates = [shard.ticks_per_second for shard in (short, *both)]
    assert max(rates) / min(rates) - 1 < 1e-3


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
def test_the_library_runs_under_valgrind(
    plain_program: Path, library: Path, tmp_path: Path, visits: Callable[..., dict[str, int]]
) -> None:
    environment = {**os.environ, "LD_PRELOAD": str(library), "AUTOANALYZER_SHARDS": str(tmp_path)}
    words = ["+main", "*100", "+r", "*100", "-r", "new", "2000", "thread", "2", "+f", "-f", ";", "-main"]
    subprocess.run(["valgrind", "-q", "--error-exitcode=9", plain_program, *words], env=environment, check=True)
    shard = next(shard for shard in map(read_shard, tmp_path.iterdir()) if shard.regions)
    assert shard.cpu_clock in CLOCKS
    assert visits(shard)["main/r"] == 100
    assert len(visits(shard)) == 2002
