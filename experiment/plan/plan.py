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
identity. In the entries that runs write, ``texts`` says for which texts of the file they hold: ordinals mean other
regions in others.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from ..region import Region
from .pattern import Pattern

__all__ = [
    "PARTS",
    "VERSION",
    "Exclude",
    "Include",
    "Merge",
    "Plan",
    "Split",
    "build_line",
]

VERSION: Final = 2
PARTS: Final = ("loops", "blocks")
_MEMBER: Final = re.compile(r"(?P<kind>[a-z]+)#(?P<ordinal>\d+)")

# Languages by the ends of files' names, and how makefiles are told their compilers.
_COMPILERS: Final = (
    (re.compile(r"\.[ch]$"), "CC=aa-mpicc"),
    (re.compile(r"\.(C|H|cc|cp|cpp|CPP|cxx|c\+\+|hh|hpp|hxx|h\+\+|tcc)$"), "CXX=aa-mpicxx"),
    (re.compile(r"\.(f|for|ftn|fpp|f\d\d)$", re.I), "FC=aa-mpifort"),
)


class Include(NamedTuple):
    """Regions that are made beyond the modes.

    Attributes:
        pattern: Which.
        modes: Only those that belong to these modes; all if none are named, also those left out for being tiny.
        comment: What a reader is told; not read back.
    """

    pattern: Pattern
    modes: tuple[str, ...] = ()
    comment: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Include) and self[:-1] == other[:-1]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:-1])


class Exclude(NamedTuple):
    """Regions that are not made; their time goes to what they lie in.

    Attributes:
        pattern: Which.
        reason: Why.
        comment: What a reader is told; not read back.
        texts: The texts of its file that the rule holds for, as ``Region.text`` names them; any if there are none.
    """

    pattern: Pattern
    reason: str = ""
    comment: str = ""
    texts: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exclude) and self._replace(comment="")[:] == other._replace(comment="")[:]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._replace(comment="")[:])

    def matches(self, region: Region) -> bool:
        """Tell whether a region is meant, in the text that it has now."""
        return (not self.texts or region.text in self.texts) and self.pattern.matches(region)


class Merge(NamedTuple):
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


class Split(NamedTuple):
    """Regions that are opened.

    Attributes:
        pattern: Which.
        into: ``loops``: those right in it become regions. ``blocks``: so does every statement right in it that holds
            others, and what stands between them.
    """

    pattern: Pattern
    into: str = "loops"


class Plan(NamedTuple):
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
        """Give each rule's table and pattern, but for those of ``merge``, or of certain texts."""
        for table, rule in self._rules():
            if not getattr(rule, "texts", ()):
                yield table, rule.pattern

    def files(self) -> frozenset[str]:
        """Give the files that rules name."""
        return frozenset(rule.pattern.file for _, rule in self._rules() if rule.pattern.file)

    def _rules(self) -> Iterator[tuple[str, Include | Exclude | Split]]:
        for table in ("include", "exclude", "eliminate", "split"):
            for rule in getattr(self, table):
                yield table, rule


def build_line(path: Path, plan: Plan | None = None) -> str:
    """Give the line for a shell that builds by a plan, from whatever folders the build calls the compiler.

    Args:
        path: Where the plan is.
        plan: What is in it: its files tell which compilers there are.
    """
    files = plan.files() if plan else frozenset()
    compilers = [compiler for language, compiler in _COMPILERS if any(map(language.search, files))]
    line = f"AUTOANALYZER_PLAN={shlex.quote(str(path.resolve()))} make {' '.join(compilers or _COMPILERS[0][1:])}"
    return "".join(each if each.isprintable() else "?" for each in line)
