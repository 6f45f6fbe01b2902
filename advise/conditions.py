"""Decide which arms of preprocessor conditions were compiled, from the lines that ran and, if known, the options.

If neither the lines, the options nor the source decide a condition, it is unknown whether its arms were compiled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

__all__ = ["all_but_last", "asks_for_mpi", "defined_in", "doubtful", "resolved", "settled"]

_DIRECTIVE: Final = re.compile(rb"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b")
_DEFINED: Final = re.compile(rb"[ \t]*#[ \t]*define[ \t]+(\w+)")
_NOT_DEFINED: Final = re.compile(rb"(?:ifndef|if[ \t]*![ \t]*defined)\b[ \t(]*(\w+)[ \t)]*$")
_NAME: Final = re.compile(rb"\b[A-Za-z_]\w*")
_COMMENT: Final = re.compile(rb"/\*.*?(?:\*/|$)|//.*", re.S)
_SAME: Final = frozenset(  # macros with the same value in every build on this machine, with any compiler
    (b"defined", b"__cplusplus", b"__GNUC__", b"__linux__", b"__unix__", b"__APPLE__", b"_WIN32", b"WIN32", b"_MSC_VER")
)
_CONDITION: Final = re.compile(r"^[ \t]*#[ \t]*(?:ifdef|if|elif)\b([^\n]*)", re.M)
_OF_MPI: Final = re.compile(r"\b(?:[A-Z0-9]*_)*MPI\b")
_OTHERWISE: Final = frozenset(("NO", "NOT", "WITHOUT", "DISABLE", "OPEN"))
_CONTINUED: Final = re.compile(rb"\\[ \t]*\r?\n?\Z")


@dataclass(slots=True)
class _Chain:
    """A preprocessor condition with all its arms.

    Attributes:
        directives: The line numbers of each directive; the last one is ``#endif``. Arms lie between two directives.
        said: The text of each directive.
    """

    directives: list[range] = field(default_factory=list)
    said: list[bytes] = field(default_factory=list)

    @property
    def names(self) -> set[bytes]:
        """The macros that decide which arm is compiled."""
        asked = (_NAME.findall(each)[1:] for each in self.said)  # skips the word ``if``, ``ifdef`` …
        return {name for names in asked for name in names} - _SAME

    @property
    def lacked(self) -> bytes:
        """The macro whose absence the condition tests, as in ``#ifndef``."""
        match = _NOT_DEFINED.match(self.said[0])
        return match[1] if match else b""

    def arms(self) -> Iterator[range]:
        """Yield the line numbers of each arm."""
        for before, after in zip(self.directives, self.directives[1:], strict=False):
            yield range(before.stop, after.start)

    def told(self, lines: Collection[int]) -> range | None:
        """Return the only arm that contains any of the lines; None if there are several or none."""
        arms = [arm for arm in self.arms() if any(line in arm for line in lines)]
        return arms[0] if len(arms) == 1 else None


def settled(text: bytes, lines: Collection[int]) -> bytes:
    """Return a source without the arms that, according to ``lines``, were not compiled; line numbers stay the same.

    Args:
        text: A source of C, C++ or Fortran.
        lines: Numbers of lines that are known to have been compiled, because code regions begin there. They decide a
            condition if they are in only one of its arms.
    """
    written = text.splitlines(keepends=True)
    gone: set[int] = set()
    for chain in _chains(written) if lines else ():
        if (arm := chain.told(lines)) is not None:
            gone.update(range(chain.directives[0].start, chain.directives[-1].stop))
            gone.difference_update(arm)
    return b"".join(b"\n" if number in gone else line for number, line in enumerate(written, 1))


