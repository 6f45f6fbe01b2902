"""A plan: which regions a build makes, as data. ``regions --plan``, a run and a user write it, the front ends obey it.

.. code-block:: toml

    version = 2
    modes = ["functions", "outer-loops"]   # without it those of the command, or the default ones

    [[include]]                            # beyond the modes: all loops of one function
    function = "solve"
    file = "solver.c"
    modes = ["inner-loops"]

    [[exclude]]                            # whatever else asks for it
    kind = "function"
    name = "debug_*"

    [[eliminate]]                          # its time goes to what it lies in; what lies in it stays
    function = "solve"
    name = "loop@41"

    [[merge]]                              # neighbours become one region
    file = "solver.c"
    function = "assemble"
    regions = ["loop#0", "loop#1"]
    name = "matrix"

    [[split]]                              # a region is opened into the loops, or the blocks, right in it
    function = "main"
    kind = "loop"
    ordinal = 0
    into = "blocks"

A rule holds for the regions that match all of its keys among ``kind``, ``name``, ``file``, ``function`` and
``ordinal``; texts are patterns (``*``, ``?``, ``[…]``). Kind, file, function and ordinal together are a region's
identity. Version 1 knew ``exclude`` alone, by identities that are no patterns.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from ...atomic_file import replacing
from ...errors import InputError, UsageError, way_out
from ..region import KINDS, Region
from .mode import modes_of

__all__ = [
    "VERSION",
    "Exclude",
    "Include",
    "Merge",
    "Pattern",
    "Plan",
    "Split",
    "build_line",
    "load_plan",
    "save_plan",
]


VERSION: Final = 2
_EXACT_VERSION: Final = 1
_TEXTS: Final = ("kind", "name", "file", "function")
_KEYS: Final = (*_TEXTS, "ordinal")
_PARTS: Final = ("loops", "blocks")
_SPECIAL: Final = re.compile(r"[*?[]")
_FORTRAN: Final = re.compile(r"\.f(?:or|tn|pp|\d\d)?$", re.IGNORECASE)
_MEMBER: Final = re.compile(r"(?P<kind>[a-z]+)#(?P<ordinal>\d+)")


@dataclass(frozen=True, slots=True)
class Pattern:
    """Which regions are meant; what is None holds for any.

    Attributes:
        kind: Of the region, as ``Region`` has it; as the next three a pattern of ``fnmatch``.
        name: Its name.
        file: Its file as the compiler is given it.
        function: The function that encloses it, or is it.
        ordinal: Its place among those of its kind in its function.
        exact: Whether the texts are no patterns.
    """

    kind: str | None = None
    name: str | None = None
    file: str | None = None
    function: str | None = None
    ordinal: int | None = None
    exact: bool = False

    @classmethod
    def of(cls, region: Region) -> Pattern:
        """Give the pattern of one region's identity."""
        kind, file, function, ordinal = region.identity
        return cls(kind, None, _escaped(file), _escaped(function), ordinal)

    @classmethod
    def of_name(cls, region: Region) -> Pattern:
        """Give the pattern of the regions of one name in a function."""
        return replace(cls.of(region), name=_escaped(region.name), ordinal=None)

    def matches(self, region: Region) -> bool:
        """Tell whether a region is meant."""
        return (
            self.ordinal in {None, region.ordinal}
            and self._is(self.kind, region.kind)
            and self.is_of_file(region.file)
            and self._is_called(self.function, region.function or region.name, region.file)
            and self._is_called(self.name, region.name, region.file)
        )

    def is_of_file(self, file: str) -> bool:
        """Tell whether regions of a file can be meant."""
        return self._is(self.file, file)

    def _is_called(self, wanted: str | None, found: str, file: str) -> bool:
        """Tell whether a name is meant; Fortran's are the same in upper and lower case."""
        if wanted is None or not _FORTRAN.search(file):
            return self._is(wanted, found)
        return self._is(wanted.lower(), found.lower())

    def _is(self, wanted: str | None, found: str) -> bool:
        if wanted is None or wanted == found:
            return True
        # A plan may have thousands of rules, and fnmatch keeps few patterns ready.
        return not self.exact and _SPECIAL.search(wanted) is not None and fnmatchcase(found, wanted)

    def __str__(self) -> str:
        """Say it as a plan does: ``kind = "loop", function = "solve"``."""
        return ", ".join(f"{key} = {_value(value)}" for key, value in self.keys().items())

    def keys(self) -> dict[str, str | int]:
        """Give the keys that are set, in the order in which a plan has them."""
        values = {key: getattr(self, key) for key in _KEYS}
        return {
            key: _escaped(value) if self.exact and isinstance(value, str) else value
            for key, value in values.items()
            if value is not None
        }


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"[\g<0>]", text)


