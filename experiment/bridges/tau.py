"""Read TAU's profiles: a folder with one file per thread, ``profile.NODE.CONTEXT.THREAD``, or one folder per metric.

A file lists functions and chains of calls: ``main => solve => MPI_Send()``. If TAU limited the depth of the chains,
some do not begin with an outermost function. Because their callers are then unknown, all functions become a flat list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Final

from ...errors import InputError
from ..experiment import Experiment
from ..notes import Notes
from ..region import Region
from ..source import Source, open_source
from .profile import Profile, function
from .text import lines

__all__ = ["read", "read_folder"]

_FILE: Final = re.compile(r"profile\.(\d+)\.(\d+)\.(\d+)$")
_METRICS: Final = "MULTI__"
_HEAD: Final = re.compile(r"(\d+) templated_functions(?:_MULTI_(.*))?$")
_ROW: Final = re.compile(r'"(.*)" (\S+) (\S+) (\S+) (\S+) (\S+) GROUP="(.*)"\s*$')
_ATTRIBUTE: Final = re.compile(r"<attribute><name>([^<]*)</name><value>([^<]*)</value></attribute>")
_ARROW: Final = "=>"
_PLACE: Final = re.compile(r"(.*?) *\[\{(.*?)\}(?: *\{(\d+),\d+\}(?:-\{(\d+),\d+\})?)?\]$")
_TIMES: Final = {"TIME", "GET_TIME_OF_DAY", "CLOCK_GETTIME", "LINUX_TIMERS", "BGP_TIMERS", "TAUGPU_TIME"}
_MICROSECONDS: Final = 1e6
_NODES: Final = ("Hostname", "CRAY_NODENAME", "Node Name")
_CALLS: Final = "visits"


@dataclass
class _Thread:
    """A thread's data for one metric: calls and exclusive values of functions and of chains of calls."""

    metric: str = ""
    rows: dict[tuple[str, ...], tuple[float, float]] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    events: int = 0


def read(source: Source) -> Experiment:
    """Read the file of one thread.

    Raises:
        InputError: The file is damaged.
    """
    found = _FILE.search(source.path.name)
    place = (int(found[1]), int(found[2]), int(found[3])) if found else (0, 0, 0)
    return _experiment([(place, _thread(source))])


def read_folder(path: Path) -> Experiment:
    """Read the files of a folder.

    Raises:
        InputError: A file is damaged.
    """
    return _experiment((place, _named_thread(file)) for place, file in _files(path))


def _files(path: Path) -> list[tuple[tuple[int, int, int], Path]]:
    return _placed(path.glob(f"{_METRICS}*/profile.*")) or _placed(path.glob("profile.*"))


def _placed(files: Iterable[Path]) -> list[tuple[tuple[int, int, int], Path]]:
    """Return the files that are named like profiles, folder by folder, each with its node, context and thread."""
    named = ((each, found.groups()) for each in files if (found := _FILE.match(each.name)))
    places = (((int(node), int(context), int(thread)), each) for each, (node, context, thread) in named)
    return sorted(places, key=lambda each: (each[1].parent, each[0]))


def _named_thread(file: Path) -> _Thread:
    try:
        return _thread(open_source(file))
    except InputError as error:
        text = str(error)
        raise InputError(text if text.startswith(f"{file}") else f"{file.name}: {text}") from None


def _thread(source: Source) -> _Thread:
    rest = lines(source)
    head = _HEAD.match(next(rest, ""))
    if not head:
        raise InputError("expected a TAU profile, which begins with the number of functions, found another file")
    found = _Thread(metric=head[2] or "TIME")
    found.facts = {name: unescape(value) for name, value in _ATTRIBUTE.findall(next(rest, ""))}
    for number in range(int(head[1])):
        row = _ROW.match(next(rest, ""))
        if not row:
            raise InputError(f"expected {head[1]} functions, found a damaged line after function {number}")
        chain = tuple(each.strip() for each in row[1].split(_ARROW))
        calls, own = found.rows.get(chain, (0.0, 0.0))
        found.rows[chain] = calls + float(row[2]), own + float(row[4])
    for line in rest:
        if line.endswith(" userevents"):
            found.events = int(line.split()[0])
    return found


