"""What to try, and where to look for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .expression import Expression
from .nest import Loop, Procedure, SourceFile, Statement, statements
from .spelling import spell

__all__ = ["HIGH", "LOW", "MEDIUM", "Advice", "Site"]

HIGH, MEDIUM, LOW = "high", "medium", "low"


@dataclass(frozen=True)
class Advice:
    """A thing to try.

    Attributes:
        kind: The module that gives it.
        text: What is seen, and what to try, in one sentence.
        places: Each place that it names, as ``file:line``; that to change first.
        evidence: What it rests on.
        gain: Seconds that it may save at most; None where that is not known.
        confidence: ``high``: the code is as it says, and the cure fits the cause; ``medium``: one of both is likely;
            ``low``: worth a look.
    """

    kind: str
    text: str
    places: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    gain: float | None = None
    confidence: str = MEDIUM


@dataclass(frozen=True)
class Site:
    """A region of a finding in its source.

    Attributes:
        source: The file.
        procedure: What the region is, or is in.
        first: The region's first line.
        last: Its last line.
        causes: Why it is a finding: attributes such as ``l1_miss_rate``, and ``waiting``, ``small_calls``, and
            ``ranks`` or ``threads`` if these differ.
        gain: Seconds that a perfect fix saves.
        numbers: What was measured of it: ``visits``, ``io_calls``, ``io_bytes``, ``mpi_calls``, ``mpi_bytes`` of all
            ranks; ``visits_apart`` and ``instructions_apart``, the most of a rank over the least.
        sources: All files that were read, by name.
        turns_apart: Tells of a loop of a file how many turns the rank with the most takes over the least; None where
            nothing counts them.
    """

    source: SourceFile
    procedure: Procedure
    first: int
    last: int
    causes: frozenset[str] = frozenset()
    gain: float | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)
    sources: Mapping[str, SourceFile] = field(default_factory=dict)
    turns_apart: Callable[[SourceFile, Loop], float | None] = lambda _, __: None

    @cached_property
    def statements(self) -> tuple[tuple[Statement, tuple[Loop, ...]], ...]:
        """The statements of the region, each with the loops around it, outermost first; those outside of it, too."""
        found = statements(self.procedure.body)
        return tuple((each, loops) for each, loops in found if self.first <= each.line <= self.last)

    @property
    def loops(self) -> Iterator[tuple[Loop, tuple[Loop, ...]]]:
        """The loops of the region, each with those around it."""
        return ((each, loops) for each, loops in self.statements if isinstance(each, Loop))

    @property
    def innermost(self) -> Iterator[tuple[Loop, tuple[Loop, ...]]]:
        """The loops of the region that hold no others, each with those around it."""
        for loop, around in self.loops:
            if not any(isinstance(each, Loop) for each, _ in statements(loop.body)):
                yield loop, around

    def spell(self, expression: Expression | None) -> str:
        """Spell an expression in the file's language."""
        return spell(expression, self.source.layout)

    def place(self, line: int, source: SourceFile | None = None) -> str:
        """Name a place."""
        return f"{(source or self.source).path}:{line}"
