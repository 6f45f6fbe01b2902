"""Build and run a program twice: first measure functions, then the loops and calls in the most expensive functions."""

from __future__ import annotations

import fcntl
import os
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ..analyze import Findings
from ..analyze.refinement.refine import cheaper, refine
from ..errors import AutoanalyzerError, InputError
from ..experiment import Experiment
from ..instrument.build_outputs import BuildOutputs
from ..instrument.choice import MODES_VARIABLE
from ..instrument.plan_file import PLAN_VARIABLE
from ..instrument.shims import build_environment
from ..instrument.wrapper import PRODUCTS_VARIABLE
from ..runtime.cache import cache_folder
from ..runtime.counting.run import CountingRun
from ..runtime.folder import RunFolder
from ..runtime.launch import ended_in_order
from ..runtime.simulated_events import is_simulated
from .build_command import carry_out
from .counting_run import counting_run
from .measured_run import Measured, measured
from .options import RunOptions
from .refined_plan import instead, opened_lines, write_refinement
from .reporter import Reporter
from .standard_input import place_in_input

__all__ = ["Outcome", "Round", "Rounds"]

_FIRST: Final = "first"  # folder of the first round, inside the run's folder
_OWN: Final = (MODES_VARIABLE, PLAN_VARIABLE)  # environment variables that this module sets for each build


