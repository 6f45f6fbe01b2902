"""Describe causes as text: their amount, a comparison, and what to try (Liu et al. 2011, section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ..analyze.dissimilarity.rank_vectors import RankVectors
from ..analyze.dissimilarity.work import Difference
from ..analyze.evidence.attributes import Attribute
from ..analyze.run.costs import Cost, is_mostly
from .units import count, percent, volume

__all__ = [
    "ABOVE",
    "ALONE",
    "AT_ONCE",
    "EACH_TIME",
    "FEWER_CALLS",
    "FEWER_MESSAGES",
    "FEWER_TESTS",
    "MAYBE_SPEED",
    "NAMES",
    "ONLY_HERE",
    "ON_DEMAND",
    "SAME_WORK",
    "SYNCHRONISED",
    "against_difference",
    "against_weight",
    "because",
    "evidence",
    "of_the_program",
]

MAYBE_SPEED: Final = "these {who}s are slower nearly everywhere, so they run on slow or shared cores, or do more work"
ONLY_HERE: Final = (
    "same work, more time, but only here, so not a slow core: perhaps another program, memory on another socket, or"
    " slow operations such as denormal numbers; repeat the run"
)
SAME_WORK: Final = (
    "same work, more time, so the core is slow or shared, or memory is on another socket: repeat the run with a core"
    " for each {who}"
)
ALONE: Final = "share this work among all ranks, or let the other ranks do something else meanwhile"
AT_ONCE: Final = "send smaller pieces, each when it is ready, so the next rank starts earlier"
EACH_TIME: Final = "give ranks equal work each time the region runs, not only in total: all wait for the slowest rank"
ON_DEMAND: Final = "hand out smaller pieces, the longest first, so that all ranks finish together"
FEWER_MESSAGES: Final = (
    "pack messages to the same rank into one, and use one collective for many values: each call costs time, however"
    " little data it moves"
)
FEWER_CALLS: Final = (
    "call MPI less often: remove barriers that no rank needs (messages and collectives wait for their data anyway), and"
    " test for messages less often"
)
FEWER_TESTS: Final = (
    "test requests less often, outside the inner loop, or wait for them once (MPI_Waitall): each call costs time, even"
    " if no message has arrived"
)

_EVENTS: Final = {
    "allocations": "allocate once before the loop, or many elements at a time: each allocation costs time",
    "page_faults": "allocate memory once, outside the loop, and reuse it: new memory costs a page fault per page",
    "divisions": "avoid divisions, which take many cycles: multiply by a reciprocal computed once (this"
    " changes rounding); for powers of 2, shift bits",
    "branch_misses": "make branches predictable by sorting the data by the tested value, or select results without"
    " a branch",
    "denormals": "flush denormal operands and results to zero: _MM_SET_DENORMALS_ZERO_MODE and"
    " _MM_SET_FLUSH_ZERO_MODE, or link with -ffast-math, which also changes rounding",
}
_OF_SOME: Final = {**_EVENTS, "system_time": "make fewer system calls on the slowest ranks or threads"}

NAMES: Final = {
    "l1_miss_rate": "L1 misses",
    "l2_miss_rate": "L2 misses",
    "io_calls": "file I/O",
    "io_bytes": "file I/O",
    "mpi_bytes": "MPI volume",
    "instructions": "instructions",
    "allocations": "allocations",
    "page_faults": "page faults",
    "system_time": "system time",
    "locks": "waiting for locks",
    "barriers": "waiting at barriers",
    "divisions": "divisions",
    "branch_misses": "mispredicted branches",
    "denormals": "operations on denormal numbers",
}

_DIFFERENCES: Final = {
    "l1_miss_rate": "L1 miss rates differ",
    "l2_miss_rate": "L2 miss rates differ",
    "io_bytes": "file I/O differs",
    "mpi_bytes": "MPI volumes differ",
    "instructions": "instructions differ",
    **{name: f"{NAMES[name]} differ" for name in _EVENTS},
}

_TO_TRY: Final = {
    "l1_miss_rate": "access arrays in order, to use whole cache lines: interchange loops, pack or sort data",
    "l2_miss_rate": "keep data in cache: interchange, block or split loops; sort indices and linked elements",
    "io_calls": "collect the pieces in a buffer, and read or write it in few calls: each call costs time; with MPI-IO,"
    " use collective calls (MPI_File_write_at_all) with one datatype for all pieces",
    "io_bytes": "read and write less data, in larger pieces; keep data in memory instead of reading it again",
    "mpi_bytes": "send less, or less often: only data that the receivers use and that have changed",
    "instructions": "do less work: hoist repeated expressions and loop invariants, vectorise, use a better algorithm",
    **_EVENTS,
}

SYNCHRONISED: Final = (
    "close, flush and synchronise files less often (fsync, MPI_File_sync), or write to a faster disk: the calls and"
    " bytes do not explain this time"
)
_LARGE_PIECES: Final = "read or write less data, or less often; larger calls would not help"

_TO_TRY_FOR_RANKS: Final = {
    "l1_miss_rate": "give all ranks the same data layout and loop order",
    "l2_miss_rate": "give each rank a part that fits into its cache",
    "io_bytes": "share reading and writing among all ranks, for instance with MPI-IO",
    "mpi_bytes": "spread communication over the ranks: use collectives or neighbour exchange, not one collecting rank",
    "instructions": "distribute the work evenly: give ranks parts of equal cost, or hand out parts on demand",
    **_OF_SOME,
}

_TO_TRY_FOR_THREADS: Final = {
    "l1_miss_rate": "give all threads the same data layout and loop order",
    "l2_miss_rate": "give each thread a part that fits into its cache",
    "io_bytes": "let one thread read and write while the others compute",
    "mpi_bytes": "let one thread communicate while the others compute, or spread the calls over all threads",
    "instructions": "distribute the work evenly: parts of equal cost, schedule(dynamic), or tasks",
    **_OF_SOME,
}

_LARGE: Final = 1e6  # bytes per file I/O call from which the overhead of the call does not matter
# If a region's rate exceeds the program's rate by more than this factor, the text compares the two; otherwise it
# compares the region's rate with that of all other regions.
ABOVE: Final = 1.25


def evidence(attribute: Attribute, region: int, cost: Cost) -> str:
    """Return the amount of a cause in a region as text: ``1.2 GB of the program's 1.3 GB, 8 B per call``.

    Args:
        attribute: The cause, with its amounts in all regions.
        region: Index of the region.
        cost: The costs of the region.
    """
    name, own, program = attribute.name, float(attribute.of_regions[region]), attribute.of_program
    value, rest = _written(name, own), float(attribute.of_the_rest[region])
    if not attribute.is_rate:
        return of_the_program(value, _written(name, program)) + _a_call(name, cost)
    of = "L2 accesses" if name == "l2_miss_rate" else "accesses"
    if own > ABOVE * program:
        return f"{value} of {of}, {percent(100 * program)} in the whole program"
    return f"{value} of {of}{f', {percent(100 * rest)} elsewhere' if own > rest else ''}"


def against_weight(cost: Cost) -> Mapping[str, str]:
    """Map each cause of a hot spot to a suggestion.

    If threads mostly wait for each other, fewer instructions are not suggested, because they would not help.
    """
    to_try = dict(_TO_TRY)
    if is_mostly(cost.omp_time, cost.wall_time):
        del to_try["instructions"]
    if cost.io_calls and (cost.io_bytes or 0.0) >= _LARGE * cost.io_calls:
        to_try["io_bytes"] = _LARGE_PIECES
    return to_try


def against_difference(vectors: RankVectors, culprit: int | None) -> Mapping[str, str]:
    """Map each cause of a difference between ranks or threads to a suggestion.

    If threads were compared and execute the region as a team, suggestions are for threads, otherwise for ranks.

    Args:
        vectors: The compared values.
        culprit: Index of the region with the difference; None if it is spread over several regions.
    """
    threads, columns = vectors.selection.threads, vectors.selection.columns
    if threads is None:
        return _TO_TRY_FOR_RANKS
    alone = culprit is not None and threads.serial[_paths_of(vectors, culprit)][:, columns].all()
    return _TO_TRY_FOR_RANKS if alone else _TO_TRY_FOR_THREADS


def _paths_of(vectors: RankVectors, culprit: int) -> list[int]:
    """Return the indices of the call paths whose time counts towards a region."""
    region = vectors.regions[culprit]
    return [region.id] if region.own_code else [*vectors.selection.experiment.walk(region.id)]


def because(difference: Difference, who: Sequence[str]) -> str:
    """Return why ranks differ: ``instructions differ: 6.3e9 on rank 3 against 3.1e9 on ranks 0-2``.

    Args:
        difference: The attribute in which ranks differ, with its values.
        who: The ranks that have each value, as text; empty if ranks do not form groups.
    """
    return f"{_DIFFERENCES[difference.attribute]}: {_apart(difference, who)}"


def of_the_program(value: str, whole: str) -> str:
    """Return a share of the program's total as text: ``1.2 GB of the program's 1.3 GB``, or ``all of …``."""
    return f"{'all' if value == whole else value} of the program's {whole}"


def _a_call(name: str, cost: Cost) -> str:
    """Return a text to append, such as ``, 8 B per I/O call``; empty if bytes or calls were not counted."""
    moved = {"io_bytes": (cost.io_bytes, cost.io_calls, "I/O"), "mpi_bytes": (cost.mpi_bytes, cost.mpi_calls, "MPI")}
    size, calls, of = moved.get(name, (None, None, ""))
    return f", {volume(size / calls)} per {of} call" if size and calls else ""


def _apart(difference: Difference, who: Sequence[str]) -> str:
    values = sorted(zip(difference.values, who, strict=False), key=lambda each: -each[0])
    if len(values) != len(difference.values):  # some threads have no value
        values = [(value, "") for value in sorted(difference.values, reverse=True)]
    most, least = (
        f"{_written(difference.attribute, value)}{each and f' on {each}'}" for value, each in (values[0], values[-1])
    )
    return f"{most} against {least}" if len(values) == 2 else f"from {least} to {most}"


def _written(attribute: str, value: float) -> str:
    if attribute.endswith("_rate"):
        return percent(100 * value)
    return volume(value) if attribute.endswith("_bytes") else count(value)
