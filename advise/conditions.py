"""Conditions of a preprocessor: how a program was built is not known, but where it was is told by what ran."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

__all__ = ["all_but_last", "settled"]

_DIRECTIVE: Final = re.compile(rb"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b")
_CONTINUED: Final = re.compile(rb"\\[ \t]*\r?\n?\Z")


@dataclass(slots=True)
class _Chain:
    """A condition with all its arms.

    Attributes:
        directives: The lines of each directive, the last of them those of ``#endif``; each arm stands between two.
    """

    directives: list[range] = field(default_factory=list)

    def arms(self) -> Iterator[range]:
        """Give the lines of each arm."""
        for before, after in zip(self.directives, self.directives[1:], strict=False):
            yield range(before.stop, after.start)

    def told(self, lines: Collection[int]) -> range | None:
        """Give the arm that holds some of the lines, if it is the only one."""
        arms = [arm for arm in self.arms() if any(line in arm for line in lines)]
        return arms[0] if len(arms) == 1 else None


def settled(text: bytes, lines: Collection[int]) -> bytes:
    """Give a source without the arms that were not built, where lines tell; the numbers of lines stay.

    Args:
        text: A source of C, C++ or Fortran.
        lines: Numbers of lines that were built, as code regions begin there. A condition is settled by them if they are
            in one of its arms alone.
    """
    written = text.splitlines(keepends=True)
    gone: set[int] = set()
    for chain in _chains(written) if lines else ():
        if (arm := chain.told(lines)) is not None:
            gone.update(range(chain.directives[0].start, chain.directives[-1].stop))
            gone.difference_update(arm)
    return b"".join(b"\n" if number in gone else line for number, line in enumerate(written, 1))


def all_but_last(text: str, lines: Collection[int]) -> set[int]:
    """Give those of some lines of which the same condition has others in a later arm, as no two arms are built."""
    found: set[int] = set()
    for chain in _chains([line.encode(errors="replace") for line in text.split("\n")]):
        among = [{line for line in lines if line in arm} for arm in chain.arms()]
        found.update(*[each for each in among if each][:-1])
    return found


def _chains(written: list[bytes]) -> list[_Chain]:
    """List the conditions that end, outer ones before those in them."""
    found: list[_Chain] = []
    opened: list[_Chain] = []
    number = 1
    while number <= len(written):
        match, last = _DIRECTIVE.match(written[number - 1]), number
        if match:
            while last < len(written) and _CONTINUED.search(written[last - 1]):
                last += 1
            word = match[1]
            if word.startswith(b"if"):
                opened.append(_Chain())
                found.append(opened[-1])
            if opened:
                opened[-1].directives.append(range(number, last + 1))
            if word == b"endif" and opened:
                opened.pop()
        number = last + 1
    return [each for each in found if each not in opened]
