"""The options with which a file was compiled, with the current paths of their folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os.path import normpath, realpath
from pathlib import Path, PurePath
from typing import Final

from ..experiment.compiled import Compiled

__all__ = ["Options", "options_of"]

_FOLDERS: Final = ("-I", "-isystem", "-iquote", "-idirafter")
_FORCED: Final = ("-include", "-imacros")
_MACROS: Final = ("-D", "-U")
_OF_PREPROCESSOR: Final = (*_MACROS, *_FOLDERS, *_FORCED)


@dataclass(frozen=True)
class Options:
    """The options with which a file was compiled.

    Attributes:
        language: ``c``, ``c++`` or ``fortran``.
        words: The options, as in ``Compiled.options``; paths of folders are absolute.
        macros: Macros that the compiler or an option defines, with their values; None for undefined macros.
        is_complete: Whether the compiler has listed all macros that it defines.
        contested: Macros with different values in different sources that include the file.
    """

    language: str
    words: tuple[str, ...]
    macros: dict[str, str | None]
    is_complete: bool
    contested: frozenset[str] = frozenset()

    @property
    def preprocessing(self) -> list[str]:
        """The options that define macros and add include directories."""
        macros = [f"-U{name}" if value is None else f"-D{name}={value}" for name, value in self.macros.items()]
        return [*macros, *(each for each in self.words if each.startswith((*_FOLDERS, *_FORCED)))]

    @property
    def of_language(self) -> list[str]:
        """The options for the parser of C and C++, such as the language standard, without those for OpenMP."""
        return [each for each in self.words if not each.startswith((*_OF_PREPROCESSOR, "-fopenmp", "-undef"))]

    @property
    def folders(self) -> list[str]:
        """The folders that are searched for included files, in order."""
        return [each.removeprefix("-I") for each in self.words if each.startswith("-I")]

    @property
    def openmp(self) -> bool:
        """Whether OpenMP directives are active."""
        return "-fopenmp" in self.words or "-fopenmp-simd" in self.words


def options_of(units: Iterable[Compiled], name: str, path: Path) -> Options | None:
    """Return the options of a file; None if unknown.

    If several files have this name, the options are those of the file at ``path`` or, if it was moved, those of the
    files with the same text. If several sources include the file, the options are those of the first source.

    Args:
        units: A run's records of compiled files.
        name: The file's name in regions.
        path: The file's current path.
    """
    named = [unit for unit in units if name in unit.files]
    if len(named) > 1:
        here = realpath(path)
        named = [unit for unit in named if realpath(_place(unit, name)) == here] or _of_text(named, name, path)
    if not named:
        return None
    options = [_moved(unit, name, path) for unit in named]
    names = {each for one in options for each in one.macros}
    contested = {each for each in names if len({one.macros.get(each, "-") for one in options}) > 1}
    first = options[0]
    return Options(first.language, first.words, first.macros, first.is_complete, frozenset(contested))


def _of_text(units: Sequence[Compiled], name: str, path: Path) -> list[Compiled]:
    from ..digests import text_of  # noqa: PLC0415 - rarely needed: few files have the same name

    text = text_of(str(path))
    return [unit for unit in units if unit.files[name] == text] or [*units]


def _place(unit: Compiled, name: str) -> str:
    return normpath(os.path.join(unit.folder, name))  # noqa: PTH118 - joined as text, because it may not exist


def _moved(unit: Compiled, name: str, path: Path) -> Options:
    """Return the options with current paths of folders, because sources and headers may have been moved together."""
    then, now = PurePath(_place(unit, name)).parts, Path(realpath(path)).parts
    same = 0
    while same < min(len(then), len(now)) and then[-same - 1] == now[-same - 1]:
        same += 1
    old, new = then[: len(then) - same], now[: len(now) - same]

    def place(value: str) -> str:
        there = _place(unit, value)
        parts = PurePath(there).parts
        is_there = PurePath(there).is_absolute() and Path(there).exists()
        return there if is_there or parts[: len(old)] != old else str(PurePath(*new, *parts[len(old) :]))

    words = tuple(_placed(each, place) for each in unit.options)
    macros: dict[str, str | None] = dict(unit.predefined)
    for word in words:
        if word.startswith("-D"):
            defined, _, value = word.removeprefix("-D").partition("=")
            macros[defined] = value if "=" in word else "1"
        elif word.startswith("-U"):
            macros[word.removeprefix("-U")] = None
    return Options(unit.language, words, macros, bool(unit.predefined))


def _placed(word: str, place: Callable[[str], str]) -> str:
    """Return an option with the current path of its folder or file."""
    for start in _FOLDERS:
        if word.startswith(start):
            return start + place(word.removeprefix(start))
    for start in _FORCED:
        if word.startswith(start) and os.path.isfile(file := place(word.removeprefix(start))):  # noqa: PTH113
            return start + file
    return word
