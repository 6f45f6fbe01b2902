"""Test the basis of measurements: clocks, hardware counters, simulated counts, and OpenMP."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ..runtime.papi.kernel import kernel_said
from ..runtime.papi.library import WAY_TO_ONE
from ..runtime.papi.sources import counted
from .bench import Bench
from .finding import Finding, Outcome
from .mpi import CTrial
from .programs import OPENMP
from .trial import RANKS, Trial

if TYPE_CHECKING:
    from ..experiment import Experiment

__all__ = ["COUNTS", "clock_findings", "openmp_finding", "papi_finding", "simulation_finding"]

COUNTS: Final = "counts"

_CLOCKS: Final = "clocks"
_SLOW: Final = (
    "probes read the CPU time with a system call, so each probe takes 60 times as long as usual; do not measure "
    "small regions (--max-overhead)"
)
_UNTRUSTED: Final = "the kernel does not trust this machine's time stamp counter, so probes read the time more slowly"
_NO_PAPI: Final = re.compile(r"(found no libpapi|the library that AUTO|libpapi cannot|no event can be started)[^(;\n]*")


def clock_findings(experiment: Experiment | None) -> list[Finding]:
    """Return findings about the clocks with which an experiment was measured, and the overhead per probe."""
    if experiment is None or not experiment.notes.clocks:
        return [Finding(_CLOCKS, "clocks", Outcome.UNTRIED, "no program was measured")]
    notes = experiment.notes
    wall, cpu = notes.clocks["wall"], notes.clocks["cpu"]
    found = f"{wall}, one tick per {1e9 / float(notes.clocks['ticks_per_second']):.2g} ns"
    cost = f"entry and exit of a region take {notes.probe_ns:.0f} ns" if notes.probe_ns else ""
    return [
        Finding(_CLOCKS, "wall time", Outcome.WORKS, found, _UNTRUSTED if wall == "clock_gettime" else ""),
        Finding(_CLOCKS, "CPU time", Outcome.WORKS, f"by {cpu}", _SLOW if cpu == "syscall" else "", varying=cost),
    ]


def openmp_finding(compiler: Sequence[str], bench: Bench) -> Finding:
    """Build and run an OpenMP program, and check that both its threads were recorded; return the finding."""
    about = Finding("OpenMP", f"{shlex.join(compiler)} -fopenmp", Outcome.FAILS, "")
    trial = Trial(bench, bench.place("openmp"))
    trial.write({"app.c": OPENMP})
    if failure := trial.compile("aa-mpicc", compiler, "-fopenmp", "app.c", "-o", "app"):
        return replace(about, found=failure, advice="if you use OpenMP, install the compiler's OpenMP library")
    experiment, done = trial.run(OMP_NUM_THREADS="2")
    if experiment is None:
        return replace(about, found=done.reason)
    threads = len(experiment.locations)
    if threads != 2 or all(path.region.kind != "parallel" for path in experiment.call_paths):
        return replace(about, found=f"expected a parallel region with 2 threads, found {threads}")
    found = "built with probes and run; both threads of a parallel region were recorded"
    return replace(about, outcome=Outcome.WORKS, found=found)


def papi_finding(made: CTrial) -> Finding:
    """Run the C program with hardware counters; return the finding, which names the events that were counted."""
    assert made.trial
    about = Finding(COUNTS, "by hardware", Outcome.ABSENT, "")
    launcher = (made.family.launcher, "-n", str(RANKS))
    experiment, done = made.trial.run(*launcher, options=("--counters", "papi"), output="papi")
    metrics = experiment.metrics if experiment else ()
    read = [told for each in metrics if (told := counted(each.source))]
    if read:
        by = f", by {read[0].library}" if read[0].library else ""
        found = f"run --counters papi counts {', '.join(dict.fromkeys(told.event for told in read))}{by}"
        return replace(about, outcome=Outcome.WORKS, found=found)
    said = "\n".join([*(experiment.notes.remarks if experiment else ()), done.complained])
    reason = _NO_PAPI.search(said)
    found = reason[0].strip() if reason else done.reason
    advice = "use run --counters simulated; to see all events, run autoanalyzer counters"
    if "no libpapi" in found:
        advice = f"{WAY_TO_ONE}, or {advice}"
    return replace(about, found=f"PAPI: {found}; {kernel_said()}", advice=advice)


def simulation_finding(made: CTrial) -> Finding:
    """Run the C program under Valgrind, and check that each rank's instructions are counted; return the finding."""
    assert made.trial
    about = Finding(COUNTS, "simulated", Outcome.FAILS, "")
    bench = made.trial.bench
    if not shutil.which("valgrind", path=bench.environment.get("PATH")):
        advice = "install valgrind with its headers; without it, counts cannot be simulated"
        return replace(about, outcome=Outcome.ABSENT, found="valgrind is not on PATH", advice=advice)
    launcher = (made.family.launcher, "-n", str(RANKS))
    experiment, done = made.trial.run(*launcher, options=("--counters", "simulated"), output="simulated")
    if experiment is None or "instructions" not in experiment:
        return replace(about, found=done.reason, advice="install valgrind with its headers (Debian: valgrind)")
    if not experiment.exclusive("instructions").sum(axis=0).min() > 0:
        return replace(about, found="expected instructions on each rank, found none")
    caches = experiment.metric("instructions").source.removeprefix("simulated:rtcount ")
    version = bench.run(["valgrind", "--version"], bench.folder).printed.strip()
    found = f"{version}: instructions and cache misses were counted on {RANKS} ranks; caches: {caches}"
    return replace(about, outcome=Outcome.WORKS, found=found)