def resolved(text: bytes, skipped: Collection[int], wrong: Collection[int], is_known: Callable[[str], bool]) -> bytes:
    """Return a source after resolving the conditions that the preprocessor decided; line numbers stay the same.

    Args:
        text: A source of C, C++ or Fortran.
        skipped: Numbers of the lines that the preprocessor has skipped.
        wrong: Numbers of the directives that the preprocessor could not evaluate.
        is_known: Returns whether the preprocessor had the same definition of a macro as the compiler.
    """
    written = text.splitlines(keepends=True)
    gone: set[int] = set()
    for chain in _chains(written):
        begins = {each.start for each in chain.directives}
        if begins.isdisjoint(wrong) and all(is_known(each.decode()) for each in chain.names):
            gone.update(*chain.directives)
            gone.update(line for line in range(chain.directives[0].stop, chain.directives[-1].start) if line in skipped)
    return b"".join(b"\n" if number in gone else line for number, line in enumerate(written, 1))


def doubtful(text: bytes, told: Collection[str] = ()) -> frozenset[int]:
    """Return the lines that may or may not have been compiled, because their conditions depend on build options.

    Args:
        text: A source whose other conditions are ``settled``.
        told: Macros whose values are known and macros that are known to be undefined.
    """
    written = text.splitlines(keepends=True)
    known = {each.encode() for each in told}
    found: set[int] = set()
    for chain in _chains(written):
        if chain.names <= known or _only_defines(chain, written):
            continue
        found.update(range(chain.directives[0].start, chain.directives[-1].stop))
    return frozenset(found)


def defined_in(text: bytes, told: Collection[str] = ()) -> frozenset[str]:
    """Return the known macros and those that a source defines in every build; ``#ifndef`` defaults do not count.

    Args:
        text: The source.
        told: Macros that are known already.
    """
    written = text.splitlines(keepends=True)
    chains = _chains(written)
    known = frozenset(told)
    while True:  # repeats, because a definition may decide further conditions
        doubts = doubtful(text, known)
        found = set(known)
        for number, line in enumerate(written, 1):
            if (match := _DEFINED.match(line)) and number not in doubts:
                around = (each for each in chains if each.directives[0].start < number < each.directives[-1].start)
                if all(each.lacked != match[1] for each in around):
                    found.add(match[1].decode())
        if found == known:
            return known
        known = frozenset(found)


def asks_for_mpi(text: str) -> list[str]:
    """Return the macros by which a file tests whether it is built with MPI, such as ``USE_MPI``.

    Args:
        text: The file's content.
    """
    conditions = re.sub(r"!\s*(?:defined\b\s*)?\(?\s*\w+", "", " ; ".join(_CONDITION.findall(text)))
    names = dict.fromkeys(_OF_MPI.findall(conditions))
    return [each for each in names if _OTHERWISE.isdisjoint(each.split("_"))]


def _only_defines(chain: _Chain, written: list[bytes]) -> bool:
    """Return whether a condition only defines a missing macro, as an include guard or a default value does."""
    inside = written[chain.directives[0].stop - 1 : chain.directives[-1].start - 1]
    first = next((each for each in inside if each.strip()), b"")
    match = _DEFINED.match(first)
    return len(chain.directives) == 2 and match is not None and match[1] == chain.lacked


def all_but_last(text: str, lines: Collection[int]) -> set[int]:
    """Return the ``lines`` to drop so that, in each condition, only the last arm with any of them keeps its lines."""
    found: set[int] = set()
    for chain in _chains([line.encode(errors="replace") for line in text.split("\n")]):
        among = [{line for line in lines if line in arm} for arm in chain.arms()]
        found.update(*[each for each in among if each][:-1])
    return found


def _chains(written: list[bytes]) -> list[_Chain]:
    """Return all conditions that are closed by an ``#endif``, outer ones before inner ones."""
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
                said = b" ".join(_CONTINUED.sub(b"", each) for each in written[number - 1 : last])
                opened[-1].said.append(_COMMENT.sub(b"", said[match.start(1) :]).strip())
            if word == b"endif" and opened:
                opened.pop()
        number = last + 1
    return [each for each in found if each not in opened]
