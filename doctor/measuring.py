"""What measuring rests on: clocks, hardware counters, counts by simulation, OpenMP."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import AutoanalyzerError
from ..runtime.folder import RunFolder
from .bench import Bench, own_program
from .finding import Finding, Outcome
from .programs import OPENMP

if TYPE_CHECKING:
    from ..experiment import Experiment

__all__ = ["CLOCKS", "COUNTS", "clock_findings", "openmp_finding", "papi_finding", "simulation_finding"]

CLOCKS: Final = "clocks"
COUNTS: Final = "counts"

_SLOW: Final = {
    "syscall": "the kernel is asked at each event, which costs 60 times as much: use larger regions (see --max-overhead)",
}
_PARANOID: Final = Path("/proc/sys/kernel/perf_event_paranoid")
_NO_PAPI: Final = re.compile(r"found no libpapi.*|libpapi cannot.*|no event can be started.*")


def clock_findings(experiment: Experiment | None) -> list[Finding]:
    """Say by which clocks a program was measured, and what a probe cost."""
    if experiment is None or not experiment.notes.clocks:
        return [Finding(CLOCKS, "clocks", Outcome.UNTRIED, "no program was measured")]
    notes = experiment.notes
    wall, cpu = notes.clocks.get("wall", ""), notes.clocks.get("cpu", "")
    rate = float(notes.clocks.get("ticks_per_second", 0) or 1)
    found = f"{wall}, a tick each {1e9 / rate:.2g} ns"
    advice = "" if wall != "clock_gettime" else "this machine's counter is not trusted by its kernel: probes cost more"
    cost = f"a pair of probes takes {notes.probe_ns:.0f} ns" if notes.probe_ns else ""
    return [
        Finding(CLOCKS, "wall time", Outcome.WORKS, found, advice),
        Finding(CLOCKS, "CPU time", Outcome.WORKS, f"by {cpu}", _SLOW.get(cpu, ""), varying=cost),
    ]


def openmp_finding(compiler: Sequence[str], bench: Bench) -> Finding:
    """Build a program with a parallel region, and look for its two threads."""
    folder = bench.place("openmp")
    (folder / "app.c").write_text(OPENMP)
    name = f"{shlex.join(compiler)} -fopenmp"
    words = [own_program("aa-mpicc"), "-g", "-O1", "-fopenmp", "app.c", "-o", "app"]
    done = bench.run(words, folder, {"AUTOANALYZER_CC": shlex.join(compiler)})
    if done.status != 0:
        advice = "programs without OpenMP need nothing more; others need the compiler's OpenMP library"
        return Finding("OpenMP", name, Outcome.FAILS, f"cannot build: {done.reason}", advice)
    run = [own_program("autoanalyzer"), "run", "--no-analyze", "--counters", "none", "-o", "out", "--", "./app"]
    done = bench.run(run, folder, {"OMP_NUM_THREADS": "2", "OMP_THREAD_LIMIT": "2"})
    experiment = _experiment(folder)
    if experiment is None:
        return Finding("OpenMP", name, Outcome.FAILS, done.reason)
    threads = len(experiment.locations)
    kinds = {path.region.kind for path in experiment.call_paths}
    if threads != 2 or "parallel" not in kinds:
        return Finding("OpenMP", name, Outcome.FAILS, f"expected a parallel region of 2 threads, found {threads}")
    return Finding("OpenMP", name, Outcome.WORKS, "built with probes, run, 2 threads of a parallel region recorded")


def papi_finding(program: Sequence[str | Path], bench: Bench) -> Finding:
    """Run a program with hardware counters."""
    folder = bench.place("papi")
    words = [own_program("autoanalyzer"), "run", "--no-analyze", "--counters", "papi", "-o", "out", "--", *program]
    done = bench.run(words, folder)
    experiment = _experiment(folder)
    counted = (
        [metric for metric in experiment.metrics if metric.source.startswith("measured:papi:")] if experiment else []
    )
    if counted:
        events = ", ".join(dict.fromkeys(metric.source.removeprefix("measured:papi:") for metric in counted))
        return Finding(COUNTS, "PAPI", Outcome.WORKS, f"run --counters papi counts {events}")
    said = " ".join([*(experiment.notes.remarks if experiment else ()), done.complained])
    reason = _NO_PAPI.search(said)
    found = reason[0].partition("autoanalyzer:")[0].strip() if reason else done.reason
    return Finding(COUNTS, "PAPI", Outcome.ABSENT, _with_kernel(found), _papi_advice(found))


def _with_kernel(found: str) -> str:
    """Add what the kernel says of its performance events."""
    try:
        level = f"perf_event_paranoid is {_PARANOID.read_text().strip()}"
    except OSError:
        level = "this kernel has no performance events"
    pmu = "" if Path("/sys/bus/event_source/devices/cpu").exists() else ", and no processor's counters (PMU)"
    return f"{found.partition(' (virtual')[0]}; {level}{pmu}"


def _papi_advice(found: str) -> str:
    if "no libpapi" in found:
        return "install papi (Debian: libpapi-dev) for hardware counters, or count by run --counters simulated"
    return "count by run --counters simulated; hardware counters need a machine with a PMU, and perf_event_paranoid of 2 or less"


def simulation_finding(program: Sequence[str | Path], bench: Bench) -> Finding:
    """Run a program under Valgrind and the counting tool."""
    if not shutil.which("valgrind", path=bench.environment.get("PATH")):
        advice = "install valgrind with its headers, or have causes of heavy regions without counts"
        return Finding(COUNTS, "simulated", Outcome.ABSENT, "valgrind is not on PATH", advice)
    folder = bench.place("simulated")
    words = [own_program("autoanalyzer"), "run", "--no-analyze", "--counters", "simulated", "-o", "out", "--", *program]
    done = bench.run(words, folder)
    experiment = _experiment(folder)
    if experiment is None or "instructions" not in experiment:
        advice = "install valgrind with its headers (Debian: valgrind), of the same version"
        return Finding(COUNTS, "simulated", Outcome.FAILS, done.reason, advice)
    counts = experiment.exclusive("instructions").sum(axis=0)
    if not counts.min() > 0:
        return Finding(COUNTS, "simulated", Outcome.FAILS, "expected instructions on each rank, found none")
    source = experiment.metric("instructions").source.removeprefix("simulated:rtcount ")
    version = bench.run(["valgrind", "--version"], folder, patience=30).printed.strip()
    ranks = len({location.process for location in experiment.locations})
    return Finding(COUNTS, "simulated", Outcome.WORKS, f"{version} counted instructions of {ranks} ranks; {source}")


def _experiment(folder: Path) -> Experiment | None:
    from ..experiment import load  # noqa: PLC0415 - takes its time

    try:
        return load(RunFolder(folder / "out").experiment)
    except AutoanalyzerError:
        return None
