"""Find the sources of a program by name, and identify them by the digest of the source text that was built."""

from __future__ import annotations

import os
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path, PurePath
from typing import Final

from ..experiment import Experiment
from .place import visible
from .source_file import LARGEST, SourceFile, candidates, find_source, is_source, places_to_look, read_source

__all__ = ["Sources"]

_UP: Final = 3  # number of folders to search, from the folder of the experiment's file upwards
_MOST: Final = 20_000  # maximum number of files and folders to examine, which take a few seconds on a slow disk


class Sources:
    """Finds a program's sources on the machine on which its experiment is read.

    Programs are often built in one folder and run in another, and several folders may contain files with the same
    name. An experiment contains a digest of each source file that was built, which identifies the right file.

    Args:
        experiment: The experiment.
        file: The experiment's file.
        folders: Folders to search first.
    """

    def __init__(self, experiment: Experiment, file: Path, folders: Sequence[Path] = ()) -> None:
        self._folders = (*folders, *places_to_look(file))
        self._roots = (*folders, Path.cwd(), *file.resolve().parents[:_UP])
        self._compiled = experiment.notes.compiled
        self._measured = file.stat().st_mtime if file.is_file() else None
        self._texts: dict[str, set[str]] = defaultdict(set)
        for path in experiment.call_paths:
            if path.region.text:
                self._texts[path.region.file].add(path.region.text)

    def find(self, name: str) -> SourceFile:
        """Find and read a source file by its name on the compiler's command line."""
        texts = self._texts.get(name)
        if not texts or not is_source(name):
            return find_source(name, self._folders, self._measured)
        compiled = (Path(unit.folder, name) for unit in self._compiled if name in unit.files)
        paths = chain(candidates(name, self._folders), compiled, self._below_by(PurePath(name).name))
        built = next((path for path in paths if _text(path) in texts), None)
        if built:
            return read_source(name, built)
        found = find_source(name, self._folders)
        changed = f"{visible(name)} differs from the file that was built: lines may have moved"
        return replace(found, warning=changed) if found.path and not found.warning else found

    def _below_by(self, name: str) -> Iterator[Path]:
        """Yield the paths of all sources with this file name below the searched folders, which are scanned once."""
        yield from self._below.get(name, ())

    @cached_property
    def _below(self) -> Mapping[str, Sequence[Path]]:
        """Map each file name to the paths of all sources with this name below the searched folders, nearest first."""
        found: dict[str, list[Path]] = defaultdict(list)
        for path in _walk(self._roots):
            found[path.name].append(path)
        return found


def _text(path: Path) -> str:
    """Return the digest of a file's text; empty if the file cannot be read or is too large."""
    from ..digests import text_of  # noqa: PLC0415 - few analyses read sources

    try:
        return text_of(str(path)) if path.is_file() and path.stat().st_size <= LARGEST else ""
    except (OSError, ValueError):  # not a valid file name
        return ""


def _walk(folders: Sequence[Path]) -> Iterator[Path]:
    """Yield the sources below each of some folders, the nearest first, up to a limit."""
    seen: set[str] = set()
    room = _MOST
    for folder in folders:
        waiting = deque([str(folder)])
        while waiting and room > 0:
            here = waiting.popleft()
            if here in seen:
                continue
            seen.add(here)
            for entry in _entries(here):
                room -= 1
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif is_source(entry.name):
                    yield Path(entry.path)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """Return the entries of a folder that are not hidden; empty if the folder cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted((each for each in entries if not each.name.startswith(".")), key=lambda each: each.name)
    except OSError:
        return []
