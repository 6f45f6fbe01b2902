"""Convert sampled lines to regions: the functions and loops that contain these lines in the sources.

Gathering finds only functions and lines. Lines of an inlined function are below the line that calls the function. This
module replaces each line by the regions that probes would have recorded::

    app                         app
     └─ work                     └─ work
        ├─ line 12          →       ├─ own time: line 12
        └─ line 15                  └─ loop@14
           └─ get (inlined)
              └─ line 3
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .call_path import CallPath
from .delay import Delay, longest_first
from .experiment import Experiment
from .folding import in_order
from .grouping import grouped
from .inside import ENOUGH_SAMPLES, Inside, InsidePart, largest_parts
from .region import Region
from .severities import Severity

__all__ = ["LINE", "has_lines", "in_regions", "lined_files"]

LINE: Final = "line"
"""The kind of region that is a single source line."""

_WHOLE: Final = ("program", "function")
_MAINS: Final = ("main", "MAIN")  # the main function in C, and the main program in Fortran
_WORTH_READING: Final = 0.01  # sources with a smaller share of the CPU time are not read
_SYSTEM: Final = "/usr/"  # where system headers are; functions in them count as part of their callers


def has_lines(experiment: Experiment) -> bool:
    """Return whether an experiment's call paths contain source lines instead of regions."""
    return any(path.region.kind == LINE for path in experiment.call_paths)


def lined_files(experiment: Experiment) -> list[str]:
    """Return the files whose lines are call paths of an experiment, in descending order of CPU time.

    Files with less than 1 % of the CPU time, including that of calls, are left out, because their regions are never
    critical, and reading sources takes long.
    """
    own = np.nansum(experiment.exclusive("cpu_time"), axis=1)
    whole = np.nansum(experiment.inclusive("cpu_time"), axis=1)
    seconds: dict[str, float] = {}
    with_calls: dict[str, float] = {}
    for number, path in enumerate(experiment.call_paths):
        if path.region.kind == LINE:
            file = path.region.file
            seconds[file] = seconds.get(file, 0.0) + float(own[number])
            with_calls[file] = with_calls.get(file, 0.0) + float(whole[number])
    least = _WORTH_READING * sum(with_calls.values())
    return sorted((file for file in seconds if with_calls[file] >= least), key=lambda file: (-seconds[file], file))


def _is_main(region: Region) -> bool:
    return region.kind == "program" or (region.kind == "function" and region.name == "main")


class _Place(NamedTuple):
    """Where a sampled call path is in the sources.

    Attributes:
        regions: The regions around the call path, below the root, outermost first.
        skipped: A function inside the innermost region that is not itself a region; empty if there is none.
        line: The line in the innermost region or function; None for a call.
    """

    regions: tuple[Region, ...]
    skipped: str
    line: Region | None


def in_regions(experiment: Experiment, sources: Iterable[Region]) -> Experiment:
    """Return the experiment with regions in place of lines.

    Args:
        experiment: An experiment for which ``has_lines`` is true.
        sources: The regions that probes would record in the files that could be read.
    """
    known = _Sources(sources)
    places = _places(experiment.call_paths, known)
    paths, groups = _forest(experiment.call_paths, places, known.first_lines(experiment.call_paths))
    ordered, position = in_order(paths)
    groups = position[groups]

    def read(of: Experiment, name: str) -> Severity:
        return _read(of, name, groups, ordered)

    severities = experiment.derived((each.name for each in experiment.metrics), read)
    made = experiment.replaced(call_paths=tuple(ordered), severities=severities)
    inside = (*experiment.notes.inside, *_inside(experiment, made, groups, places))
    names = {
        path.region.descriptor: ordered[group].region.descriptor
        for path, group in zip(reversed(experiment.call_paths), reversed(groups.tolist()), strict=True)
    }
    return made.replaced(
        notes=replace(experiment.notes, inside=inside, delays=_renamed(experiment.notes.delays, names))
    )


def _renamed(delays: Iterable[Delay], names: Mapping[str, str]) -> tuple[Delay, ...]:
    """Replace the descriptors of regions in delays, and add up delays between the same two regions.

    Args:
        delays: The delays between lines and calls.
        names: Descriptor of a line or call → descriptor of its new region.
    """
    found: dict[tuple[str, str], list[Delay]] = {}
    for each in delays:
        pair = names.get(each.waiting, each.waiting), names.get(each.late, each.late)
        found.setdefault(pair, []).append(each)
    return longest_first(
        Delay(*pair, sum(each.seconds for each in same), sum(each.by_messages for each in same))
        for pair, same in found.items()
    )


def _read(of: Experiment, name: str, groups: npt.NDArray[np.intp], paths: Sequence[CallPath]) -> Severity:
    """Return a metric's values on the new call paths, ``float64[call path, location]``.

    A sum is missing (NaN) if all its old values are missing. The value of a call path that replaces no old one is
    missing if all its children's values are missing.
    """
    old, kind = of.exclusive(name), of.metric(name).aggregation
    if kind != "sum" or not np.isnan(old).any():
        return grouped(kind, old, groups, len(paths))
    values = grouped(kind, np.nan_to_num(old), groups, len(paths))
    members = np.bincount(groups, minlength=len(paths))
    known = grouped(kind, (~np.isnan(old)).astype(float), groups, len(paths))
    values[(known == 0) & (members > 0)[:, None]] = np.nan
    for number in reversed(np.flatnonzero(members == 0).tolist()):
        below = [place for place, path in enumerate(paths) if path.parent == number]
        values[number] = np.where(np.isnan(values[below]).all(axis=0), np.nan, values[number])
    return values


