"""Start a program with the probe library preloaded, with its input, output and signals as usual."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import BinaryIO, Final, NoReturn

from ..errors import InputError, UsageError
from ..standard_streams import hand_streams_over
from .command import find_program
from .node_folder import NODE_VARIABLE
from .packaged_papi import papi_variables
from .papi.library import PACKAGED_VARIABLE, PAPI_VARIABLE
from .python_functions import PATTERNS_VARIABLE, PYTHON_PATH
from .sample_rate import SAMPLE_VARIABLE, sample_rate
from .stuck_launcher import StuckLauncher
from .usage.energy import POWERCAP_VARIABLE
from .usage.names import ALLOCATION, ALLOCATION_LIBRARY, USAGE_VARIABLE, usage_of

__all__ = [
    "PATH_VARIABLE",
    "SHARDS_VARIABLE",
    "SHORT_PATHS_VARIABLE",
    "SPLIT_VARIABLE",
    "ended_in_order",
    "kept_environment",
    "launch",
    "measured_environment",
    "overhead_limit",
    "overhead_share",
]

SHARDS_VARIABLE: Final = "AUTOANALYZER_SHARDS"  # the same as in runtime/probe/process.c
_PRELOAD: Final = "LD_PRELOAD"
_OVERHEAD: Final = "AUTOANALYZER_MAX_OVERHEAD"
_TRACE: Final = "AUTOANALYZER_TRACE"
_TRACE_MEMORY: Final = "AUTOANALYZER_TRACE_MEMORY"
_POLICY: Final = "AUTOANALYZER_POLICY"
SHORT_PATHS_VARIABLE: Final = "AUTOANALYZER_SHORT_PATHS"  # the same as in runtime/probe/short_paths.c
PATH_VARIABLE: Final = "AUTOANALYZER_PATH"  # the same as in runtime/probe/mpi_path.c
SPLIT_VARIABLE: Final = "AUTOANALYZER_SPLIT_WAITING"  # the same as in runtime/probe/mpi_split.c
_MOST_OVERHEAD: Final = "5%"  # default limit; other tools promise the same limit
COUNT_IN_VARIABLE: Final = "AUTOANALYZER_COUNT_IN"  # the same as in runtime/probe/counter.c
MULTIPLEX_VARIABLE: Final = "AUTOANALYZER_MULTIPLEX"  # the same as in runtime/probe/counter_papi.c
_COUNTING: Final = (
    *("AUTOANALYZER_COUNTERS", "AUTOANALYZER_EVENTS", COUNT_IN_VARIABLE, MULTIPLEX_VARIABLE),
    *(PAPI_VARIABLE, PACKAGED_VARIABLE),
    "VALGRIND_LIB",
)
_FORWARDED: Final = (
    _PRELOAD,
    SHARDS_VARIABLE,
    NODE_VARIABLE,
    "AUTOANALYZER_MAX_MEMORY",
    _OVERHEAD,
    _TRACE,
    _TRACE_MEMORY,
    _POLICY,
    SHORT_PATHS_VARIABLE,
    SPLIT_VARIABLE,
    PATH_VARIABLE,
    SAMPLE_VARIABLE,
    "AUTOANALYZER_CPU_CLOCK",
    USAGE_VARIABLE,
    POWERCAP_VARIABLE,
    *_COUNTING,
)
_OPENMPI_LIST: Final = "OMPI_MCA_mca_base_env_list"
_SRUN: Final = "srun"
_EXPORT: Final = "--export"
_EXPORT_VARIABLE: Final = "SLURM_EXPORT_ENV"
_NOTHING: Final = ("NONE", "NIL")

KEPT_VARIABLES: Final = ("OMP_", "OMPI_MCA_", "MPICH_", "SLURM_JOB_ID", "SLURM_NNODES", "SLURM_NTASKS")


def overhead_limit(text: str) -> str:
    """Convert a user's limit to the probe library's form: ``off`` becomes 0, and an empty text the default.

    Raises:
        UsageError: The text is not a share.
    """
    share = "0" if text == "off" else text or _MOST_OVERHEAD
    if not re.fullmatch(r"\d+(\.\d+)?%?", share) or float(share.rstrip("%")) >= 100:
        raise UsageError(f"expected off, or a share of less than 100%, such as 5%, found {text!r}")
    return share


def overhead_share(environment: Mapping[str, str]) -> float:
    """Return the maximum share of the busy time that probes may take, from the program's environment."""
    return float(environment[_OVERHEAD].rstrip("%")) / 100


