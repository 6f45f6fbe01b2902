"""One node, examined: all checks, what is independent at the same time."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from .bench import Bench, bench
from .families import Family, find_families, find_launchers
from .finding import Finding, Outcome
from .folders import folder_findings
from .installation import installation_findings
from .launchers import launcher_finding, srun_finding
from .limits import limit_findings
from .measuring import COUNTS, clock_findings, openmp_finding, papi_finding, simulation_finding
from .mpi import AREA as MPI
from .mpi import CTrial, c_trial, cxx_findings, fortran_findings

__all__ = ["Told", "essential_of", "examine"]

Told = Callable[[str], object]
"""Takes what is being tried."""

_AT_ONCE: Final = 6  # trials; most of their time launchers wait
_NO_MPI: Final = "install an MPI library (Debian: openmpi-bin libopenmpi-dev), or load its module"


def examine(told: Told, *, families: Sequence[Family] | None = None, on_node_of_job: bool = False) -> list[Finding]:
    """Try everything on this node.

    Args:
        told: Takes what is being tried.
        families: The MPI libraries; None if they are to be looked for.
        on_node_of_job: Whether a launcher has started this process among others.
    """
    found = find_families(os.environ) if families is None else list(families)
    with bench(on_node_of_job=on_node_of_job) as place, ThreadPoolExecutor(_AT_ONCE) as pool:
        try:
            return [
                *installation_findings(),
                *_trials(found, place, pool, told, in_step=on_node_of_job),
                *folder_findings(),
                *limit_findings(),
            ]
        except BaseException:
            place.close()
            pool.shutdown(cancel_futures=True)
            raise


def essential_of(findings: Sequence[Finding]) -> tuple[bool, str]:
    """Tell whether what is essential works, and which that is."""
    essential = [finding for finding in findings if finding.essential]
    works = all(finding.outcome is Outcome.WORKS for finding in essential)
    return works, ", ".join(dict.fromkeys(finding.name for finding in essential))


def _trials(
    families: list[Family], place: Bench, pool: ThreadPoolExecutor, told: Told, *, in_step: bool
) -> Iterator[Finding]:
    yield from _missing_usual(families)
    told(f"programs in C, C++ and Fortran with {', '.join(each.name for each in families) or 'no MPI'}")
    c = [pool.submit(c_trial, family, place, number == 0) for number, family in enumerate(families)]
    others: list[tuple[Future[list[Finding]], Future[list[Finding]]]] = [
        (
            pool.submit(cxx_findings, family, place),
            pool.submit(fortran_findings, family, place),
        )
        for family in families
        if family.library
    ]
    trials = [each.result() for each in c]
    told("launchers, counters and OpenMP")
    more = _independent(trials, place, pool)
    launchers = find_launchers(place.environment, families)
    started = [pool.submit(launcher_finding, launcher, trials, place) for launcher in launchers]
    rest = iter(others)
    for trial in trials:
        yield from trial.findings
        if trial.family.library:
            for each in next(rest):
                yield from each.result()
    for launcher in started:
        yield launcher.result()
    yield from srun_finding(trials, place, in_step=in_step)
    yield from clock_findings(next((trial.experiment for trial in trials if trial.experiment), None))
    for finding in more:
        yield finding.result()


def _missing_usual(families: Sequence[Family]) -> Iterator[Finding]:
    """Say that the compiler that ``aa-mpicc`` calls is not there, and which is to be named instead."""
    if not families:
        yield Finding(MPI, "mpicc", Outcome.FAILS, "no MPI compiler on PATH", _NO_MPI, essential=True)
    elif not families[0].is_usual:
        first = families[0]
        names = (("AUTOANALYZER_CC", first.c), ("AUTOANALYZER_CXX", first.cxx), ("AUTOANALYZER_FC", first.fortran))
        advice = f"export {' '.join(f'{name}={shlex.quote(shlex.join(words))}' for name, words in names if words)}"
        named = os.environ.get("AUTOANALYZER_CC", "mpicc")
        yield Finding(MPI, named, Outcome.ABSENT, f"aa-mpicc calls {named}, which is not on PATH", advice)


def _independent(trials: Sequence[CTrial], place: Bench, pool: ThreadPoolExecutor) -> list[Future[Finding]]:
    """Start what needs a program of the first MPI library that works."""
    trial = next((trial for trial in trials if trial.works), None)
    if trial is None:
        untried = Finding(COUNTS, "counters", Outcome.UNTRIED, "there is no program that runs to be counted")
        return [pool.submit(lambda: untried)]
    command = [trial.family.launcher, "-n", "2", str(trial.program)]
    return [
        pool.submit(papi_finding, command, place),
        pool.submit(simulation_finding, command, place),
        pool.submit(openmp_finding, trial.family.c, place),
    ]