@dataclass(frozen=True, slots=True)
class Include:
    """Regions that are made beyond the modes.

    Attributes:
        pattern: Which.
        modes: Only those that belong to these modes; all if none are named, also those left out for being tiny.
        comment: What a reader is told; not read back.
    """

    pattern: Pattern
    modes: tuple[str, ...] = ()
    comment: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Exclude:
    """Regions that are not made; their time goes to what they lie in.

    Attributes:
        pattern: Which.
        reason: Why.
        comment: What a reader is told; not read back.
    """

    pattern: Pattern
    reason: str = ""
    comment: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Merge:
    """Neighbours that become one region, from the first to the last, with what stands between.

    Attributes:
        file: Where they are, a pattern; None for any.
        function: What encloses them, a pattern.
        regions: Their names, such as ``loop@41``, or kinds and ordinals, ``loop#0``.
        name: What the whole is called; the members' names if empty.
    """

    file: str | None
    function: str
    regions: tuple[str, ...]
    name: str = ""

    def member(self, region: Region) -> int:
        """Give the place of a region among the members; -1 if it is none."""
        if Pattern(file=self.file, function=self.function).matches(region):
            for place, word in enumerate(self.regions):
                match = _MEMBER.fullmatch(word)
                if word == region.name or (
                    match and (match["kind"], int(match["ordinal"])) == (region.kind, region.ordinal)
                ):
                    return place
        return -1


@dataclass(frozen=True, slots=True)
class Split:
    """Regions that are opened.

    Attributes:
        pattern: Which.
        into: ``loops``: those right in it become regions. ``blocks``: so does every statement right in it that holds
            others, and what stands between them.
    """

    pattern: Pattern
    into: str = "loops"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a build makes of a program's regions.

    Attributes:
        modes: The modes; None for those that the command names, or the default.
        include: What is made beyond them.
        exclude: What is not made, whatever else asks for it.
        eliminate: What is not made of all that is left.
        merge: What becomes one.
        split: What is opened.
    """

    modes: tuple[str, ...] | None = None
    include: tuple[Include, ...] = ()
    exclude: tuple[Exclude, ...] = ()
    eliminate: tuple[Exclude, ...] = ()
    merge: tuple[Merge, ...] = ()
    split: tuple[Split, ...] = ()

    def patterns(self) -> Iterator[tuple[str, Pattern]]:
        """Give each rule's table and pattern, but for those of ``merge``."""
        for table in ("include", "exclude", "eliminate", "split"):
            for rule in getattr(self, table):
                yield table, rule.pattern


def build_line(path: Path) -> str:
    """Give the line for a shell that builds by a plan, from whatever folders the build calls the compiler."""
    line = f"AUTOANALYZER_PLAN={shlex.quote(str(path.resolve()))} make CC=aa-mpicc"
    return "".join(each if each.isprintable() else "?" for each in line)


