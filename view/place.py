"""Names and source locations of code regions, for display."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..analyze.run.code_regions import CodeRegion
from ..experiment import CallPath, Experiment, Region
from ..experiment.call_path import name_below_root
from ..experiment.region import CALL_KINDS

__all__ = ["Place", "at_line", "clipped", "file_of", "short", "source_among", "visible"]

_LONGEST: Final = 200  # maximum length of a name; only templates and generators produce longer names


@dataclass(frozen=True, slots=True)
class Place:
    """Name and source location of a code region.

    The fields are the keys of a region in the JSON of findings, in this order.
    """

    id: int
    path: str
    name: str
    kind: str
    function: str
    file: str
    line: int
    depth: int

    @classmethod
    def of(cls, experiment: Experiment, region: CodeRegion) -> Place:
        """Return the name and location of a code region in an experiment."""
        depth = max(1, experiment.depths[region.id])
        return cls._made(experiment.call_paths, region.id, experiment.path_name(region.id), region.own_code, depth)

    @classmethod
    def of_path(cls, call_paths: Sequence[CallPath], path: int) -> Place:
        """Return the name and location of the call path at an index, in an experiment or a trace."""
        depth, above = 0, call_paths[path].parent
        while above is not None:
            depth, above = depth + 1, call_paths[above].parent
        return cls._made(call_paths, path, name_below_root(call_paths, path), False, max(1, depth))

    @classmethod
    def of_region(cls, region: Region) -> Place:
        """Return the name and location of a region, regardless of its call paths."""
        return cls._made([CallPath(region)], 0, region.name, False, 1)

    @classmethod
    def _made(cls, call_paths: Sequence[CallPath], number: int, path: str, own_code: bool, depth: int) -> Place:
        source = call_paths[number].region
        name = source.name
        if own_code:
            path = name = f"(own code of {source.name})"
        path, name, function, file = map(visible, (path, name, source.function or source.name, file_of(source)))
        return cls(number, path, name, source.kind, function, file, source.first_line, depth)

    @property
    def source(self) -> str:
        """``file:line``, without folders; the region's name if it has no file."""
        return at_line(self.file, self.line) if self.file else short(self.name)

    @property
    def title(self) -> str:
        """The region's title: ``loop in trace``, ``trace``, ``own code of main``, ``own code of loop in trace``."""
        return short(self._title)

    @property
    def _title(self) -> str:
        own = self.path == self.name and self.name.startswith("(own")
        if self.kind == "loop":
            return f"{'own code of ' if own else ''}loop in {self.function}"
        if self.kind == "parallel":
            return f"{'own code of ' if own else ''}{_construct(self.name)} in {self.function}"
        name = self.name.strip("()") if own else self.name
        if self.kind in CALL_KINDS and self.function != self.name:
            return f"{name.partition('@')[0]} in {self.function}"
        return name.removesuffix(f" @{at_line(self.file, self.line)}")

    @property
    def in_words(self) -> str:
        """The title and location, for use in a sentence: ``the loop in trace (rays.c:41)``."""
        what = f"the {self.title}" if self.kind in ("loop", "parallel") else self.title
        return f"{what} ({self.source})" if self.file else what


def _construct(name: str) -> str:
    """Return the kind of an OpenMP construct, given its name: ``parallel for`` for ``parallel for@41``."""
    words = name.removeprefix("(own code of ").partition("@")[0]
    return f"{words} region" if words == "parallel" else words


def file_of(region: Region) -> str:
    """Return a region's source file; empty if the file is only the name of a library, as in Score-P's profiles."""
    return region.file if region.first_line or "." in region.file or "/" in region.file else ""


def source_among(experiment: Experiment, place: Place) -> str:
    """Return ``step.c:12``; if several files have this name, include the last folder: ``solver/step.c:12``."""
    folders, _, name = place.file.rpartition("/")
    files = {each.region.file for each in experiment.call_paths if each.region.file.rpartition("/")[2] == name}
    folder = short(folders.rpartition("/")[2])
    return f"{folder}/{place.source}" if folder and len(files) > 1 else place.source


def at_line(file: str, line: int) -> str:
    """Return ``file:line``, without folders; only the file if the line is unknown."""
    name = short(visible(file.rpartition("/")[2]))
    return f"{name}:{line}" if line else name


def short(name: str) -> str:
    """Return a name, shortened in the middle if it is long, because names differ mostly at their beginning and end."""
    return clipped(name, _LONGEST)


def clipped(text: str, most: int) -> str:
    """Return a text, shortened in the middle to at most ``most`` characters."""
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def visible(text: str) -> str:
    """Replace control characters in a text, so that a name cannot forge lines or colours on a terminal."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)
