"""Read plans, and refuse invalid ones."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ...errors import InputError, UsageError, way_out
from ..region import KINDS
from .mode import modes_of
from .pattern import KEYS, Pattern, spelled
from .plan import PARTS, VERSION, Exclude, Include, Merge, Plan, Split

__all__ = ["load_plan"]


def load_plan(path: Path, name: str = "") -> Plan:
    """Read a plan.

    Args:
        path: The file.
        name: The file's name in messages; if empty, its path.

    Raises:
        InputError: The file cannot be read, or is not a plan.
    """
    import tomllib  # noqa: PLC0415 - most builds have no plan

    name = name or str(path)
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError as error:
        raise InputError(f"{name}: the plan cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: expected a plan in TOML: {error}") from None
    version = found.get("version")
    if version != VERSION or isinstance(version, bool):
        said = "no version" if version is None else f"version {version!r:.60}"
        raise InputError(f"{name}: expected a plan of version {VERSION}, found {said}; generate the plan again")
    return _Reader(name).plan(found)


class _Reader:
    """Converts TOML to rules, and refuses invalid rules; ``name`` is the plan's name in error messages."""

    def __init__(self, name: str) -> None:
        self.name = name

    def plan(self, found: dict[str, Any]) -> Plan:
        self._expect_known("", found, ("version", "modes", "include", "exclude", "eliminate", "merge", "split"))
        return Plan(
            self._modes("modes", found["modes"]) if "modes" in found else None,
            tuple(map(self._include, self._entries(found, "include"))),
            tuple(self._exclude("exclude", entry) for entry in self._entries(found, "exclude")),
            tuple(self._exclude("eliminate", entry) for entry in self._entries(found, "eliminate")),
            tuple(map(self._merge, self._entries(found, "merge"))),
            tuple(map(self._split, self._entries(found, "split"))),
        )

    def _refuse(self, where: str, expected: str, found: object) -> InputError:
        return InputError(f"{self.name}: {where}: expected {expected}, found {found!r:.120}")

    def _entries(self, found: dict[str, Any], table: str) -> list[dict[str, Any]]:
        entries = found.get(table, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise self._refuse(table, "a list of rules", entries)
        return entries

    def _expect_known(self, table: str, entry: Mapping[str, Any], known: tuple[str, ...]) -> None:
        for key in entry:
            if key not in known:
                where = f"{table}: " if table else ""
                raise InputError(f"{self.name}: {where}a plan has no key {key!r:.60}; {way_out(key, known)}")

    def _pattern(self, table: str, entry: dict[str, Any], *more: str) -> Pattern:
        self._expect_known(table, entry, (*KEYS, *more))
        values = {key: entry[key] for key in KEYS if key in entry}
        if not values and "modes" not in entry:
            raise self._refuse(table, f"{', '.join(KEYS[:-1])} or {KEYS[-1]}", entry)
        for key, value in values.items():
            of = int if key == "ordinal" else str
            if not isinstance(value, of) or isinstance(value, bool):
                raise self._refuse(f"{table}: {key}", "a number" if of is int else "a string", value)
        kind = values.get("kind")
        if kind is not None and not any(fnmatchcase(known, kind) for known in KINDS):
            raise InputError(f"{self.name}: {table}: no region kind {kind!r:.60}; {way_out(kind, sorted(KINDS))}")
        return Pattern(**values)

    def _include(self, entry: dict[str, Any]) -> Include:
        # ``reason`` and ``texts`` are accepted, because ``regions --plan`` keeps them when it reverses a rule.
        pattern = self._pattern("include", entry, "modes", "reason", "texts")
        modes = self._modes("include: modes", entry["modes"]) if "modes" in entry else ()
        if not modes and "modes" in entry:
            raise self._refuse(
                "include: modes", "at least one mode, or no modes key, which means all modes", entry["modes"]
            )
        return Include(pattern, modes)

    def _exclude(self, table: str, entry: dict[str, Any]) -> Exclude:
        pattern = self._pattern(table, entry, "reason", "texts")
        texts = self._strings(f"{table}: texts", entry.get("texts", []))
        return Exclude(pattern, self._text(table, entry, "reason"), texts=texts)

    def _merge(self, entry: dict[str, Any]) -> Merge:
        self._expect_known("merge", entry, ("file", "function", "regions", "name"))
        regions = entry.get("regions")
        if not isinstance(regions, list) or len(regions) < 2 or not all(isinstance(each, str) for each in regions):
            raise self._refuse("merge: regions", "a list of two or more names", regions)
        if not self._text("merge", entry, "function"):
            raise self._refuse("merge", "the function of the regions", entry)
        file = self._text("merge", entry, "file") if "file" in entry else None
        return Merge(file, entry["function"], tuple(regions), self._text("merge", entry, "name"))

    def _split(self, entry: dict[str, Any]) -> Split:
        pattern = self._pattern("split", entry, "into")
        into = entry.get("into", PARTS[0])
        if into not in PARTS:
            raise self._refuse("split: into", " or ".join(map(spelled, PARTS)), into)
        return Split(pattern, into)

    def _text(self, table: str, entry: dict[str, Any], key: str) -> str:
        value = entry.get(key, "")
        if not isinstance(value, str):
            raise self._refuse(f"{table}: {key}", "a string", value)
        return value

    def _modes(self, key: str, value: object) -> tuple[str, ...]:
        try:
            return modes_of(self._strings(key, value), f"{self.name}: {key}")
        except UsageError as error:
            raise InputError(str(error)) from None

    def _strings(self, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self._refuse(key, "a list of names", value)
        return tuple(value)
