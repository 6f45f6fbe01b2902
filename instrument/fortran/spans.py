"""Find parts of a procedure that can be regions: consecutive statements in the same constructs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ..expression import expression
from .directives import MARK
from .lines import Directive
from .meaning import Kind
from .units import Procedure, Step

__all__ = ["Mark", "blocks", "find_marks", "why_no_span"]

_MARK: Final = expression(r"(begin|end)\b\s*(.*)")
_BLOCK: Final = expression(
    r"(end)?((?:parallel|target|teams)*(?:sections|single|critical|master|masked|workshare|taskgroup|ordered)"
    r"|(?:target|teams)?parallel(?!do|loop)|task(?!wait|yield|loop|group)|target(?!update|enter|exit)|teams|kernels|serial)"
)
_NO_CALLS: Final = {"where": "in WHERE", "forall": "in FORALL"}
_ENDS_A_LEVEL: Final = {Kind.BRANCH, Kind.END_CONSTRUCT, Kind.END_DO}


class Mark(NamedTuple):
    """A region between ``!$autoanalyzer begin NAME`` and ``end``.

    Attributes:
        name: Name of the region.
        place: Number, within the procedure, of the first statement.
        end: Number of the first statement after the region.
        first: The directive that begins the region.
        last: The directive that ends the region.
        problem: Why the region is invalid; empty if it is valid.
    """

    name: str
    place: int
    end: int
    first: Directive
    last: Directive
    problem: str = ""


def find_marks(procedure: Procedure) -> Iterator[Mark]:
    """Yield the regions that the user has marked in a procedure, inner ones first."""
    opened: list[tuple[str, int, Directive]] = []
    for step in procedure.steps:
        for directive in step.directives:
            if directive.sentinel != MARK:
                continue
            match = _MARK.match(directive.text)
            if match is None:
                message = f"expected 'begin NAME' or 'end' after {MARK}"
                yield Mark("", step.place, step.place, directive, directive, message)
            elif match[1] == "begin":
                opened.append((match[2], step.place, directive))
            elif not opened:
                yield Mark(match[2], step.place, step.place, directive, directive, "has an end but no beginning")
            else:
                name, place, first = opened.pop()
                named = match[2] in {"", name}
                problem = "" if named and name else f"ends as {match[2]}" if name else "has no name"
                yield Mark(name, place, step.place, first, directive, problem)
    for name, place, first in opened:
        yield Mark(name, place, place, first, first, "has no end in its procedure")


def why_no_span(procedure: Procedure, first: int, end: int, mark: Directive | None = None) -> str:
    """Return why statements cannot be a region, disregarding jumps, or an empty string if they can.

    Args:
        procedure: The procedure.
        first: Number of the first statement.
        end: Number of the first statement after the region.
        mark: The directive by which the user marks the region; None if there is none.
    """
    steps = procedure.steps
    level = steps[first].around
    if first >= end or steps[end].around != level:
        return "does not begin and end in the same block"
    for step in steps[first:end]:
        if step.around[: len(level)] != level or (step.around == level and step.meaning.kind in _ENDS_A_LEVEL):
            return "does not begin and end in the same block"
        if step.around == level and step.statement.label in _terminals(procedure, level):
            return "does not begin and end in the same block"
    if not steps[first].is_executable:
        return "begins among declarations"
    offset = mark.start if mark else None
    return why_no_probe(procedure, steps[first], offset) or _why_unbalanced(steps[first : end + 1])


def why_no_probe(procedure: Procedure, step: Step, offset: int | None = None) -> str:
    """Return why no probe may be inserted at a statement, or an empty string if it may.

    Args:
        procedure: The procedure.
        step: The statement.
        offset: Offset of the probe among the directives above the statement; None for the statement itself.
    """
    for place in step.around:
        meaning = procedure.steps[place].meaning
        if meaning.kind is Kind.DO and meaning.word == "concurrent":
            return "in DO CONCURRENT"
        if meaning.kind is Kind.CONSTRUCT and meaning.word in _NO_CALLS:
            return _NO_CALLS[meaning.word]
    at = step.statement.start if offset is None else offset
    return "in WORKSHARE" if any(begin < at < end for begin, end in procedure.workshared) else ""


def blocks(procedure: Procedure, first: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield, for each block between two statements, the numbers of its first statement and of the one after it.

    Loops, and statements with directives or labels, are left out.
    """
    steps = procedure.steps
    if first >= end:
        return
    level = steps[first].around
    run = -1
    place = first
    while place < end and steps[place].around == level:
        step = steps[place]
        after = _behind(procedure, place)
        plain = not step.directives and not step.statement.label
        is_simple = plain and after == place + 1 and step.meaning.kind not in {*_ENDS_A_LEVEL, Kind.DO}
        if is_simple and run < 0:
            run = place
        if not is_simple:
            if run >= 0:
                yield run, place
            run = -1
            if plain and step.meaning.kind is Kind.CONSTRUCT:
                yield place, after
        place = after
    if run >= 0:
        yield run, min(place, end)


def _behind(procedure: Procedure, place: int) -> int:
    """Return the number of the next statement, or of the one after the construct that begins at ``place``."""
    steps = procedure.steps
    depth = len(steps[place].around)
    after = place + 1
    while after < len(steps) and len(steps[after].around) > depth and steps[after].around[depth] == place:
        after += 1
    return after


def _terminals(procedure: Procedure, level: tuple[int, ...]) -> set[str]:
    return {procedure.steps[place].meaning.terminal for place in level} - {""}


def _why_unbalanced(steps: list[Step]) -> str:
    """Return a reason if statements contain only a part of an OpenMP or OpenACC block, or an empty string if not."""
    opened: list[str] = []
    for number, step in enumerate(steps):
        for directive in step.directives:
            words = directive.text.replace(" ", "")
            match = _BLOCK.match(words) if directive.sentinel in {"omp", "acc"} else None
            is_outside = number == 0 or number == len(steps) - 1
            if match is None or (is_outside and not match[1]) or (number == 0):
                continue
            if not match[1]:
                opened.append(match[2])
            elif match[2] in opened:
                opened.remove(match[2])
            elif not is_outside:
                return "splits the block of a directive"
    return "splits the block of a directive" if opened else ""
