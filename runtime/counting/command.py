"""Change a user's command so that each rank runs under the counting tool."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from ...errors import InputError
from ..command import find_program
from ..sample_rate import SAMPLE_VARIABLE
from ..simulated_events import event_options, named_events
from .cache_geometry import CacheGeometry, further_levels
from .tool import TOOL, counting_tool

__all__ = ["counting_command", "program_places"]

# The functions through which instrumented programs call the probe library, from stub.h and fortran_stub.c.
_STUBS: Final = (
    *("aa_begin", "aa_begin_apart", "aa_enter", "aa_enter_counted", "aa_exit", "aa_leave", "aa_close", "aa_resync"),
    *(f"{name}{suffix}" for name in ("aa_enter", "aa_exit", "aa_resync") for suffix in ("_", "__")),
    *(f"{name}{suffix}" for name in ("AA_ENTER", "AA_EXIT", "AA_RESYNC") for suffix in ("", "_")),
)
# Programs started by scripts are counted, too, but not the daemons that a rank without a launcher starts.
_SKIPPED: Final = "*/orted,*/prted,*/hydra_*"


def counting_command(
    command: Sequence[str],
    geometry: CacheGeometry,
    environment: Mapping[str, str] = os.environ,
    *,
    counters: str = "simulated",
    launcher: str = "",
    say: Callable[[str], object] | None = None,
) -> tuple[list[str], dict[str, str]]:
    """Put the counting tool before each program of a command.

    ``mpirun -n 4 ./app`` becomes ``mpirun -n 4 valgrind --tool=rtcount … ./app``; the launcher itself runs as usual.

    Args:
        command: The launcher and the program; its MPI library must be determined beforehand.
        geometry: The caches to simulate.
        environment: The result of ``measured_environment``, with the probe library preloaded.
        counters: ``simulated``, or ``simulated:EVENT,…``.
        launcher: The word of the command that starts ranks; empty if there is none.
        say: Callback that shows the user a message before a longer wait.

    Returns:
        The command and its environment.

    Raises:
        BuildError: Valgrind is missing, or the tool cannot be built.
        InputError: The command contains no program.
        UsageError: An event cannot be simulated at all, or not with these caches.
    """
    of_events = [*event_options(counters), *further_levels(named_events(counters), geometry)]
    valgrind, tools = counting_tool(environment, say=say)
    options = [
        # ignores ~/.valgrindrc, ./.valgrindrc and VALGRIND_OPTS, which are meant for other tools
        "--command-line-only=yes",
        *("-q", f"--tool={TOOL}", f"--l1={geometry.l1.option}", f"--l2={geometry.l2.option}"),
        *of_events,
        *("--trace-children=yes", f"--trace-children-skip={_SKIPPED}", "--fair-sched=try", "--sigill-diagnostics=no"),
        *(f"--leave-out={name}" for name in _STUBS),
    ]
    words = list(command)
    for place in reversed(program_places(command, launcher)):
        words[place:place] = [str(valgrind.program), *options]
    ours = {"VALGRIND_LIB": str(tools), "AUTOANALYZER_COUNTERS": "simulated", SAMPLE_VARIABLE: "0"}
    return words, {**environment, **ours}


def program_places(command: Sequence[str], launcher: str) -> list[int]:
    """Return the positions of all programs: ``mpirun -n 2 a : -n 2 b`` has two.

    Raises:
        InputError: The command, or one of its parts, contains no program.
    """
    if not launcher:
        return [0]
    start = command.index(launcher) + 1
    ends = [*(place for place in range(start, len(command)) if command[place] == ":"), len(command)]
    places = []
    for end in ends:
        part = [launcher, *command[start:end]]
        found = find_program(part, launcher)
        if found is None:
            raise InputError(f"{Path(launcher).name}: expected a program to run under Valgrind, found none")
        places.append(start + found - 1)
        start = end + 1
    return places
