"""Make random trials in separate processes. Each trial has a number that repeats it."""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["Mutant", "Trials", "apart"]

SECONDS: Final = 20  # limit of CPU time per trial, which normally takes a fraction of a second
_PATIENCE: Final = 30  # limit of wall time as a multiple of the limit of CPU time, because the machine may be busy
MEMORY: Final = 2 << 30  # bytes of address space, of which Python and its libraries use half


class Mutant(NamedTuple):
    """A changed file, and the number that repeats the change."""

    number: int
    name: str
    content: bytes


class Trials:
    """The trials to make, and their outcomes.

    Attributes:
        options: The options on the command line.
        outcomes: Outcome → number of trials.
    """

    def __init__(self, parser: argparse.ArgumentParser, what: str = "mutation") -> None:
        """Parse the command line.

        Args:
            parser: A parser with the tool's own options.
            what: A noun for one trial, such as ``plan``, for help and messages.
        """
        parser.add_argument("--mutations", type=int, default=2000, metavar="N", help="how many (default: %(default)s)")
        parser.add_argument("--minutes", type=float, metavar="M", help="continue for this many minutes instead")
        parser.add_argument("--seed", type=int, default=1, metavar="N", help="first number, in millions")
        parser.add_argument("--first", type=int, metavar="NUMBER", help=f"number of the first {what}")
        parser.add_argument("--keep", type=Path, metavar="FOLDER", help="folder in which to keep files that failed")
        self.options = parser.parse_args()
        self.outcomes: Counter[str] = Counter()
        self._what = what
        self._made = self._failures = 0

    def __iter__(self) -> Iterator[int]:
        """Yield the numbers of the trials."""
        options = self.options
        number = options.seed * 1_000_000 if options.first is None else options.first
        end = time.monotonic() + 60 * (options.minutes or 0)
        last = number + options.mutations
        while time.monotonic() < end if options.minutes else number < last:
            self._made += 1
            yield number
            number += 1

    def of_files(self, mutant: Callable[[int], Mutant], tried: Callable[[Mutant, Path], tuple[str, str]]) -> None:
        """Try the mutant with each number in an empty folder, and count the outcomes.

        Args:
            mutant: Returns the mutant with the given number.
            tried: Tries a mutant in a folder; returns the outcome, empty if there was an error, and what went wrong.
        """
        for number in self:
            case = mutant(number)
            with tempfile.TemporaryDirectory() as folder:
                outcome, wrong = tried(case, Path(folder))
            self.outcomes[f"{case.name} {outcome or 'failed'}"] += 1
            if wrong:
                self.failed(number, wrong, case.name, case.content)

    def failed(self, number: int, trouble: str, name: str = "", content: bytes = b"") -> None:
        """Count a failure and print what went wrong; with ``--keep``, save the file that was tried."""
        self._failures += 1
        sys.stdout.write(f"{self._what} {number}{' of ' if name else ''}{name}\n{trouble}\n")
        if self.options.keep and content:
            self.options.keep.mkdir(exist_ok=True)
            (self.options.keep / f"{number}-{Path(name).name}").write_bytes(content)

    def end(self) -> int:
        """Print the outcomes; return the exit status: 1 if a trial failed, otherwise 0."""
        sys.stdout.writelines(f"{count:6} {outcome}\n" for outcome, count in sorted(self.outcomes.items()))
        sys.stdout.write(f"{self._failures:6} failures in {self._made} {self._what}s\n")
        return 1 if self._failures else 0


def apart(trial: Callable[[], str]) -> tuple[str, str]:
    """Run a trial in a separate process, with limited time and memory.

    Args:
        trial: Returns the outcome in a few words; raises any exception if something went wrong.

    Returns:
        The outcome, empty if there was an error; and what went wrong.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        signal.alarm(_PATIENCE * SECONDS)
        try:
            said = f"+{trial()}"
        except BaseException:
            said = f"-{traceback.format_exc()}"
        os.write(writer, said.encode("utf-8", "replace")[:60_000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read().decode("utf-8", "replace")
    status = os.waitpid(child, 0)[1]
    if status:
        return "", f"ended with status {status} (signal {status & 127}): crashed, or did not end within {SECONDS} s"
    return (said[1:], "") if said.startswith("+") else ("", said[1:])
