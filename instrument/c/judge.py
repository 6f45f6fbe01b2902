"""Why a guard may not be around a part of a function, and what such a part is called."""

from __future__ import annotations

import re
from sys import maxsize
from typing import Final, Protocol

from ...experiment.region import Region
from .function import Function
from .pragmas import device_text
from .preprocessed import Preprocessed
from .sanitise import Digest
from .syntax import Tree

__all__ = ["TINY", "Judge", "NamePart", "count_statements", "readable", "resolvers", "why_exempt"]

TINY: Final = 20
"""Statements of a function up to which a probe may cost as much as it."""

_STATEMENT: Final = re.compile(r";|\b(?:if|switch)\b")
_EXEMPT: Final = re.compile(
    r"(?:\b__attribute(?:__)?\s*\(\s*\((?:[^()]|\([^()]*\))*?|\[\s*\[[^\]]*?)"
    r"\b(?:__)?(naked|no_instrument_function|interrupt|signal)(?:__)?\b"
)
_RESOLVER: Final = re.compile(r'\b(?:__)?ifunc(?:__)?\s*\(\s*"([^"]+)"')


def readable(latin: str) -> str:
    """Decode a name from the text, whose characters are bytes."""
    return latin.encode("latin-1").decode("utf-8", "surrogateescape")


def count_statements(masked: str, start: int, end: int) -> int:
    """Count the statements of a text."""
    return len(_STATEMENT.findall(masked, start, end))


def why_exempt(masked: str, start: int = 0, end: int = maxsize) -> str:
    """Name the attribute in a declaration by which a function must not be touched; empty if there is none."""
    match = _EXEMPT.search(masked, start, end)
    return f"attribute {match[1]}" if match else ""


def resolvers(unit: Preprocessed) -> dict[str, str]:
    """Give the functions that choose others before a program has begun, each with that reason against it."""
    found = _RESOLVER.finditer(unit.text) if "ifunc" in unit.text else ()
    return {match[1]: "resolver of an indirect function" for match in found}


class NamePart(Protocol):
    """What names the parts of a function."""

    def __call__(self, kind: str, name: str, ordinal: int, place: tuple[int, int], *, by_line: bool = True) -> Region:
        """Give the region of a part, given the offsets of its text."""


class Judge:
    """Judge the parts of the functions of one unit.

    Args:
        unit: The text.
        tree: Its syntax.
        digest: What the parser was not told.
        exempt: Functions that must not be touched, each with the reason.
    """

    def __init__(self, unit: Preprocessed, tree: Tree, digest: Digest, exempt: dict[str, str]) -> None:
        self.unit = unit
        self.tree = tree
        self.digest = digest
        self.exempt = exempt
        self._device = device_text(unit)

    def part(
        self, function: Function, kind: str, name: str, ordinal: int, place: tuple[int, int], *, by_line: bool = True
    ) -> Region:
        """Name a part of a function, given the offsets of its text, by the line on which that begins."""
        first = self.unit.place(place[0])
        last = self.unit.place(max(place[1] - 1, place[0]))
        last_line = max(last.line, first.line) if last.file == first.file else first.line
        name = f"{name}@{first.line}" if by_line else name
        return Region(kind, name, readable(first.file), function.region.name, ordinal, first.line, last_line)

    def why_remote(self, function: Function, offset: int) -> str:
        """Say why no guard may be at a place at all."""
        on_device = any(low <= offset < high for low, high in self._device)
        return self.exempt.get(function.region.name, "") or ("runs on an accelerator" if on_device else "")

    def why_not(self, function: Function, start: int, end: int) -> str:
        """Say why a guard around a statement, or several, could be jumped over, or left behind."""
        return self.exempt.get(function.region.name, "") or (
            self._why_entered(function, start, end) or self.why_remote(function, start)
        )

    def _why_entered(self, function: Function, start: int, end: int) -> str:
        jumps = function.jumps

        def inside(offset: int) -> bool:
            return start <= offset < end

        for offset, label in jumps.gotos:
            if not inside(offset) and inside(jumps.labels.get(label, -1)):
                return f"entered by goto {label}"
        if any(inside(case) and not inside(switch) for case, switch in jumps.cases):
            return "entered by a case label of a switch around it"
        taken = [jumps.labels[label] for label in self.digest.address_taken if label in jumps.labels]
        dynamic = [inside(offset) for offset in [*taken, *jumps.indirect]]
        if taken and any(dynamic) and not all(dynamic):
            return "entered or left by a computed goto"
        return ""