@dataclass(frozen=True, slots=True)
class Round:
    """The result of one round.

    Attributes:
        findings: The findings of the analysis.
        file: The experiment's file.
        run: The measured run.
    """

    findings: Findings
    file: Path
    run: Measured


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of all rounds.

    Attributes:
        last: The round whose verdict is shown; None if the program failed in the first round and recorded nothing.
        failed: Whether the program failed in either round.
        not_counted: Why simulated counts are missing; empty otherwise.
        error: The error that ended the second round, or None.
    """

    last: Round | None
    failed: bool
    not_counted: str = ""
    error: AutoanalyzerError | None = None


class Rounds:
    """Two rounds of building, running and analysing a program.

    Args:
        options: Options of the runs; events are counted only in the second round.
        command: The launcher and the program.
        build: Shell command that builds the program.
        clean: Shell command that runs before each build and removes earlier outputs; empty or None if there is none.
        analyse: Returns the findings of an experiment.
        reporter: Shows messages and progress.

    Raises:
        UsageError: ``CC``, ``CXX`` or ``FC`` is not a command, or options for counting exclude each other.
        InputError: The folder for the compiler wrappers cannot be written.
    """

    def __init__(
        self,
        options: RunOptions,
        command: list[str],
        *,
        build: str,
        clean: str | None,
        analyse: Callable[[Experiment], Findings],
        reporter: Reporter,
    ) -> None:
        self._options = options
        self._command = command
        self._build_command = build
        self._clean = clean
        self._analyse = analyse
        self._reporter = reporter
        self._say = reporter.say
        self._folder = RunFolder(options.output)
        self._outputs = BuildOutputs(options.output)
        self._environment = build_environment(
            cache_folder() / "compilers",
            Path(sysconfig.get_path("scripts")),
            {name: value for name, value in os.environ.items() if name not in _OWN},
        )
        self._begin = place_in_input()
        self._counting = counting_run(options, command, reporter)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Context manager that locks the run's folder, and ends the program if this process is interrupted.

        Raises:
            InputError: Another process uses the folder, or the folder cannot be written.
        """
        for variable in filter(os.environ.get, _OWN):
            self._say(f"{variable}={os.environ[variable]} is ignored, because each round uses its own modes or plan")
        with _locked(self._folder.path), ended_in_order():
            yield

    def narrow(self) -> Outcome:
        """Do both rounds, or only the first if it shows no bottleneck to narrow down.

        If measuring takes too long in the second round, the round is repeated with fewer regions.

        Raises:
            InputError: In the first round, the build fails or compiles nothing, or the program records nothing.
        """
        folder, first = self._folder, RunFolder(self._folder.path / _FIRST)
        first.plan.unlink(missing_ok=True)
        uncounted = replace(self._options, output=first.path, counters="none")
        found = self._carry_out("1 of 2", uncounted, {MODES_VARIABLE: "functions"}, nullcontext())
        folder.clear()
        if found is None:
            self._say("no second round, because the first round recorded nothing")
            return Outcome(None, failed=True)
        if found.run.cut_short:
            self._say(
                f"no second round, because {found.run.cut_short}; the program keeps the probes of the first round"
            )
            return self._outcome(found, failed=found.run.failed)
        refinement = refine(found.findings)
        if not refinement.opened:
            self._say(f"no second round, because {instead(refinement)}; the verdict stays at function level")
            return self._outcome(found, failed=found.run.failed)
        write_refinement(first.plan, refinement, first.experiment)
        for line in opened_lines(refinement):
            self._say(line)
        last = found
        try:
            plan = {PLAN_VARIABLE: str(first.plan.resolve())}
            narrowed = self._carry_out("2 of 2", self._options, plan, self._counting)
            if narrowed and (again := cheaper(refinement, found.findings, narrowed.findings)):
                last = narrowed
                self._say(
                    "measuring took too long, so this round is repeated without the regions that are too small "
                    "to measure"
                )
                write_refinement(first.plan, again, first.experiment)
                counting = counting_run(self._options, self._command, self._reporter)
                narrowed = self._carry_out("2 of 2, again", self._options, plan, counting)
        except AutoanalyzerError as error:
            return self._outcome(last, failed=True, error=error)
        return self._outcome(narrowed or found, failed=found.run.failed or narrowed is None or narrowed.run.failed)

    def _outcome(self, last: Round, *, failed: bool, error: AutoanalyzerError | None = None) -> Outcome:
        simulated = is_simulated(self._options.counters)
        not_counted = last.run.not_counted or ("there was no second round" if simulated else "")
        return Outcome(last, failed, not_counted, error)

    def _carry_out(
        self,
        which: str,
        options: RunOptions,
        choice: Mapping[str, str],
        counting: AbstractContextManager[CountingRun | None],
    ) -> Round | None:
        """Build, run and analyse the program, which reads standard input from the same offset in each round.

        Args:
            which: Name of the round, for messages.
            options: Options of the run.
            choice: Environment variables that select the regions with probes.
            counting: Context manager of the counting run.

        Returns:
            The result; None if the program failed and nothing was recorded.

        Raises:
            InputError: The build fails or compiles nothing, or the program succeeds but nothing is recorded.
        """
        self._build(which, options.output, choice)
        self._say(f"{which}: {' '.join(self._command)}")
        if self._begin is not None:
            os.lseek(0, self._begin, os.SEEK_SET)
        with counting as counted:
            done = measured(options, self._command, counted, self._reporter)
        if done.experiment is None:
            return None
        return Round(self._analyse(done.experiment), RunFolder(options.output).experiment, done)

    def _build(self, which: str, folder: Path, choice: Mapping[str, str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "build.log"
        log.unlink(missing_ok=True)
        environment = {**self._environment, **choice, PRODUCTS_VARIABLE: str(self._outputs.notes)}
        if self._clean:
            self._have_done(which, self._clean, environment, log)
        with self._outputs.made_anew():
            self._have_done(which, self._build_command, environment, log)
        built = self._outputs.built()
        if not built.compiled:
            raise InputError(
                f"--build {self._build_command}: none of $CC, $CXX, $FC, mpicc, mpicxx and mpifort compiled anything;"
                f" if everything is up to date, add --clean 'make clean'; the output is in {log}"
            )
        if built.stale:
            named = ", ".join(os.path.relpath(each) for each in built.stale[:3])
            more = f" and {len(built.stale) - 3} more" if len(built.stale) > 3 else ""
            way = "" if self._clean else "; if your build creates them, remove them with --clean 'make clean'"
            self._say(
                f"the program links objects that are older than this build and lack its probes: {named}{more}{way}"
            )

    def _have_done(self, which: str, command: str, environment: Mapping[str, str], log: Path) -> None:
        self._say(f"{which}: {command}")
        with self._reporter.progress(f"build {which}"):
            carry_out(command, environment, log)

    def say_what_stays(self) -> None:
        """Print how to rebuild the program without probes."""
        clean = self._clean or "remove the object files"
        again = ", configure again (the old configuration uses the instrumenting compilers)"
        configured = again if self._outputs.built().configured else ""
        out = f"{clean}{configured}, then build"
        self._say(f"the program keeps its probes, which do nothing without autoanalyzer; to remove the probes: {out}")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder during the block, if the file system has locks.

    Raises:
        InputError: Another process has locked the folder, or the folder cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        place = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}; choose another folder (-o)") from None
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(place)
        raise InputError(f"{folder}: another autoanalyzer debug uses this folder; choose another folder (-o)") from None
    except OSError:
        pass
    try:
        yield
    finally:
        os.close(place)
