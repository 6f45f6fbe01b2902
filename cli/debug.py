"""``autoanalyzer debug``: two rounds by themselves, from functions to the loop or call in which the time goes."""

from __future__ import annotations

import argparse
import fcntl
import os
import re
import signal
import subprocess
import sysconfig
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..analyze import Findings
from ..analyze.refinement.refine import cheaper, refine
from ..errors import AutoanalyzerError, InputError
from ..instrument.build_outputs import BuildOutputs
from ..instrument.choice import MODES_VARIABLE
from ..instrument.plan_file import PLAN_VARIABLE
from ..instrument.shims import build_environment
from ..instrument.wrapper import PRODUCTS_VARIABLE
from ..runtime.cache import cache_folder
from ..runtime.counting.run import CountingRun
from ..runtime.folder import RunFolder
from ..runtime.launch import ended_in_order
from ..view.terminal import print_verdict
from ..view.verdict import verdict_lines
from .analysis_arguments import add_analysis_arguments, advice_of, findings_of, write_findings
from .documents import check_targets
from .papi_events import one_group
from .progress import progress
from .refine import instead, opened_lines, write_refinement
from .run_arguments import Measured, add_measuring_arguments, command_of, counting_run, measured, say

__all__ = ["add_arguments", "run"]


_FIRST: Final = "first"  # folder of the first round, in that of the run
_USAGE: Final = 'autoanalyzer debug --build "make -j" [options] -- mpirun -n 4 ./app'
_OWN: Final = (MODES_VARIABLE, PLAN_VARIABLE)  # of the builds
_ERROR: Final = re.compile(r"\berror\b", re.IGNORECASE)  # of compilers, CMake, make
_PAUSE: Final = 0.05  # s
_PATIENCE: Final = 100  # pauses


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = f"{_USAGE} [argument ...]"
    parser.add_argument(
        "--build",
        required=True,
        metavar="COMMAND",
        help="shell command that builds the program; it gets the instrumenting compilers as $CC, $CXX and $FC, and as "
        "mpicc, mpicxx, mpifort and the like",
    )
    parser.add_argument(
        "--clean",
        metavar="COMMAND",
        help="command that cleans before each build; needed if the program is up to date already (default: none)",
    )
    add_analysis_arguments(parser)
    add_measuring_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out: 1 if the program failed in either round."""
    rounds = _Rounds(arguments)
    check_targets(json=arguments.json)
    one_group(arguments, "debug")
    counting = counting_run(arguments, rounds.command)
    folder = RunFolder(arguments.output)
    first = RunFolder(folder.path / _FIRST)
    for variable in filter(os.environ.get, _OWN):
        say(f"{variable}={os.environ[variable]} is ignored here: each round has its own modes or plan")
    with _alone(folder.path), ended_in_order():
        first.plan.unlink(missing_ok=True)
        found = rounds.carry_out("1 of 2", first, {MODES_VARIABLE: "functions"}, nullcontext(), counters="none")
        folder.clear()
        if found is None:
            say("no second round")
            rounds.say_what_stays()
            return 1
        if found.run.cut_short:
            say(f"no second round, because {found.run.cut_short}; the program keeps the probes of the first")
            return rounds.conclude(found)
        refinement = refine(found.findings)
        if not refinement.opened:
            say(f"expected a bottleneck to narrow, found {instead(refinement)}; this is the verdict on functions")
            return rounds.conclude(found)
        write_refinement(first.plan, refinement, first.experiment)
        for line in opened_lines(refinement):
            say(line)
        last = found
        try:
            plan = {PLAN_VARIABLE: str(first.plan.resolve())}
            narrowed = rounds.carry_out("2 of 2", folder, plan, counting)
            if narrowed and (again := cheaper(refinement, found.findings, narrowed.findings)):
                last = narrowed
                say("measuring cost too much: again without what was throttled")
                write_refinement(first.plan, again, first.experiment)
                counting = counting_run(arguments, rounds.command)
                narrowed = rounds.carry_out("2 of 2, again", folder, plan, counting)
        except AutoanalyzerError:
            rounds.conclude(last)
            raise
        status = rounds.conclude(narrowed or found)
        return int(found.run.failed) or (status if narrowed else 1)


@dataclass(frozen=True, slots=True)
class _Round:
    """What a round has found, the experiment in which, and how it was measured."""

    findings: Findings
    file: Path
    run: Measured


class _Rounds:
    """Builds and runs of one program."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.command = command_of(arguments, _USAGE)
        self._arguments = arguments
        self._outputs = BuildOutputs(arguments.output)
        self._environment = build_environment(
            cache_folder() / "compilers",
            Path(sysconfig.get_path("scripts")),
            {name: value for name, value in os.environ.items() if name not in _OWN},
        )
        self._begin = _place_in_input()

    def carry_out(
        self,
        which: str,
        folder: RunFolder,
        choice: Mapping[str, str],
        counting: AbstractContextManager[CountingRun | None],
        **changed: object,
    ) -> _Round | None:
        """Build, run and judge the program; its input, if it is a file, is read from the same place each time.

        Args:
            which: The round, for messages.
            folder: Where its data goes.
            choice: Variables that say what has probes.
            counting: How counts are simulated.
            changed: Options that are others than the user's.

        Returns:
            What was found; None if the program failed and nothing was recorded.

        Raises:
            InputError: The build fails, or compiles nothing.
        """
        self._build(which, folder, choice)
        say(f"{which}: {' '.join(self.command)}")
        if self._begin is not None:
            os.lseek(0, self._begin, os.SEEK_SET)
        arguments = argparse.Namespace(**{**vars(self._arguments), "output": folder.path, **changed})
        with counting as counted:
            done = measured(arguments, self.command, counted)
        return _Round(findings_of(done.experiment, arguments), folder.experiment, done) if done.experiment else None

    def _build(self, which: str, folder: RunFolder, choice: Mapping[str, str]) -> None:
        folder.path.mkdir(parents=True, exist_ok=True)
        log = folder.path / "build.log"
        log.unlink(missing_ok=True)
        environment = {**self._environment, **choice, PRODUCTS_VARIABLE: str(self._outputs.notes)}
        if self._arguments.clean:
            self._have_done(which, self._arguments.clean, environment, log)
        with self._outputs.made_anew():
            self._have_done(which, self._arguments.build, environment, log)
        built = self._outputs.built()
        if not built.compiled:
            raise InputError(
                f"--build {self._arguments.build}: none of $CC, $CXX, $FC, mpicc, mpicxx and mpifort compiled anything;"
                f" if everything is up to date, add --clean 'make clean'; see {log}"
            )
        if built.stale:
            named = ", ".join(os.path.relpath(each) for each in built.stale[:3])
            more = f" and {len(built.stale) - 3} more" if len(built.stale) > 3 else ""
            way = "" if self._arguments.clean else "; if they are built here, --clean 'make clean' removes them"
            say(f"linked unchanged, without this round's probes: {named}{more}{way}")

    def _have_done(self, which: str, command: str, environment: Mapping[str, str], log: Path) -> None:
        say(f"{which}: {command}")
        with progress(f"build {which}"):
            _carry_out(command, environment, log)

    def conclude(self, found: _Round) -> int:
        """Print the verdict of a round, write its document, say how probes are taken out; 1 if it failed."""
        advised = advice_of(found.findings, self._arguments, found.file)
        simulated = self._arguments.counters == "simulated"
        not_counted = found.run.not_counted or ("there was no second round" if simulated else "")
        if self._arguments.json:
            write_findings(found.findings, found.file, self._arguments.json, advised=advised, not_counted=not_counted)
        print_verdict(verdict_lines(found.findings, found.file, not_counted, advised=advised), stderr=True)
        self.say_what_stays()
        return int(found.run.failed)

    def say_what_stays(self) -> None:
        """Say how probes are taken out."""
        clean = self._arguments.clean or "remove what was built"
        configured = ", configure again (it remembers these compilers)" if self._outputs.built().configured else ""
        out = f"{clean}{configured}, then build"
        say(f"the program keeps its probes, which do nothing by themselves; to remove them: {out}")


def _place_in_input() -> int | None:
    """Tell how far standard input has been read; None if it cannot be read again."""
    try:
        return os.lseek(0, 0, os.SEEK_CUR)
    except OSError:
        return None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Refuse a folder that another one uses; where a file system has no locks, nobody is refused."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        place = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}; choose another folder (-o)") from None
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(place)
        raise InputError(f"{folder}: another autoanalyzer debug uses this folder; choose another one (-o)") from None
    except OSError:
        pass
    try:
        yield
    finally:
        os.close(place)


def _carry_out(command: str, environment: Mapping[str, str], log: Path) -> None:
    """Have a shell carry out a command, which writes to a log and ends, with all that it has started, when we do."""
    with log.open("ab") as stream:
        process = subprocess.Popen(
            ["sh", "-c", command],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = process.wait()
        except BaseException:
            _end(process)
            raise
    if status:
        lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
        said = next(filter(_ERROR.search, lines), (lines or [""])[-1])
        raise InputError(f"{command}: failed with status {status}; see {log} ({said[:200]})")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and those that it has started, and give them the time to remove what they have half written."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        for _ in range(_PATIENCE):
            process.poll()
            os.killpg(process.pid, 0)
            time.sleep(_PAUSE)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
