"""The source text of a metric that PAPI counted: which event, and how."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from .choices import KERNEL_PART

__all__ = [
    "CHOSEN",
    "COUNTED_BY_PAPI",
    "PACKAGED",
    "Counted",
    "counted",
    "source_by_library",
    "source_in_calls",
    "source_of_estimates",
]

COUNTED_BY_PAPI: Final = "measured:papi:"

CHOSEN: Final = "--papi"  # part of a source text: the user chose the library
PACKAGED: Final = "python_papi"

_LIBRARY: Final = re.compile(rf" by (PAPI [\d.]+ \((?:{CHOSEN}|{PACKAGED})\))")
_TURNS: Final = " by turns, an estimate"
_IN: Final = " in "
_CALLS: Final = {"mpi": "MPI", "io": "I/O"}
_AT, _AND = "@", "+"


class Counted(NamedTuple):
    """The contents of a source text.

    Attributes:
        event: The event, with the suffix for the kernel's part if it had one.
        calls: The calls to which counting was restricted, ``mpi`` and ``io``; empty if counting was not restricted.
        estimate: Whether the event was multiplexed.
        library: The libpapi and its version; empty if it was the system's.
    """

    event: str
    calls: tuple[str, ...]
    estimate: bool
    library: str = ""

    @property
    def plain(self) -> str:
        """The event without the suffix for the kernel's part, as the user names it."""
        return self.event.removesuffix(KERNEL_PART)

    @property
    def name(self) -> str:
        """The name of the metric for an event named by the user: the event, and the calls if there are any."""
        return f"{self.plain}{_AT}{_AND.join(self.calls)}" if self.calls else self.plain


def counted(source: str) -> Counted | None:
    """Return the contents of a source text; None if PAPI did not count the metric."""
    if not source.startswith(COUNTED_BY_PAPI):
        return None
    event, *how = source.removeprefix(COUNTED_BY_PAPI).split(" ", 1)
    said = f" {how[0]}" if how else ""
    calls = said.partition(_IN)[2]
    library = _LIBRARY.search(said)
    within = tuple(each for each, text in _CALLS.items() if text in calls)
    return Counted(event, within, _TURNS in said, library[1] if library else "")


def source_by_library(source: str, library: str) -> str:
    """Return the description of a source of counts, followed by the libpapi that counted unless it is the system's."""
    return f"{source} by {library}" if library else source


def source_in_calls(source: str, calls: Sequence[str]) -> str:
    """Return the description of a source of counts, followed by the calls to which counting was restricted."""
    return f"{source}{_IN}{' and '.join(_CALLS[each] for each in calls)} calls" if calls else source


def source_of_estimates(source: str) -> str:
    """Return the description of a source of counts, marked as multiplexed, so that counts are estimates."""
    return f"{source}{_TURNS}"