def measured_environment(
    library: Path, shards: Path, usage: str | None = None, counters: str | None = None
) -> dict[str, str]:
    """Return this process's environment with variables that make programs record into ``shards``.

    Args:
        library: The probe library.
        shards: The folder.
        usage: The metrics of system use to count; None for the choice in this process's environment.
        counters: The source of counts; None for the choice in this process's environment.

    Raises:
        UsageError: The overhead limit, the usage or the sample rate in the environment is invalid.
    """
    used = os.environ.get(USAGE_VARIABLE, "") if usage is None else usage
    try:
        allocation = not set(ALLOCATION).isdisjoint(usage_of(used))
    except UsageError as error:
        raise UsageError(f"{USAGE_VARIABLE}: {error}") from None
    before = os.environ.get(_PRELOAD)
    preloaded = [
        library,
        *([library.with_name(ALLOCATION_LIBRARY)] if allocation else []),
        *([before] if before else []),
    ]
    asan = os.environ.get("ASAN_OPTIONS")
    try:
        limit = overhead_limit(os.environ.get(_OVERHEAD, ""))
    except UsageError as error:
        raise UsageError(f"{_OVERHEAD}: {error}") from None
    try:
        rate = sample_rate(os.environ.get(SAMPLE_VARIABLE, ""))
    except UsageError as error:
        raise UsageError(f"{SAMPLE_VARIABLE}: {error}") from None
    return {
        **{name: value for name, value in os.environ.items() if name != USAGE_VARIABLE},
        **({USAGE_VARIABLE: used} if used else {}),
        _OVERHEAD: limit,
        SAMPLE_VARIABLE: rate,
        # Programs built with the address sanitizer refuse to start unless its library comes first.
        "ASAN_OPTIONS": f"{asan}:verify_asan_link_order=0" if asan else "verify_asan_link_order=0",
        _PRELOAD: ":".join(map(str, preloaded)),
        SHARDS_VARIABLE: str(shards.resolve()),
        **papi_variables(counters=os.environ.get("AUTOANALYZER_COUNTERS", "") if counters is None else counters),
        NODE_VARIABLE: os.uname().nodename,
    }


