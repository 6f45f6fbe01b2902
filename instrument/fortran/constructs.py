"""Find a procedure's OpenMP constructs that each thread of a team enters: parallel regions and worksharing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ..expression import expression
from .lines import Directive
from .meaning import Kind
from .units import Loop, Procedure

__all__ = ["Construct", "find_constructs"]

# Directives without blanks; no clause begins with any of these words.
_CONSTRUCT: Final = expression(
    r"(end)?(parallel|(?=do|loop|sections|single|workshare))"
    r"(do(?!across)|loop|sections|single|workshare|masked|master)?(simd)?"
)
_OF_LOOPS: Final = frozenset({"do", "loop"})


class Construct(NamedTuple):
    """An OpenMP construct.

    Attributes:
        words: The directive: ``parallel``, ``parallel do``, ``single``.
        place: Number, within the procedure, of the first statement in the construct.
        end: For a block, the number of the first statement after it.
        loop: The loop that the construct binds to; None if it is a block between two directives.
        first: The directive that begins the construct.
        last: The directive that ends a block.
    """

    words: str
    place: int
    end: int
    loop: Loop | None
    first: Directive
    last: Directive


def find_constructs(procedure: Procedure) -> list[Construct]:
    """Return the constructs, in order, except those that bind to an outermost loop, which is a region anyway.

    Blocks without an end directive, and loops that share their last statement with an enclosing loop, are left out.
    """
    return sorted(_constructs(procedure), key=lambda each: each.first.start)


def _constructs(procedure: Procedure) -> Iterator[Construct]:
    outermost = {loop.first for loop in procedure.loops}
    opened: list[tuple[str, int, Directive]] = []
    for step in procedure.steps:
        for directive in step.directives:
            ends, words = _read(directive)
            if not words:
                continue
            if _OF_LOOPS.intersection(words.split()):
                last = procedure.ends.get(step.place)
                is_loop = not ends and step.meaning.kind is Kind.DO and step.place not in outermost
                if is_loop and last is not None:
                    yield Construct(words, step.place, last + 1, Loop(step.place, last), directive, directive)
            elif not ends:
                opened.append((words, step.place, directive))
            elif opened and opened[-1][0] == words:
                _, place, first = opened.pop()
                yield Construct(words, place, step.place, None, first, directive)


def _read(directive: Directive) -> tuple[bool, str]:
    """Return whether a directive ends a construct, and the construct's name, if any."""
    match = _CONSTRUCT.match(directive.text.replace(" ", "")) if directive.sentinel == "omp" else None
    if match is None:
        return False, ""
    return bool(match[1]), " ".join(word for word in (match[2], match[3]) if word)
