"""Merge the systems of several experiments; processes and threads match by number (Song et al. 2004, section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ..experiment import Location

__all__ = ["Hierarchy", "System", "merge_locations"]

Hierarchy = Literal["auto", "collapse"] | int

_MACHINE: Final = "machine"
_NODE: Final = "node"

_Thread = tuple[int, int]
_Place = tuple[str, str]


@dataclass(frozen=True)
class System:
    """The merged system.

    Attributes:
        locations: The merged locations, in the order of processes and threads.
        columns: For each operand, the index of each of its locations in ``locations``.
        copied: The operand whose machines and nodes were copied; None if there is only one node.
        threads: For each operand, its (process, thread) → (process, thread) in the merged system.
    """

    locations: tuple[Location, ...]
    columns: tuple[npt.NDArray[np.intp], ...]
    copied: int | None
    threads: tuple[Mapping[_Thread, _Thread], ...]


def merge_locations(systems: Sequence[Sequence[Location]], hierarchy: Hierarchy = "auto") -> System:
    """Match locations by process and thread; copy machines and nodes from an operand, or replace them by a single node.

    Args:
        systems: The locations of each operand.
        hierarchy: ``auto`` copies from the first operand if all operands agree on which processes share a node;
            otherwise, there is only one node. ``collapse`` always uses one node. A number is the index of the operand
            to copy from. Processes that this operand does not have keep their node in the first operand that has them.

    Raises:
        UsageError: There is no operand with this index.
    """
    if isinstance(hierarchy, int) and not 0 <= hierarchy < len(systems):
        raise UsageError(f"system: expected an operand from 1 to {len(systems)}, found {hierarchy + 1}")
    if len(systems) > 1 and all(each == systems[0] for each in systems):
        one = merge_locations(systems[:1], "collapse" if hierarchy == "collapse" else 0)
        copied = hierarchy if isinstance(hierarchy, int) else one.copied
        return System(one.locations, one.columns * len(systems), copied, one.threads * len(systems))
    threads = tuple(_within_process(each) for each in systems)
    order = sorted({thread for each in threads for thread in each.values()})
    column = {thread: index for index, thread in enumerate(order)}
    columns = tuple(np.array([column[thread] for thread in each.values()], dtype=np.intp) for each in threads)
    copied = hierarchy if isinstance(hierarchy, int) else 0
    if hierarchy == "collapse" or (hierarchy == "auto" and not _agree(systems)):
        locations = tuple(Location(_MACHINE, _NODE, *thread) for thread in order)
        return System(locations, columns, None, threads)
    places: dict[int, _Place] = {}
    for system in (systems[copied], *systems):
        for process, place in _places(system).items():
            places.setdefault(process, place)
    locations = tuple(Location(*places[thread[0]], *thread) for thread in order)
    return System(locations, columns, copied, threads)


def _within_process(system: Sequence[Location]) -> Mapping[_Thread, _Thread]:
    """Renumber the threads of each process from 0, as OpenMP does, if they are numbered across the whole program.

    Threads are numbered across the program if their numbers continue from process to process without a gap. If there is
    a gap, the numbers are kept, because a process's first thread may be missing.
    """
    first: dict[int, int] = {}
    threads = sorted((each.process, each.thread) for each in system)
    for process, thread in threads:
        first.setdefault(process, thread)
    start = threads[0][1] if threads else 0
    throughout = len(first) > 1 and [thread for _, thread in threads] == [*range(start, start + len(threads))]
    return {
        (each.process, each.thread): (each.process, each.thread - first[each.process] if throughout else each.thread)
        for each in system
    }


def _places(system: Iterable[Location]) -> dict[int, _Place]:
    return {each.process: (each.machine, each.node) for each in system}


def _agree(systems: Sequence[Sequence[Location]]) -> bool:
    """Return whether all operands group processes into nodes in the same way; the nodes' names may differ.

    If the operands have different processes, the names of the nodes must be equal, too. Otherwise, the node of a
    process that only some operands have would be unknown.
    """
    places = [_places(system) for system in systems]
    if all(each.keys() == places[0].keys() for each in places):
        return all(_partition(each) == _partition(places[0]) for each in places)
    known: dict[int, _Place] = {}
    return all(known.setdefault(process, place) == place for each in places for process, place in each.items())


def _partition(places: Mapping[int, _Place]) -> set[frozenset[int]]:
    together: dict[_Place, set[int]] = {}
    for process, place in places.items():
        together.setdefault(place, set()).add(process)
    return {frozenset(each) for each in together.values()}
