"""An abstract parallel program: phases with loops, and how many iterations each rank executes in each loop."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

GRID = 1024  # values in a row of the grid; those in a column are in different cache lines, which share few cache sets
SMALL, LARGE = 1 << 16, 1 << 22  # numbers of linked integers: the L2 cache has room for the first, not for the second
SCATTERED = (1664525, 1013904223)  # factor and increment of a generator with full period: all links form one ring
RECORD = 8192  # values in a record of a file
FIELD, EDGE = 1 << 16, 64  # values in a whole field, and in its edge
ROWS = 16  # rows in a loop that threads share


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
    """The MPI calls at the end of a phase, or around a loop in which ranks work one after another."""

    NONE = "none"
    BROADCAST = "broadcast"
    REDUCTION = "reduction"
    RING = "ring"  # each rank sends to the next, and receives from the one before
    CHAIN = "chain"  # each rank works after the rank before it; in odd passes, after the rank behind it
    WAVEFRONT = "wavefront"  # ranks are in two rows; each works after those to the west and to the north
    TOKEN = "token"  # the rank that has the token works; in the end, rank 0 has it again


@dataclass(frozen=True)
class Message:
    """A message that ranks send or receive in each pass of a loop in which they work one after another.

    ``peers`` contains the other rank of each rank, first for even passes, then for odd ones; -1: none. In a program for
    any number of ranks, ``formula`` is an expression for the other rank.
    """

    name: str
    sends: bool
    peers: tuple[int, ...]
    formula: str = ""


def messages(tail: Tail, ranks: int, *, scales: bool = False) -> tuple[list[Message], list[Message]]:
    """Return the messages before and after a loop in which ranks work one after another.

    Args:
        tail: The pattern of messages.
        ranks: The number of ranks.
        scales: Whether the program is for any number of ranks; then only a chain has messages.
    """
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
    """A nest of two loops: on rank ``r``, the outer one has ``turns[r] + step * more[r]`` iterations.

    If there are ``rounds``, it has ``rounds[step % len(rounds)][r]`` iterations, and ``turns`` is the mean. In programs
    for any number of ranks, ``formula`` is the number of iterations, an expression in ``rank`` and ``ranks`` that is
    valid in C and in Fortran.

    Attributes:
        work: What the inner loop does.
        turns: Iterations of the outer loop by rank.
        length: Iterations of the inner loop, or values in a message.
        more: By how many iterations the outer loop increases per step, by rank.
        rounds: Iterations of the outer loop by step and rank.
        scattered: Whether a rank follows scattered links, or goes down the columns of the grid, by rank.
        size: The number of linked integers, or of values in the field whose edges are exchanged.
        slope: How many more iterations each row of threads has than the row before.
        formula: The number of iterations; empty except in a program for any number of ranks.
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

    @property
    def field(self) -> int:
        """The number of values in the field whose edges are exchanged."""
        return self.size or FIELD


@dataclass(frozen=True)
class Phase:
    """A procedure that is called once per step.

    The loop with the number ``in_turn`` is executed ``passes`` times; the messages of some tails are around it.
    """

    name: str
    place: Place
    loops: tuple[Loop, ...]
    tail: Tail = Tail.NONE
    in_turn: int = 0
    passes: int = 1


@dataclass(frozen=True)
class Program:
    """Phases in the order of their calls.

    ``layout`` is the procedure that contains the loop over the steps (``main`` or ``solve``), or ``advance``, which
    executes one step. If ``scales``, the program runs with up to ``ranks`` ranks, otherwise with exactly ``ranks``.
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
    """A program as sources: texts by path, and the positions of procedures (loop None) and of their loops.

    A loop has several positions if it becomes two loops, one that sends and one that receives, or is below a directive.
    """

    texts: dict[str, str]
    positions: dict[tuple[str, int | None], tuple[Position, ...]]
    steps: Position  # position of the loop over the steps


class Text:
    """Lines of a source that is written from top to bottom."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: list[str] = []

    def add(self, *lines: str) -> Position:
        """Add lines; return the position of the first one."""
        first = Position(self.file, len(self.lines) + 1)
        self.lines += lines
        return first

    def indent(self, line: int) -> None:
        """Indent the lines after line ``line`` by another level."""
        self.lines[line:] = ["    " + each for each in self.lines[line:]]

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"
