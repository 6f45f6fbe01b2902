"""CPU time equals that of the kernel's clock, for each way of reading it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autoanalyzer.runtime.gather.shard import Shard
from autoanalyzer.runtime.gather.shard_reader import read_shard

from .conftest import recorder, spent

Record = Callable[..., list[Shard]]

CLOCKS = ["rseq", "perf-lock", "syscall"]


def recorded_by(record: Record, clock: str, words: str, **more: str) -> Shard:
    (shard,) = record(words, AUTOANALYZER_CPU_CLOCK=clock, **more)
    if shard.cpu_clock != clock:
        pytest.skip(f"CPU time cannot be watched by {clock} here")
    return shard


def cpu_times(shard: Shard, region: str) -> list[float]:
    """Return each thread's CPU time in a region and in its callees."""
    times = []
    for thread in shard.threads:
        cpu: dict[int, float] = {}
        inside: set[int] = set()
        for number, node in enumerate(thread.nodes[1:], start=1):
            if node["parent"] in inside or shard.regions[node["region"]].name == region:
                inside.add(number)
                cpu[number] = float(node["cpu"])
        times.append(sum(cpu.values()))
    return [time for time in times if time]


@pytest.fixture
def shared_cpu() -> Iterator[tuple[str, ...]]:
    """Yield words that run a command on a core that another process keeps busy."""
    cpu = str(min(os.sched_getaffinity(0)))
    with subprocess.Popen(["taskset", "-c", cpu, "sh", "-c", "while :; do :; done"]) as busy:
        yield ("taskset", "-c", cpu)
        busy.kill()


@pytest.mark.parametrize("clock", CLOCKS)
def test_spinning_is_cpu_time_and_sleeping_is_not(record: Record, clock: str, tmp_path: Path) -> None:
    shard = recorded_by(record, clock, "+main times 10 +spin spin 5 -spin +sleep sleep 5 -sleep ; -main spent")
    spin, sleep = shard.threads[0].nodes[2:]
    assert 0.8 <= spin["cpu"] / sum(spent(tmp_path)) <= 1.5  # pauses by a hypervisor show late
    assert sleep["cpu"] < 0.2 * sleep["wall"]


@pytest.mark.by_day(clock=["rseq", "perf-lock"])
@pytest.mark.parametrize("difference", [0.4, pytest.param(2e-3, marks=pytest.mark.measured)])
@pytest.mark.parametrize("clock", CLOCKS)
def test_cpu_time_is_the_kernels(
    preloaded: Record, clock: str, difference: float, tmp_path: Path, shared_cpu: tuple[str, ...]
) -> None:
    """Short pauses by a hypervisor show late; only quiet machines and long runs agree within a thousandth."""
    some = 100 if difference < 0.1 else 40
    regions = {
        "beside": f"spin {2 * some}",
        "struck": f"alarms spin {2 * some} calm",
        "asleep": f"spin {some} sleep {2 * some} spin {some}",
        "polling": f"poll {4 * some}",
    }
    words = " ".join(f"+{region} {inside} -{region} spent" for region, inside in regions.items())
    threads = f"parallel 3 times 2 +thread meet spin {some} sleep {some} -thread ; ;"
    (shard,) = preloaded(f"+main {words} {threads} -main spent", before=shared_cpu, AUTOANALYZER_CPU_CLOCK=clock)
    if shard.cpu_clock != clock:
        pytest.skip(f"CPU time cannot be watched by {clock} here")
    assert shard.cpus == 1
    measured = [sum(cpu_times(shard, region)) for region in (*regions, "thread")]
    assert measured == pytest.approx(spent(tmp_path), rel=difference)
    assert len(cpu_times(shard, "thread")) == 3


@pytest.mark.parametrize("clock", ["rseq", "perf-lock"])
def test_the_cpu_clock_is_asked_only_after_a_switch(record: Record, clock: str) -> None:
    shard = recorded_by(record, clock, "+main times 1000 *50 +r *50 -r ; -main")
    assert shard.threads[0].synchronised < 1000


UNREGISTERED = {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}


@pytest.mark.parametrize(
    ("before", "environment", "chosen"),
    [
        ("", UNREGISTERED, CLOCKS[1:]),
        ("deny perf", {}, ["rseq", "syscall"]),
        ("deny perf", UNREGISTERED, ["syscall"]),
        ("deny nap", {}, ["rseq", "syscall"]),  # usually, no context switch happens while the clock is chosen
    ],
)
def test_another_clock_is_chosen_where_one_does_not_work(
    preloaded: Record, before: str, environment: dict[str, str], chosen: list[str], tmp_path: Path
) -> None:
    (shard,) = preloaded(f"{before} +main +spin spin 50 -spin sleep 50 -main spent", **environment)
    assert shard.cpu_clock in chosen
    assert sum(cpu_times(shard, "main")) == pytest.approx(sum(spent(tmp_path)), rel=0.5)


def test_on_an_unknown_processor_the_systems_clocks_are_read(
    portable_library: Path, plain_program: Path, tmp_path: Path, visits: Callable[..., dict[str, int]]
) -> None:
    words = "+main times 10 +spin spin 5 -spin +sleep sleep 5 -sleep ; *100 +r *100 -r parallel 2 +f -f ; -main spent"
    record = recorder(
        tmp_path, ["env", f"LD_PRELOAD={portable_library}", plain_program], {"AUTOANALYZER_SAMPLE": "250"}
    )
    (shard,) = record(words)
    assert (shard.wall_clock, shard.ticks_per_second) == ("clock_gettime", pytest.approx(1e9, rel=1e-3))
    assert shard.cpu_clock in CLOCKS[1:]
    assert visits(shard) == {"main": 1, "main/spin": 10, "main/sleep": 10, "main/r": 100}
    spin, sleep = (sum(cpu_times(shard, region)) for region in ("spin", "sleep"))
    assert 0.8 <= spin / sum(spent(tmp_path)) <= 1.5
    assert sleep < 0.2 * spin


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


@pytest.mark.parametrize("trace", [{}, {"AUTOANALYZER_TRACE": "1"}], ids=["", "with time lines"])
@pytest.mark.parametrize("before", ["spin 1", "times 9 +short -short ;"], ids=["a long interval", "short ones"])
def test_what_a_hypervisor_takes_is_no_cpu_time_of_the_region_from_which_it_does(
    tmp_path: Path, fake_library: Path, plain_program: Path, before: str, trace: dict[str, str]
) -> None:
    record = recorder(tmp_path, ["env", f"LD_PRELOAD={fake_library}", plain_program], trace)
    (shard,) = record(f"+main times 20 +even spin 1 -even +struck {before} -struck ; +struck take 66 -struck -main")
    even, struck = (cpu_times(shard, region) for region in ("even", "struck"))
    assert even == pytest.approx([0.02], rel=1e-3)
    assert struck == pytest.approx([0.02 if "spin" in before else 0.0], rel=1e-3, abs=1e-4)
