"""Which launcher starts the programs of which MPI library: of another one, each process is alone."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from typing import Final

from .bench import Bench
from .families import Launcher
from .finding import Finding, Outcome
from .mpi import CTrial
from .trial import RANKS

__all__ = ["AREA", "launcher_finding", "slurm_launchers", "srun_finding"]

AREA: Final = "launchers"

_SAID: Final = re.compile(r"^rank (\d+) of (\d+):", re.MULTILINE)
_PATIENCE: Final = 60.0
_PLUGINS: Final = ("pmix", "pmi2")


def launcher_finding(launcher: Launcher, trials: Sequence[CTrial], bench: Bench) -> Finding:
    """Start the programs of all MPI libraries by a launcher.

    Args:
        launcher: Which.
        trials: What was built; a trial that worked need not be repeated.
        bench: Where.
    """
    built = [trial for trial in trials if trial.program]
    outcomes = {trial.family.name: _started(launcher, trial, bench) for trial in built}
    return _finding(launcher, trials, outcomes)


def _started(launcher: Launcher, trial: CTrial, bench: Bench) -> str:
    """Start a program; nothing if both ranks know of each other, else ``alone``, or why not."""
    if trial.works and trial.family.launcher in (launcher.name, *launcher.others):
        return ""
    done = bench.run([*launcher.words, str(trial.program)], bench.folder, patience=_PATIENCE)
    said = sorted(_SAID.findall(done.printed))
    if said == [(str(rank), str(RANKS)) for rank in range(RANKS)]:
        return ""
    return "alone" if said == [("0", "1")] * RANKS else done.reason


def _finding(launcher: Launcher, trials: Sequence[CTrial], outcomes: dict[str, str]) -> Finding:
    name = launcher.name
    also = f"also {', '.join(launcher.others)}; " if launcher.others else ""
    if not outcomes:
        return Finding(AREA, name, Outcome.UNTRIED, f"{also}there is no MPI program to start")
    started = [family for family, outcome in outcomes.items() if not outcome]
    alone = [family for family, outcome in outcomes.items() if outcome == "alone"]
    failures = {family: outcome for family, outcome in outcomes.items() if outcome and outcome != "alone"}
    parts = [f"starts programs of {', '.join(started)}"] if started else []
    if alone:
        parts.append(f"those of {', '.join(alone)} as {RANKS} times rank 0 of 1")
    parts += (
        [f"those of {family}: {reason}" for family, reason in failures.items()]
        if started or alone
        else [*dict.fromkeys(failures.values())]
    )
    found = f"{also}{'; '.join(parts)}"
    if started:
        owners = {trial.family.name: trial.family.launcher for trial in trials if trial.works}
        other = [f"{family} by {owners[family]}" for family in (*alone, *failures) if family in owners]
        return Finding(AREA, name, Outcome.WORKS, found, f"start programs of {', '.join(other)}" if other else "")
    return Finding(AREA, name, Outcome.FAILS, found, _advice(alone))


def _advice(alone: Sequence[str]) -> str:
    if alone:
        return "it belongs to another MPI library: load that one's module, or use the launcher beside the compiler"
    return "its MPI library is broken, or not whole: load another MPI module, or reinstall it"


def slurm_launchers() -> list[Launcher]:
    """Give ``srun`` with each way that it may speak to MPI libraries."""
    plain = ("srun", "-n", str(RANKS), "--overlap", "--immediate=30")
    return [Launcher(plain, "srun"), *(Launcher((*plain, f"--mpi={each}"), f"srun --mpi={each}") for each in _PLUGINS)]


def srun_finding(trials: Sequence[CTrial], bench: Bench, *, in_step: bool) -> list[Finding]:
    """Try Slurm's launcher, where that is possible without a place in a queue."""
    if not shutil.which("srun", path=bench.environment.get("PATH")):
        return []
    if "SLURM_JOB_ID" not in os.environ:
        advice = "srun -N 2 autoanalyzer doctor, or within a job, tries it"
        return [Finding(AREA, "srun", Outcome.UNTRIED, "outside of a job it would wait for nodes", advice)]
    if in_step:
        return []
    findings = []
    for launcher in slurm_launchers():
        found = launcher_finding(launcher, trials, bench)
        findings.append(found)
        if found.outcome is Outcome.WORKS and "; those of" not in found.found:
            break
    return findings
