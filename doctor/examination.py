"""Run all checks on one node; checks that do not depend on each other run at the same time."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Final

from .bench import Bench, bench
from .families import Family, Launcher, find_families, find_launchers
from .finding import Finding, Outcome
from .folders import folder_findings
from .installation import installation_findings
from .launchers import launcher_finding, srun_findings, starts
from .limits import limit_findings
from .measuring import COUNTS, clock_findings, openmp_finding, papi_finding, simulation_finding
from .mpi import CTrial, area_of, as_in_c, c_trial, cxx_findings, fortran_findings, gather_finding

__all__ = ["Told", "essential_of", "examine"]

Told = Callable[[str], object]
"""Progress callback, called with the name of the current check."""

_AT_ONCE: Final = 12  # number of simultaneous trials, which mostly wait for launchers
_NO_MPI: Final = "install an MPI library (Debian: openmpi-bin libopenmpi-dev), or load its module"


def examine(told: Told, *, families: Sequence[Family] | None = None, on_node_of_job: bool = False) -> list[Finding]:
    """Run all checks on this node, and return their findings.

    Args:
        told: Progress callback, called with the name of the current check.
        families: The MPI libraries; None to search for them.
        on_node_of_job: Whether a launcher has started this process.
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
    """Return whether all essential checks succeeded, and the names of their areas, separated by commas."""
    essential = [finding for finding in findings if finding.essential]
    works = all(finding.outcome is Outcome.WORKS for finding in essential)
    return works, ", ".join(dict.fromkeys(finding.area for finding in essential))


def _trials(
    families: Sequence[Family], place: Bench, pool: ThreadPoolExecutor, told: Told, *, in_step: bool
) -> Iterator[Finding]:
    """Yield the findings from test programs. C programs are built first, because other checks use them."""
    yield from _missing_usual(families)
    told(f"test programs for {', '.join(each.name for each in families) or 'no MPI library'}")
    in_c = [pool.submit(c_trial, family, place, essential=number == 0) for number, family in enumerate(families)]
    others = [
        [pool.submit(each, family, place) for each in (cxx_findings, fortran_findings)] if family.library else []
        for family in families
    ]
    made = [each.result() for each in in_c]
    counts = _counts(made, place, pool)
    gathers = [[pool.submit(gather_finding, each)] if each.works else [] for each in made]
    launchers = find_launchers(place.environment, families)
    started = [pool.submit(starts, launcher, made, place) for launcher in launchers]
    told("launchers and counters")
    outcomes = [each.result() for each in started]
    ways = _ways(launchers, outcomes, made)
    for each, other, gather in zip(made, others, gathers, strict=True):
        yield _with_way_out(each, made, ways)
        for languages in other:
            yield from (as_in_c(finding, each) for finding in languages.result())
        yield from (future.result() for future in gather)
    for launcher, outcome in zip(launchers, outcomes, strict=True):
        yield launcher_finding(launcher, outcome, ways)
    yield from srun_findings(made, place, in_step=in_step)
    yield from clock_findings(next((each.experiment for each in made if each.experiment), None))
    yield from (future.result() for future in counts)


def _ways(
    launchers: Sequence[Launcher], outcomes: Sequence[Mapping[str, str]], made: Sequence[CTrial]
) -> dict[str, str]:
    """Map each MPI library to the name of a launcher that starts its programs, preferably the library's own."""
    ways = {each.family.name: each.family.launcher for each in made if each.works}
    for launcher, outcome in zip(launchers, outcomes, strict=True):
        for family, defect in outcome.items():
            if not defect:
                ways.setdefault(family, launcher.name)
    return ways


def _with_way_out(each: CTrial, made: Sequence[CTrial], ways: Mapping[str, str]) -> Finding:
    """Return the finding about a C program. If it failed, the advice names a launcher or MPI library that works."""
    finding, family = each.finding, each.family
    if each.works:
        return finding
    if family.name in ways:
        return replace(
            finding, advice=f"start programs of this MPI library with {ways[family.name]}; or {finding.advice}"
        )
    other = next((other.family for other in made if other.works), None)
    if other is None or not finding.essential:
        return finding
    return replace(finding, advice=f"{finding.advice}; or {_chosen(other)}, and start programs with {other.launcher}")


def _chosen(family: Family) -> str:
    """Return the shell command that selects the compilers of an MPI library."""
    names = (("AUTOANALYZER_CC", family.c), ("AUTOANALYZER_CXX", family.cxx), ("AUTOANALYZER_FC", family.fortran))
    return f"export {' '.join(f'{name}={shlex.quote(shlex.join(words))}' for name, words in names)}"


def _missing_usual(families: Sequence[Family]) -> Iterator[Finding]:
    """Yield a finding if the compiler that ``aa-mpicc`` calls is missing; its advice names another compiler."""
    named = os.environ.get("AUTOANALYZER_CC", "mpicc")
    about = Finding(area_of(named), f"C, {named}", Outcome.ABSENT, f"aa-mpicc calls {named}, which is not on PATH")
    if not families:
        yield replace(about, outcome=Outcome.FAILS, advice=_NO_MPI, essential=True)
    elif not families[0].is_usual:
        yield replace(about, advice=_chosen(families[0]))


def _counts(made: Sequence[CTrial], place: Bench, pool: ThreadPoolExecutor) -> list[Future[Finding]]:
    """Start the checks of counters and OpenMP; return futures of their findings.

    Counters are checked with the C program of the first MPI library that works.
    """
    working = next((each for each in made if each.works), None)
    compiler = working.family.c if working else ("cc",)
    openmp = [pool.submit(openmp_finding, compiler, place)] if shutil.which(compiler[0]) else []
    if working is None:
        untried = Finding(COUNTS, "counters", Outcome.UNTRIED, "no MPI program could be run")
        return [pool.submit(lambda: untried), *openmp]
    return [*(pool.submit(each, working) for each in (simulation_finding, papi_finding)), *openmp]
