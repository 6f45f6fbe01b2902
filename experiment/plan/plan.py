"""Plans, which define the regions that a build instruments.

Users, runs and ``regions --plan`` write plans; the front ends read them.

.. code-block:: toml

    version = 2
    modes = ["functions", "outer-loops"]   # default: those of the command

    [[include]]                            # in addition to the modes: all loops of one function
    function = "solve"
    file = "solver.c"
    modes = ["inner-loops"]

    [[exclude]]                            # not a region, even if a mode or an include names it
    kind = "function"
    name = "debug_*"

    [[eliminate]]                          # its time belongs to the region around it; regions inside it stay
    function = "solve"
    name = "loop@41"

    [[merge]]                              # two neighbouring regions become one
    file = "solver.c"
    function = "assemble"
    regions = ["loop#0", "loop#1"]
    name = "matrix"

    [[split]]                              # the loops, or the blocks, directly inside a region replace it
    function = "main"
    kind = "loop"
    ordinal = 0
    into = "blocks"

A rule applies to the regions that match all of its keys among ``kind``, ``name``, ``file``, ``function`` and
``ordinal``. Text values may contain the wildcards ``*``, ``?`` and ``[…]``. Kind, file, function and ordinal together
identify a region. Runs add the key ``texts``, with checksums of the versions of the file to which the rule applies,
because an ordinal may identify another region in other versions.
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

# Patterns for the file names of each language, and the makefile variable that selects its compiler.
_COMPILERS: Final = (
    (re.compile(r"\.[ch]$"), "CC=aa-mpicc"),
    (re.compile(r"\.(C|H|cc|cp|cpp|CPP|cxx|c\+\+|hh|hpp|hxx|h\+\+|tcc)$"), "CXX=aa-mpicxx"),
    (re.compile(r"\.(f|for|ftn|fpp|f\d\d)$", re.I), "FC=aa-mpifort"),
)


class Include(NamedTuple):
    """Regions that are instrumented in addition to those of the modes.

    Attributes:
        pattern: The regions.
        modes: The modes to which included regions must belong; if empty, all regions are included, even tiny ones.
        comment: An explanation for readers of the file; it is not read back.
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
    """Regions that are not instrumented; their time is attributed to the enclosing region.

    Attributes:
        pattern: The regions.
        reason: Why they are excluded.
        comment: An explanation for readers of the file; it is not read back.
        texts: The versions of the region's file to which the rule applies, as in ``Region.text``; all if empty.
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
        """Return whether a region matches in the current version of its file."""
        return (not self.texts or region.text in self.texts) and self.pattern.matches(region)


class Merge(NamedTuple):
    """Adjacent regions that become one region, from the first to the last, with everything between them.

    Attributes:
        file: Pattern for their file; None for any file.
        function: Pattern for the enclosing function.
        regions: The regions' names, such as ``loop@41``, or their kinds and ordinals, such as ``loop#0``.
        name: The name of the merged region; if empty, the members' names are combined.
    """

    file: str | None
    function: str
    regions: tuple[str, ...]
    name: str = ""

    def member(self, region: Region) -> int:
        """Return the index of a region among the members; -1 if it is not a member."""
        if Pattern(file=self.file, function=self.function).matches(region):
            for place, word in enumerate(self.regions):
                match = _MEMBER.fullmatch(word)
                if word == region.name or (
                    match and (match["kind"], int(match["ordinal"])) == (region.kind, region.ordinal)
                ):
                    return place
        return -1


class Split(NamedTuple):
    """Regions that are replaced by the parts directly inside them.

    Attributes:
        pattern: The regions.
        into: ``loops``: the loops directly inside become regions. ``blocks``: all compound statements directly inside,
            and the code between them, become regions.
    """

    pattern: Pattern
    into: str = "loops"


class Plan(NamedTuple):
    """How a build divides a program into regions.

    Attributes:
        modes: The modes; None for those of the command, or for the default modes if the command has none.
        include: Regions that are instrumented in addition to those of the modes.
        exclude: Regions that are never instrumented, even if other rules match them.
        eliminate: Regions that are removed, whereas the regions inside them are kept.
        merge: Adjacent regions that are merged.
        split: Regions that are replaced by the parts directly inside them.
    """

    modes: tuple[str, ...] | None = None
    include: tuple[Include, ...] = ()
    exclude: tuple[Exclude, ...] = ()
    eliminate: tuple[Exclude, ...] = ()
    merge: tuple[Merge, ...] = ()
    split: tuple[Split, ...] = ()

    def patterns(self) -> Iterator[tuple[str, Pattern]]:
        """Yield each rule's table and pattern, except for ``merge`` rules and rules with ``texts``."""
        for table, rule in self._rules():
            if not getattr(rule, "texts", ()):
                yield table, rule.pattern

    def files(self) -> frozenset[str]:
        """Return the files that occur in rules."""
        return frozenset(rule.pattern.file for _, rule in self._rules() if rule.pattern.file)

    def _rules(self) -> Iterator[tuple[str, Include | Exclude | Split]]:
        for table in ("include", "exclude", "eliminate", "split"):
            for rule in getattr(self, table):
                yield table, rule


def build_line(path: Path, plan: Plan | None = None) -> str:
    """Return the shell command that builds with a plan; it works in any folder where the build calls the compiler.

    Args:
        path: The plan's file.
        plan: The plan, whose source files determine which compilers are needed.
    """
    files = plan.files() if plan else frozenset()
    compilers = [compiler for language, compiler in _COMPILERS if any(map(language.search, files))]
    line = f"AUTOANALYZER_PLAN={shlex.quote(str(path.resolve()))} make {' '.join(compilers or _COMPILERS[0][1:])}"
    return "".join(each if each.isprintable() else "?" for each in line)
