"""An abstract parallel program: phases of loops, and how often each rank turns each loop."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

GRID = 1024  # a row of the grid; down a column each value is in a line of its own, and few sets of the caches hold it
SMALL, LARGE = 1 << 16, 1 << 22  # linked integers: of the first, the L2 cache has room for all, of the second for none
SCATTERED = (1664525, 1013904223)  # a generator of full period: the links are one ring through all of them
RECORD = 8192  # values of a file's record
FIELD, EDGE = 1 << 16, 64  # values of a whole field, and of its edge
ROWS = 16  # of a loop that threads share


class Work(StrEnum):
    """What the inner loop of a loop does."""

    SMOOTH = "smooth"
    POLYNOMIAL = "polynomial"
    QUOTIENT = "quotient"
    GRID = "grid"
    CHASE = "chase"
    FILE = "file"
    EXCHANGE = "exchange"
    PIECES = "pieces"
    THREADS = "threads"


class Place(StrEnum):
    """Where the code of a phase is."""

    FUNCTION = "function"  # in the file of the main program
    LOOP = "loop"  # one of several loops of a function
    LIBRARY = "library"  # in an archive
    HEADER = "header"  # an inline function, or an INCLUDE file
    MODULE = "module"  # in a file of its own


class Tail(StrEnum):
    """What MPI does at the end of a phase, or in each pass of the loop that works in turn."""

    NONE = "none"
    BROADCAST = "broadcast"
    REDUCTION = "reduction"
    RING = "ring"  # each rank sends to the next, and receives from the one before
    CHAIN = "chain"  # each rank works when the one before has, in odd passes when the one behind has
    WAVEFRONT = "wavefront"  # each rank of two rows works when those to the west and to the north have
    TOKEN = "token"  # whoever has the token works; at last it is back at rank 0


@dataclass(frozen=True)
class Message:
    """What ranks send, or receive, in each pass of a loop that works in turn.

    ``peers`` holds the other rank by the rank, in even passes and then in odd ones; -1: none. Where any number of ranks
    may run, ``formula`` gives it.
    """

    name: str
    sends: bool
    peers: tuple[int, ...]
    formula: str = ""


def messages(tail: Tail, ranks: int, *, scales: bool = False) -> tuple[list[Message], list[Message]]:
    """Return the messages before the loop that works in turn, and those behind it; of a chain, if a program scales."""
    if scales:
        after = "rank + 1 - (ranks + 1) * ((rank + 1) / ranks)"
        chain = [Message("source", False, (), "rank - 1")], [Message("target", True, (), after)]
        return chain if tail is Tail.CHAIN else ([], [])
    every = range(ranks)
    before, after = (tuple(each if each in every else -1 for each in range(by, ranks + by)) for by in (-1, 1))
    match tail:
        case Tail.CHAIN:
            return [Message("source", False, before + after)], [Message("target", True, after + before)]
        case Tail.WAVEFRONT:
            columns = ranks // 2
            west = tuple(rank - 1 if rank % columns else -1 for rank in every)
            east = tuple(rank + 1 if (rank + 1) % columns else -1 for rank in every)
            north = tuple(rank - columns if rank >= columns else -1 for rank in every)
            south = tuple(rank + columns if rank < columns else -1 for rank in every)
            return (
                [Message("west", False, 2 * west), Message("north", False, 2 * north)],
                [Message("east", True, 2 * east), Message("south", True, 2 * south)],
            )
        case Tail.TOKEN:
            home = ranks - 1, *(-1 for _ in every[1:])
            return (
                [Message("source", False, 2 * before)],
                [Message("target", True, 2 * (*after[:-1], 0)), Message("home", False, 2 * home)],
            )
    return [], []


@dataclass(frozen=True)
class Loop:
    """A nest of loops: on rank ``r`` the outer one turns ``turns[r] + step * more[r]`` times.

    If there are ``rounds``, it turns ``rounds[step % len(rounds)][r]`` times, and ``turns`` are the mean. In a program
    that scales, it turns as often as ``formula`` says, an expression in ``rank`` and ``ranks`` that is one of C and of
    Fortran.

    ``length`` is that of the inner loop, or of a message; ``scattered`` says of each rank whether it follows scattered
    links, or goes down the columns of the grid; ``slope`` how many turns a row of threads has more than the one before.
    """

    work: Work
    turns: tuple[int, ...]
    length: int
    more: tuple[int, ...] = ()
    rounds: tuple[tuple[int, ...], ...] = ()
    scattered: tuple[bool, ...] = ()
    size: int = 0
    slope: int = 0
    formula: str = ""


@dataclass(frozen=True)
class Phase:
    """A procedure, called once a step.

    It goes ``passes`` times through the loop ``in_turn``, which the messages of some tails surround.
    """

    name: str
    place: Place
    loops: tuple[Loop, ...]
    tail: Tail = Tail.NONE
    in_turn: int = 0
    passes: int = 1


@dataclass(frozen=True)
class Program:
    """Phases in the order of their calls; ``layout`` says what is around them: ``main``, ``solve`` or ``advance``.

    One that ``scales`` runs with any number of ranks, others with ``ranks``.
    """

    phases: tuple[Phase, ...]
    steps: int
    ranks: int
    threads: int
    layout: str
    scales: bool = False


@dataclass(frozen=True)
class Position:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Printed:
    """A program as sources: texts by path, and the positions of procedures (loop ``None``) and of their loops.

    A loop has several positions if it is sent and received in two, or stands below a directive.
    """

    texts: dict[str, str]
    positions: dict[tuple[str, int | None], tuple[Position, ...]]
    steps: Position  # of the loop over the steps


class Text:
    """Lines of a source that is written from top to bottom."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: list[str] = []

    def add(self, *lines: str) -> Position:
        """Add lines; give the position of the first."""
        first = Position(self.file, len(self.lines) + 1)
        self.lines += lines
        return first

    def indent(self, line: int) -> None:
        """Indent the lines behind this one by another level."""
        self.lines[line:] = ["    " + each for each in self.lines[line:]]

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"