class _Sources:
    """The regions of source files, found by the lines that they contain."""

    def __init__(self, regions: Iterable[Region]) -> None:
        self._files: dict[str, list[Region]] = {}
        for each in dict.fromkeys(regions):
            self._files.setdefault(os.path.realpath(each.file), []).append(each)
        for found in self._files.values():
            found.sort(key=lambda region: (region.first_line, -region.last_line, region.kind not in _WHOLE))

    def around(self, line: Region) -> list[Region]:
        """Return the regions that contain a line, outermost first, without the main program."""
        found = self._files.get(os.path.realpath(line.file), ())
        around = [each for each in found if each.first_line <= line.first_line <= each.last_line]
        return [each for each in around if not _is_main(each)]

    def is_main(self, line: Region) -> bool:
        """Return whether a line belongs to the main program."""
        found = self._files.get(os.path.realpath(line.file), ())
        around = [each for each in found if each.first_line <= line.first_line <= each.last_line]
        return any(map(_is_main, around)) or line.function in _MAINS

    @staticmethod
    def first_lines(call_paths: Sequence[CallPath]) -> dict[Region, Region]:
        """Map each function to a region that spans its sampled lines, from the first to the last.

        Args:
            call_paths: Functions, and below each of them the lines that were sampled in it.
        """
        seen: dict[Region, list[int]] = {}
        for path in call_paths:
            if path.region.kind == LINE and path.parent is not None:
                seen.setdefault(call_paths[path.parent].region, []).append(path.region.first_line)
        return {region: region._replace(first_line=min(lines), last_line=max(lines)) for region, lines in seen.items()}


def _places(call_paths: Sequence[CallPath], sources: _Sources) -> list[_Place]:
    """Return where each call path is in the sources.

    Args:
        call_paths: The call paths, parents before children.
        sources: The regions in the sources.
    """
    places: list[_Place] = []
    of_lines = {path.parent for path in call_paths if path.region.kind == LINE}
    for number, path in enumerate(call_paths):
        region = path.region
        if path.parent is None:
            places.append(_Place((), "", None))
            continue
        above = places[path.parent]
        if region.kind == LINE:
            places.append(_of_line(above, region, sources, call_paths[path.parent].region))
        elif number in of_lines:
            places.append(above)  # the function's regions are found from its lines
        else:
            places.append(_Place((*above.regions, region), "", None))
    return places


def _of_line(above: _Place, line: Region, sources: _Sources, function: Region) -> _Place:
    around = sources.around(line)
    is_outermost = above.line is None
    if not around and not is_outermost:
        is_users = not line.file.startswith(_SYSTEM)
        return above._replace(skipped=line.function, line=line) if is_users else above
    if is_outermost and not any(each.kind == "function" for each in around) and not sources.is_main(line):
        around = [function, *around]
    regions = above.regions
    for each in around:
        if each not in regions:
            regions = (*regions, each)
    return _Place(regions, "", line)


def _forest(
    call_paths: Sequence[CallPath], places: Sequence[_Place], seen: Mapping[Region, Region]
) -> tuple[list[CallPath], npt.NDArray[np.intp]]:
    """Return the new call paths and, for each old call path, the index of the new one.

    Args:
        call_paths: The old call paths.
        places: The place of each old call path.
        seen: Maps each function to a region that spans its sampled lines.
    """
    paths: list[CallPath] = []
    index: dict[tuple[int | None, Region], int] = {}

    def add(parent: int | None, region: Region) -> int:
        place = index.setdefault((parent, region), len(paths))
        if place == len(paths):
            paths.append(CallPath(seen.get(region, region), parent))
        return place

    groups = np.zeros(len(call_paths), dtype=np.intp)
    roots: list[int] = []
    for number, (path, place) in enumerate(zip(call_paths, places, strict=True)):
        if path.parent is None:
            groups[number] = add(None, path.region)
            roots.append(int(groups[number]))
            continue
        at = roots[-1]
        for region in place.regions:
            at = add(at, region)
        groups[number] = at
    return paths, groups


def _inside(
    experiment: Experiment, made: Experiment, groups: npt.NDArray[np.intp], places: Sequence[_Place]
) -> Iterator[Inside]:
    """Yield the code inside each region, as found by sampling, most samples first."""
    second = experiment.notes.samples.get("cpu_time", 0.0)
    if not second:
        return
    seconds = np.nansum(experiment.exclusive("cpu_time"), axis=1).tolist()
    parts: dict[Region, dict[tuple[str, str, int], float]] = {}
    for number, place in enumerate(places):
        if place.line is not None and seconds[number] > 0:
            region = made.call_paths[int(groups[number])].region
            what = place.skipped, place.line.file, place.line.first_line
            of_region = parts.setdefault(region, {})
            of_region[what] = of_region.get(what, 0.0) + seconds[number] / second
    found = [
        Inside(region.descriptor, round(sum(of.values()), 1), 0.0, largest_parts(_named(of)))
        for region, of in parts.items()
        if sum(of.values()) >= ENOUGH_SAMPLES
    ]
    yield from sorted(found, key=lambda each: (-each.samples, each.region))


def _named(parts: Mapping[tuple[str, str, int], float]) -> Iterator[InsidePart]:
    """Yield the parts of a region: its own lines, and other functions, each with its most sampled line."""
    functions: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for (name, file, line), samples in parts.items():
        functions.setdefault((name, file) if name else ("", f"{file}:{line}"), []).append((samples, line))
        if not name:
            yield InsidePart("", "", file, line, round(samples, 1))
    for (name, file), lines in functions.items():
        if name:
            yield InsidePart(name, "", file, max(lines)[1], round(sum(samples for samples, _ in lines), 1))