def load_plan(path: Path, name: str = "") -> Plan:
    """Read a plan.

    Args:
        path: The file.
        name: What messages call it; the path if empty.

    Raises:
        InputError: The file cannot be read, or is no plan.
    """
    import tomllib  # noqa: PLC0415 - most builds have no plan

    name = name or str(path)
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError as error:
        raise InputError(f"{name}: a plan wanted, found {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: a plan in TOML wanted: {error}") from None
    version = found.get("version", _EXACT_VERSION)
    if version not in (_EXACT_VERSION, VERSION) or isinstance(version, bool):
        raise InputError(f"{name}: a plan of version {_EXACT_VERSION} or {VERSION} wanted, found {version!r:.60}")
    return _Reader(name, exact=version == _EXACT_VERSION).plan(found)


class _Reader:
    """Turn what TOML says into rules, or refuse it with the plan's name."""

    def __init__(self, name: str, *, exact: bool) -> None:
        self.name = name
        self.exact = exact

    def plan(self, found: dict[str, Any]) -> Plan:
        known = ("version", "modes", "include", "exclude", "eliminate", "merge", "split")
        self._expect_known("", found, known)
        if self.exact:
            return Plan(exclude=tuple(self._identity(entry) for entry in self._entries(found, "exclude")))
        return Plan(
            self._modes("modes", found["modes"]) if "modes" in found else None,
            tuple(self._include(entry) for entry in self._entries(found, "include")),
            tuple(self._exclude("exclude", entry) for entry in self._entries(found, "exclude")),
            tuple(self._exclude("eliminate", entry) for entry in self._entries(found, "eliminate")),
            tuple(self._merge(entry) for entry in self._entries(found, "merge")),
            tuple(self._split(entry) for entry in self._entries(found, "split")),
        )

    def _refuse(self, wanted: str, found: object) -> InputError:
        return InputError(f"{self.name}: {wanted} wanted, found {found!r:.120}")

    def _entries(self, found: dict[str, Any], table: str) -> list[Any]:
        entries = found.get(table, [])
        if not isinstance(entries, list):
            raise self._refuse(f"{table} as a list of regions", entries)
        return entries

    def _expect_known(self, table: str, entry: Mapping[str, Any], known: Iterable[str]) -> None:
        known = tuple(known)
        for key in () if self.exact else entry:
            if key not in known:
                where = f"{table}: " if table else ""
                raise InputError(f"{self.name}: {where}no key of a plan: {key!r:.60}; {way_out(key, known)}")

    def _identity(self, entry: Any) -> Exclude:
        match entry:
            case {"kind": str(kind), "file": str(file), "function": str(function), **rest}:
                ordinal, reason = rest.get("ordinal", 0), rest.get("reason", "")
                if isinstance(ordinal, int) and isinstance(reason, str):
                    return Exclude(Pattern(kind, None, file, function, ordinal, exact=True), reason)
        raise self._refuse("kind, file, function, ordinal and reason of a region", entry)

    def _pattern(self, table: str, entry: Any, *more: str, may_be_empty: bool = False) -> Pattern:
        if not isinstance(entry, dict):
            raise self._refuse(f"{table}: keys of regions", entry)
        self._expect_known(table, entry, (*_KEYS, *more))
        values = {key: entry[key] for key in _KEYS if key in entry}
        if not values and not may_be_empty:
            raise self._refuse(f"{table}: {', '.join(_KEYS[:-1])} or {_KEYS[-1]}", entry)
        for key, value in values.items():
            wanted = int if key == "ordinal" else str
            if not isinstance(value, wanted) or isinstance(value, bool):
                raise self._refuse(f"{table}: {key} as {'a number' if wanted is int else 'a text'}", value)
        kind = values.get("kind")
        if kind is not None and not any(fnmatchcase(known, kind) for known in KINDS):
            raise InputError(f"{self.name}: {table}: no kind of regions: {kind!r:.60}; {way_out(kind, sorted(KINDS))}")
        return Pattern(**values)

    def _include(self, entry: Any) -> Include:
        # An entry that was turned round keeps the reason that it had.
        pattern = self._pattern(
            "include", entry, "modes", "reason", may_be_empty=isinstance(entry, dict) and "modes" in entry
        )
        modes = self._modes("include: modes", entry["modes"]) if "modes" in entry else ()
        if not modes and "modes" in entry:
            raise self._refuse("include: modes as a list of one or more names, or no modes for all", entry["modes"])
        return Include(pattern, modes)

    def _exclude(self, table: str, entry: Any) -> Exclude:
        return Exclude(self._pattern(table, entry, "reason"), self._text(table, entry, "reason"))

    def _merge(self, entry: Any) -> Merge:
        if not isinstance(entry, dict):
            raise self._refuse("merge: function and regions", entry)
        self._expect_known("merge", entry, ("file", "function", "regions", "name"))
        regions = entry.get("regions")
        if not isinstance(regions, list) or len(regions) < 2 or not all(isinstance(each, str) for each in regions):
            raise self._refuse("merge: regions as a list of two or more names", regions)
        if not self._text("merge", entry, "function"):
            raise self._refuse("merge: the function of the regions", entry)
        file = self._text("merge", entry, "file") if "file" in entry else None
        return Merge(file, entry["function"], tuple(regions), self._text("merge", entry, "name"))

    def _split(self, entry: Any) -> Split:
        pattern = self._pattern("split", entry, "into")
        into = entry.get("into", _PARTS[0])
        if into not in _PARTS:
            raise self._refuse(f"split: into = {' or '.join(map(json.dumps, _PARTS))}", into)
        return Split(pattern, into)

    def _text(self, table: str, entry: dict[str, Any], key: str) -> str:
        value = entry.get(key, "")
        if not isinstance(value, str):
            raise self._refuse(f"{table}: {key} as a text", value)
        return value

    def _modes(self, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self._refuse(f"{key} as a list of names", value)
        try:
            return modes_of(value, f"{self.name}: {key}")
        except UsageError as error:
            raise InputError(str(error)) from None


def save_plan(path: Path, plan: Plan, head: str = "") -> None:
    """Write a plan; what is read back is the same.

    Args:
        path: The file.
        plan: The plan.
        head: Lines of comment for its top, each with its ``#``.

    Raises:
        InputError: The file cannot be written.
    """
    with replacing(path) as stream:
        stream.write("".join(_lines(plan, head)).encode("utf-8", "surrogateescape"))


def _lines(plan: Plan, head: str) -> Iterator[str]:
    yield head
    yield f"version = {VERSION}\n"
    if plan.modes is not None:
        yield f"modes = {_value(plan.modes)}\n"
    for include in plan.include:
        yield from _entry("include", {**include.pattern.keys(), "modes": include.modes or None}, include.comment)
    for table, rules in (("exclude", plan.exclude), ("eliminate", plan.eliminate)):
        for rule in rules:
            yield from _entry(table, {**rule.pattern.keys(), "reason": rule.reason or None}, rule.comment)
    for merge in plan.merge:
        keys = {"file": merge.file, "function": merge.function, "regions": merge.regions, "name": merge.name or None}
        yield from _entry("merge", keys)
    for split in plan.split:
        yield from _entry("split", {**split.pattern.keys(), "into": split.into})


def _entry(table: str, keys: Mapping[str, Any], comment: str = "") -> Iterator[str]:
    said = "".join(each if each.isprintable() else " " for each in comment)
    yield f"\n[[{table}]]{'  # ' if said else ''}{said}\n"
    yield from (f"{key} = {_value(value)}\n" for key, value in keys.items() if value is not None)


def _value(value: object) -> str:
    """Spell a value: what JSON escapes, TOML does in the same way."""
    found = list(value) if isinstance(value, tuple) else value
    return json.dumps(found, ensure_ascii=False).replace("\x7f", "\\u007f")