def kept_environment(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the few variables that explain a run; private variables are left out."""
    return {name: value for name, value in sorted(environment.items()) if name.startswith(KEPT_VARIABLES)}


def launch(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    launcher: str = "",
    folder: Path | None = None,
    log: Path | None = None,
    given: BinaryIO | None = None,
    signalled: Callable[[int], object] | None = None,
    hands_over: bool = False,
) -> int:
    """Run a command to its end.

    An interrupt from the keyboard reaches the program as usual, and the recorded data are kept. If this process
    receives SIGTERM or SIGHUP, it terminates the command. Ignored signals stay ignored. If Open MPI's launcher hangs
    after such a signal, it is killed.

    Args:
        command: A launcher and the program, or the program alone.
        environment: The result of ``measured_environment``.
        launcher: The word of the command that is Open MPI's launcher, which forwards variables to other nodes only on
            request; empty for other launchers, or if there is none.
        folder: The working directory; None for this process's directory.
        log: The file for the program's output; None for this process's streams.
        given: The program's standard input; None for this process's input.
        signalled: Receives the number of each signal that arrives while the command runs.
        hands_over: Whether this process closes the streams and descriptors that the program inherits.

    Returns:
        The exit status; if negative, the signal that ended the command.

    Raises:
        InputError: The command cannot be started, or the log cannot be written.
    """
    words, variables = _forward(command, environment, launcher) if launcher else _export(command, environment)
    process: subprocess.Popen[bytes] | None = None
    stuck: StuckLauncher | None = None
    early: list[int] = []

    def hand_on(number: int, _: FrameType | None = None) -> None:
        if process is None:
            early.append(number)
            return
        if stuck:
            stuck.asked_to_end()
        if signalled:
            signalled(number)
        if number != signal.SIGINT:
            process.terminate()

    # Handlers are installed before the program starts, because on a busy machine it may run long before this process
    # continues.
    with _handled(hand_on, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = _start(words, variables, folder, log, given)
        if hands_over:
            hand_streams_over()
        stuck = StuckLauncher(process) if launcher else None
        for number in early:
            hand_on(number)
        return process.wait()


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Raise SystemExit in the block on SIGTERM or SIGHUP, so that the block can undo its changes."""

    def end(number: int, _: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    with _handled(end, signal.SIGTERM, signal.SIGHUP):
        yield


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], object], *signals: int) -> Iterator[None]:
    """Install a signal handler for the duration of the block; ignored signals stay ignored."""
    before = {
        number: signal.signal(number, handler) for number in signals if signal.getsignal(number) != signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def _start(
    words: Sequence[str], environment: Mapping[str, str], folder: Path | None, log: Path | None, given: BinaryIO | None
) -> subprocess.Popen[bytes]:
    with _opened(log) as stream:
        try:
            # The program gets the file descriptors that the user has opened for it, such as make's; this process's own
            # descriptors are not inheritable.
            return subprocess.Popen(
                words, env=environment, cwd=folder, stdin=given, stdout=stream, stderr=stream, close_fds=False
            )
        except OSError as error:
            raise InputError(f"{words[0]}: cannot be started: {error.strerror}") from None


def _opened(log: Path | None) -> AbstractContextManager[BinaryIO | None]:
    try:
        return nullcontext() if log is None else log.open("wb")
    except OSError as error:
        raise InputError(f"{log}: cannot be written: {error.strerror}") from None


def _names(environment: Mapping[str, str]) -> list[str]:
    """Return the names of the environment variables that measured programs need on other nodes, if they are set."""
    forwarded = (*_FORWARDED, PATTERNS_VARIABLE, PYTHON_PATH) if PATTERNS_VARIABLE in environment else _FORWARDED
    return [name for name in forwarded if name in environment]


def _export(command: Sequence[str], environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Make Slurm export our variables, too, if ``--export`` or ``SLURM_EXPORT_ENV`` restricts the exports."""
    words, variables = list(command), dict(environment)
    place = next((number for number, word in enumerate(words) if Path(word).name == _SRUN), None)
    if place is None:
        return words, variables
    names = _names(environment)
    program = find_program(words, words[place]) or len(words)
    for number in range(place + 1, program):
        option, equals, chosen = words[number].partition("=")
        if option == _EXPORT and equals:
            words[number] = f"{_EXPORT}={_with_ours(chosen, names)}"
        elif option == _EXPORT and number + 1 < program:
            words[number + 1] = _with_ours(words[number + 1], names)
    if _EXPORT_VARIABLE in variables:
        variables[_EXPORT_VARIABLE] = _with_ours(variables[_EXPORT_VARIABLE], names)
    return words, variables


def _with_ours(chosen: str, names: Sequence[str]) -> str:
    words = [word for word in chosen.split(",") if word not in _NOTHING]
    return chosen if "ALL" in words else ",".join([*words, *names])


def _forward(command: Sequence[str], environment: Mapping[str, str], launcher: str) -> tuple[list[str], dict[str, str]]:
    """Make Open MPI forward our variables: ``mpirun -n 2 a : -n 2 b`` needs ``-x`` in each part.

    ``-x`` and the user's own list of variables exclude each other, so our variables are added to the list if there is
    one.
    """
    names = _names(environment)
    if _OPENMPI_LIST in environment:
        return list(command), {**environment, _OPENMPI_LIST: ";".join([environment[_OPENMPI_LIST], *names])}
    options = [word for name in names for word in ("-x", name)]
    place = command.index(launcher)
    words: list[str] = []
    for number, word in enumerate(command):
        words.append(word)
        if number == place or (number > place and word == ":"):
            words += options
    return words, dict(environment)
