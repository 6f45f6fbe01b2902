"""A code region and its descriptor, which is the text that identifies it in programs, recorded data and experiments."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final, NamedTuple
from urllib.parse import unquote

from ..errors import InputError

__all__ = ["CALL_KINDS", "DESCRIPTOR_VERSION", "KINDS", "UPWARDS", "Region", "changed_file"]

DESCRIPTOR_VERSION: Final = "aa1"  # twin: AA_DESCRIPTOR_VERSION in runtime/probe/probe.h

KINDS: Final = frozenset({"program", "function", "loop", "parallel", "mpi", "io", "math", "syscall", "library", "user"})
CALL_KINDS: Final = ("math", "mpi", "syscall", "library")

UPWARDS: Final = re.compile(r"^/|^(\.{1,2}/)+")
_ESCAPES: Final = str.maketrans({"%": "%25", "|": "%7C", "\n": "%0A", "\r": "%0D"})


class Region(NamedTuple):
    """A section of code with one entry and one exit (Liu et al. 2011, section 2).

    Attributes:
        kind: One of ``KINDS``.
        name: The name in reports: a function's name, or ``loop@41`` for the loop in line 41.
        file: The source file as named on the compiler's command line; empty if there is none.
        function: The function that encloses the region, or is the region.
        ordinal: The index among the regions of this kind in this function, from 0.
        first_line: First line of the region in ``file``; 0 if unknown.
        last_line: Last line of the region in ``file``; 0 if unknown.
        text: Identifies the version of ``file`` in plans; empty if unknown. Comparisons of regions ignore it.
    """

    kind: str
    name: str
    file: str = ""
    function: str = ""
    ordinal: int = 0
    first_line: int = 0
    last_line: int = 0
    text: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Region) and self[:-1] == other[:-1]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:-1])

    @property
    def identity(self) -> tuple[str, str, str, int]:
        """Kind, file, function and ordinal, which stay the same when lines move."""
        return (self.kind, self.file, self.function or self.name, self.ordinal)

    def is_at(self, place: str) -> bool:
        """Return whether the region begins at ``FILE:LINE``; FILE or the region's file may lack its outer folders."""
        file, _, line = place.rpartition(":")
        if not file or not self.file or line != str(self.first_line):
            return False
        shorter, longer = sorted((UPWARDS.sub("", file), UPWARDS.sub("", self.file)), key=len)
        return f"/{longer}".endswith(f"/{shorter}")

    @property
    def descriptor(self) -> str:
        """The region as text: ``aa1|loop|loop@41|rays.c|trace|0|41|57``, followed by ``text`` if it is known."""
        texts = [text.translate(_ESCAPES) for text in (self.kind, self.name, self.file, self.function)]
        numbers = map(str, (self.ordinal, self.first_line, self.last_line))
        return "|".join([DESCRIPTOR_VERSION, *texts, *numbers, *([self.text] if self.text else [])])

    @classmethod
    def from_descriptor(cls, descriptor: str) -> Region:
        """Parse a descriptor.

        Raises:
            InputError: The text is not a descriptor, or has another version.
        """
        version, *fields = descriptor.split("|")
        if version != DESCRIPTOR_VERSION:
            raise InputError(f"expected a region descriptor of version {DESCRIPTOR_VERSION}, found {descriptor[:60]!r}")
        try:
            kind, name, file, function, ordinal, first, last, *text = fields
            lines = (int(ordinal), int(first), int(last))
            return cls(kind, unquote(name), unquote(file), unquote(function), *lines, *text)
        except (TypeError, ValueError):
            expected = "expected a region descriptor with eight or nine fields"
            raise InputError(f"{expected}, found {descriptor[:200]!r}") from None


def changed_file(before: Iterable[Region], now: Iterable[Region]) -> str | None:
    """Return a source file whose text differs between ``before`` and ``now``; None if no file is known to differ."""
    earlier, later = _texts(before), _texts(now)
    return next((file for file, texts in earlier.items() if file in later and texts.isdisjoint(later[file])), None)


def _texts(regions: Iterable[Region]) -> dict[str, set[str]]:
    """Map each file's name to the identifiers of its texts; files in several folders may have the same name."""
    found: dict[str, set[str]] = defaultdict(set)
    for each in regions:
        if each.text:
            found[each.file].add(each.text)
    return found
