"""``autoanalyzer debug``: two rounds by themselves, from functions to the loop or call in which the time goes."""

from __future__ import annotations

import argparse
import copy
import os
import subprocess
import sysconfig
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from ..analyze.refine import refine
from ..errors import InputError
from ..experiment import Experiment
from ..instrument.choice import MODES_VARIABLE, PLAN_VARIABLE
from ..instrument.shims import build_environment
from ..runtime.cache import cache_folder
from ..runtime.folder import RunFolder
from ..view import print_verdict, verdict_lines
from .analysis import add_analysis_arguments, findings_of, write_findings
from .documents import check_targets
from .measuring import add_measuring_arguments, command_of, counting_run, measured, say
from .progress import progress
from .refine import opened_lines, write_refinement

__all__ = ["HELP", "NAME", "add_arguments", "run"]

NAME: Final = "debug"
HELP: Final = "build, run, narrow, build and run again: from the functions that are slow to the loops in them"

_FIRST: Final = "first"  # folder of the first round, in that of the run
_PLAN: Final = "plan.toml"
_OVERHEAD: Final = "10%"  # fine grain may be entered too often to be measured
_USAGE: Final = 'autoanalyzer debug --build "make -j" [options] -- mpirun -n 4 ./app'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = f"{_USAGE} [argument ...]"
    parser.add_argument(
        "--build",
        required=True,
        metavar="COMMAND",
        help="what builds the program, for a shell; it finds the compilers that instrument as $CC, $CXX and $FC, and "
        "as mpicc, mpicxx, mpifort and their like",
    )
    parser.add_argument(
        "--clean", metavar="COMMAND", help="what removes a build, before each; GNU make needs none (default: none)"
    )
    add_analysis_arguments(parser)
    add_measuring_arguments(parser)
    parser.set_defaults(max_overhead=_OVERHEAD)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out: 1 if the program failed in either round."""
    command = command_of(arguments, _USAGE)
    check_targets(json=arguments.json)
    folder = RunFolder(arguments.output)
    first = RunFolder(folder.path / _FIRST)
    folder.prepare()
    first.prepare()
    rounds = _Rounds(arguments, command)

    rounds.build(first, "1 of 2", {MODES_VARIABLE: "functions"}, without=PLAN_VARIABLE)
    experiment, failed = rounds.measure(first, "1 of 2", _first_round(arguments, first))
    if experiment is None:
        return 1
    _check_has_probes(experiment, first)
    findings = findings_of(experiment, arguments)
    refinement = refine(findings)
    if failed or not refinement.opened:
        if not failed:
            say("nothing to narrow: this is the verdict on functions")
        print_verdict(verdict_lines(findings, first.experiment), stderr=True)
        return 1 if failed else 0
    plan = first.path / _PLAN
    write_refinement(plan, refinement, first.experiment)
    for line in opened_lines(refinement):
        say(line)

    before = _stamps(command)
    rounds.build(folder, "2 of 2", {PLAN_VARIABLE: str(plan.resolve())}, without=MODES_VARIABLE)
    if before and _stamps(command) == before:
        raise InputError(
            f"--build {arguments.build}: a build that makes the program anew wanted, found one that left it as it was;"
            " --clean names what removes it"
        )
    experiment, failed = rounds.measure(folder, "2 of 2", arguments)
    if experiment is None:
        return 1
    findings = findings_of(experiment, arguments)
    if arguments.json:
        write_findings(findings, folder.experiment, arguments.json)
    print_verdict(verdict_lines(findings, folder.experiment), stderr=True)
    say(f"first round in {first.path}; the program has the probes of {plan}: build it as ever when you are done")
    return 1 if failed else 0


class _Rounds:
    """Builds and runs of one program."""

    def __init__(self, arguments: argparse.Namespace, command: Sequence[str]) -> None:
        self._arguments = arguments
        self._command = command
        self._environment = build_environment(
            cache_folder() / "compilers", Path(sysconfig.get_path("scripts")), os.environ
        )

    def build(self, folder: RunFolder, which: str, variables: Mapping[str, str], *, without: str) -> None:
        """Build the program.

        Raises:
            InputError: The build fails.
        """
        environment = {**self._environment, **variables}
        environment.pop(without, None)
        log = folder.path / "build.log"
        log.unlink(missing_ok=True)
        for command in filter(None, (self._arguments.clean, self._arguments.build)):
            say(f"{which}: {command}")
            with progress(f"build {which}"):
                _carry_out(command, environment, log)

    def measure(self, folder: RunFolder, which: str, arguments: argparse.Namespace) -> tuple[Experiment | None, bool]:
        """Run the program, as ``measured`` does; its input, if it is a file, is read from the start each time."""
        say(f"{which}: {' '.join(self._command)}")
        with suppress(OSError):
            os.lseek(0, 0, os.SEEK_SET)
        arguments = copy.copy(arguments)
        arguments.output = folder.path
        with counting_run(arguments, list(self._command)) as counting:
            return measured(arguments, list(self._command), counting)


def _first_round(arguments: argparse.Namespace, first: RunFolder) -> argparse.Namespace:
    """Give the options of a round that times alone."""
    changed = copy.copy(arguments)
    changed.output, changed.counters, changed.cache, changed.counting_dir = first.path, "none", None, None
    return changed


def _carry_out(command: str, environment: Mapping[str, str], log: Path) -> None:
    """Have a shell carry out a command, which writes to a log."""
    with log.open("ab") as stream:
        process = subprocess.Popen(
            ["sh", "-c", command],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
        try:
            status = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if status:
        lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
        said = next((line for line in lines if " error: " in line or "Error: " in line), (lines or [""])[-1])
        raise InputError(f"{command}: a build that succeeds wanted, found status {status}; see {log} ({said[:200]})")


def _check_has_probes(experiment: Experiment, first: RunFolder) -> None:
    if experiment.notes.not_instrumented and not any(path.region.file for path in experiment.call_paths):
        raise InputError(
            "a build that calls $CC, $CXX or $FC, or mpicc, mpicxx or mpifort by name wanted, found one that puts no"
            f" probes in; see {first.path / 'build.log'}"
        )


def _stamps(command: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Tell when the files that a command names were changed, and how large they are."""
    files = {word: Path(word) for word in command if "/" in word and Path(word).is_file()}
    return {word: (path.stat().st_mtime_ns, path.stat().st_size) for word, path in files.items()}
