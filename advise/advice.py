"""Suggestions and the source locations that they refer to."""

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
    """A suggestion.

    Attributes:
        kind: Kind of the suggestion, such as ``division of work``.
        text: The observation and what to try, in one sentence.
        places: The source lines that the text names, as ``file:line``; the line to change comes first.
        evidence: Observations that support the suggestion.
        gain: Upper limit of the time that the suggestion may save, in seconds; None if unknown.
        confidence: ``high``: the code is as described, and the remedy fits the cause; ``medium``: only one of these is
            certain; ``low``: worth a look.
        reason: The part of the text that explains why ranks or threads differ; empty if the text does not explain it.
    """

    kind: str
    text: str
    places: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    gain: float | None = None
    confidence: str = MEDIUM
    reason: str = ""

    @property
    def remedy(self) -> str:
        """What to try: the text without the reason."""
        return self.text.removeprefix(f"{self.reason}: ").removesuffix(f": {self.reason}") if self.reason else self.text


@dataclass(frozen=True)
class Site:
    """The source of a finding's region, with its causes and measurements.

    Attributes:
        source: The file.
        procedure: The procedure that is, or contains, the region.
        first: The region's first line.
        last: The region's last line.
        causes: Reasons for the finding: attributes such as ``l1_miss_rate``, or ``waiting``, ``small_calls``, ``ranks``
            (the ranks differ) or ``threads`` (the threads differ).
        gain: Seconds that a perfect fix would save.
        numbers: The region's measurements. ``visits``, ``io_calls``, ``io_bytes``, ``mpi_calls`` and ``mpi_bytes`` are
            sums over all ranks. ``entries`` and ``entries_around`` are the visits of the region's call path and of its
            parent, also summed over all ranks. ``visits_per_rank`` is the largest number of visits on any rank.
            ``visits_apart`` and ``instructions_apart`` are the ratios of the largest value on any rank to the smallest.
        sources: All files that were read, by name.
        turns_apart: Returns a loop's largest number of iterations on any rank, divided by its smallest number; None if
            its iterations are not counted.
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
        """The region's statements, each with its enclosing loops, outermost first."""
        found = statements(self.procedure.body)
        return tuple((each, loops) for each, loops in found if self.first <= each.line <= self.last)

    @property
    def loops(self) -> Iterator[tuple[Loop, tuple[Loop, ...]]]:
        """The region's loops, each with its enclosing loops."""
        return ((each, loops) for each, loops in self.statements if isinstance(each, Loop))

    @property
    def innermost(self) -> Iterator[tuple[Loop, tuple[Loop, ...]]]:
        """The region's innermost loops, each with its enclosing loops."""
        for loop, around in self.loops:
            if not any(isinstance(each, Loop) for each, _ in statements(loop.body)):
                yield loop, around

    def spell(self, expression: Expression | None) -> str:
        """Return an expression in the file's language."""
        return spell(expression, self.source.layout)

    def place(self, line: int, source: SourceFile | None = None) -> str:
        """Return a source line as ``file:line``."""
        return f"{(source or self.source).path}:{line}"
