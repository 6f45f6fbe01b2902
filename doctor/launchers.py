"""Test each launcher with the programs of each MPI library. With the wrong launcher, each process runs alone."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from .bench import Bench
from .families import Launcher
from .finding import Finding, Outcome
from .mpi import CTrial, root_advice
from .trial import RANKS

__all__ = ["launcher_finding", "srun_findings", "starts"]

_AREA: Final = "launchers"

_SAID: Final = re.compile(r"^rank (\d+) of (\d+):", re.MULTILINE)
_ALONE: Final = "alone"
_FOREIGN: Final = (
    "this launcher belongs to another MPI library: use the launcher in the MPI compiler's folder, or load "
    "the module of the compiler's MPI library"
)
_BROKEN: Final = "load another MPI module, or reinstall the package that provides the launcher"
_NO_STEP: Final = "Unable to create step"
_ASK: Final = "request more: salloc -n 2"
_PATIENCE: Final = 60.0  # seconds after which a launched program is ended
_PLUGINS: Final = ("pmix", "pmi2")


Outcomes = Mapping[str, str]
"""C compiler of an MPI library → the outcome: empty if its program starts, ``alone`` if each process is rank 0 of 1, or
else why it fails."""


def starts(launcher: Launcher, made: Sequence[CTrial], bench: Bench) -> Outcomes:
    """Start the programs of all MPI libraries with a launcher, and return the outcomes.

    A program is not started again if it has already run under this launcher.
    """
    return {each.family.name: _started(launcher, each, bench) for each in made if each.program}


def _started(launcher: Launcher, made: CTrial, bench: Bench) -> str:
    if made.works and made.family.launcher in (launcher.name, *launcher.others):
        return ""
    done = bench.run([*launcher.words, str(made.program)], bench.folder, patience=_PATIENCE)
    said = sorted(_SAID.findall(done.printed))
    if said == [(str(rank), str(RANKS)) for rank in range(RANKS)]:
        return ""
    return _ALONE if said == [("0", "1")] * RANKS else done.reason


def launcher_finding(launcher: Launcher, outcomes: Outcomes, others: Mapping[str, str]) -> Finding:
    """Return the finding about a launcher.

    Args:
        launcher: The launcher.
        outcomes: The outcome for each MPI library.
        others: MPI library → a launcher that starts its programs; libraries without such a launcher are missing.
    """
    also = f"also {', '.join(launcher.others)}; " if launcher.others else ""
    about = Finding(_AREA, launcher.name, Outcome.FAILS, "")
    if not outcomes:
        return replace(about, outcome=Outcome.UNTRIED, found=f"{also}there is no MPI program to start")
    started = [family for family, outcome in outcomes.items() if not outcome]
    alone = [family for family, outcome in outcomes.items() if outcome == _ALONE]
    failed = {family: outcome for family, outcome in outcomes.items() if outcome not in ("", _ALONE)}
    if any(_NO_STEP in reason for reason in failed.values()):
        return replace(about, outcome=Outcome.UNTRIED, found=f"{RANKS} ranks do not fit into this job", advice=_ASK)
    if len({*failed.values()}) == 1 and not started and not alone:
        reason = next(iter(failed.values()))
        return replace(about, found=f"{also}{reason}", advice=root_advice(reason, launcher.name) or _BROKEN)
    parts = [f"starts programs built with {', '.join(started)}"] if started else []
    parts += [f"starts programs built with {', '.join(alone)} as {RANKS} processes, each rank 0 of 1"] if alone else []
    parts += [f"programs built with {family}: {reason}" for family, reason in failed.items()]
    ways = [f"{others[family]} for programs built with {family}" for family in (*alone, *failed) if family in others]
    advice = f"use {', '.join(ways)}" if ways else "" if started else _FOREIGN
    return replace(
        about, outcome=Outcome.WORKS if started else Outcome.FAILS, found=f"{also}{'; '.join(parts)}", advice=advice
    )


def _slurm_launchers() -> list[Launcher]:
    """Return ``srun`` as a launcher, without a plugin and with each of its MPI plugins."""
    plain = ("srun", "-n", str(RANKS), "--overlap", "--immediate=30")
    return [Launcher(plain, "srun"), *(Launcher((*plain, f"--mpi={each}"), f"srun --mpi={each}") for each in _PLUGINS)]


def srun_findings(made: Sequence[CTrial], bench: Bench, *, in_step: bool) -> list[Finding]:
    """Return findings about ``srun``. Outside of a job, ``srun`` is not tried, because it would wait in a queue."""
    if not shutil.which("srun", path=bench.environment.get("PATH")):
        return []
    if "SLURM_JOB_ID" not in os.environ:
        advice = (
            "to test srun, run autoanalyzer doctor in a job, or run srun -N 2 --mpi=pmix autoanalyzer doctor (pmi2 "
            "for MPICH)"
        )
        return [Finding(_AREA, "srun", Outcome.UNTRIED, "outside a job, srun would wait for nodes", advice)]
    if in_step:
        return []
    launchers = _slurm_launchers()
    outcomes = [starts(launcher, made, bench) for launcher in launchers]
    ways = {
        family: launcher.name
        for launcher, outcome in reversed([*zip(launchers, outcomes, strict=True)])
        for family, defect in outcome.items()
        if not defect
    }
    return [launcher_finding(launcher, outcome, ways) for launcher, outcome in zip(launchers, outcomes, strict=True)]