def _experiment(threads: Iterable[tuple[tuple[int, int, int], _Thread]]) -> Experiment:
    profile = Profile("TAU")
    found = list(threads)
    facts: Mapping[str, str] = found[0][1].facts
    command = facts.get("Command Line", "").split()
    program = command[0].rpartition("/")[2] if command else "program"
    whole = _are_whole([thread.rows for _, thread in found])
    root = None if whole and len({_roots(thread.rows)[0] for _, thread in found if _roots(thread.rows)}) == 1 else True
    above = profile.path(Region("program", program, "", program)) if root or not whole else None
    numbers: dict[int, set[tuple[int, int]]] = {}
    for (node, context, number), _ in found:
        numbers.setdefault(node, set()).add((context, number))
    columns = {node: {each: column for column, each in enumerate(sorted(all_))} for node, all_ in numbers.items()}
    first = found[0][1].metric
    for (node, context, number), thread in found:
        host = next((thread.facts[each] for each in _NODES if each in thread.facts), "node")
        place = profile.location(node, columns[node][context, number], host)
        _add(profile, thread, place, above, whole=whole, counts_calls=thread.metric == first)
    if not whole:
        profile.remarks.append(
            "TAU: call paths are truncated (TAU_CALLPATH_DEPTH) or were not recorded, so functions are shown without "
            "callers"
        )
    if events := sum(thread.events for _, thread in found):
        profile.remarks.append(f"TAU: {events} user events were not read")
    return profile.experiment(Notes(program=program, command=tuple(command)))


def _roots(rows: Mapping[tuple[str, ...], object]) -> list[str]:
    """Return the functions without a caller."""
    called = {chain[-1] for chain in rows if len(chain) > 1}
    return [chain[0] for chain in rows if len(chain) == 1 and chain[0] not in called]


def _are_whole(threads: Sequence[Mapping[tuple[str, ...], object]]) -> bool:
    """Return whether every chain begins with an outermost function, and all prefixes of chains exist, too.

    A thread, such as an idle one, may have no chains if none of its functions is called in the chains of other threads.
    """
    called = {chain[-1] for rows in threads for chain in rows if len(chain) > 1}
    return bool(called) and all(_is_whole(rows, called) for rows in threads)


def _is_whole(rows: Mapping[tuple[str, ...], object], called: Set[str]) -> bool:
    roots = set(_roots(rows))
    chains = [chain for chain in rows if len(chain) > 1]
    if not chains:
        return roots.isdisjoint(called)
    return all(chain[0] in roots and (len(chain) == 2 or chain[:-1] in rows) for chain in chains)


def _add(profile: Profile, thread: _Thread, place: int, above: int | None, *, whole: bool, counts_calls: bool) -> None:
    is_time = thread.metric in _TIMES
    metric = profile.metric("wall_time" if is_time else thread.metric, "occ")
    roots = set(_roots(thread.rows))
    for chain, (calls, own) in thread.rows.items():
        if (len(chain) == 1 and whole and chain[0] not in roots) or (len(chain) > 1 and not whole):
            continue
        path = above
        for name in chain:
            path = profile.path(_region(name), path)
        assert path is not None, "no chain is empty"
        value = own / _MICROSECONDS if is_time else own
        profile.add(metric, path, place, value)
        if is_time and (part := _part(chain[-1])):
            profile.add(profile.metric(part), path, place, value)
        if counts_calls:
            profile.add(profile.metric(_CALLS), path, place, calls)


def _part(name: str) -> str:
    if not name.startswith("MPI_"):
        return ""
    return "io_time" if name.startswith("MPI_File_") else "mpi_time"


def _region(name: str) -> Region:
    found = _PLACE.match(name)
    plain = (found[1] if found else name).removesuffix("()").strip() or name
    region = function(plain, found[2], int(found[3] or 0), int(found[4] or 0)) if found else function(plain)
    return region._replace(kind="io") if _part(plain) == "io_time" else region
