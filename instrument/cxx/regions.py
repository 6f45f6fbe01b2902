"""The code regions of a C++ translation unit: its functions and lambdas, and the outermost loops of each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterator
from functools import partial
from typing import Final

from ...errors import SourceError
from ...experiment.plan.mode import CALL_MODES
from ...experiment.region import Region
from ..c.calls import call_regions
from ..c.judge import TINY, readable
from ..c.lexer import LexicalError, statement_end
from ..c.parts import Whole, planned_parts
from ..c.pragmas import Construct, block_start, constructs, guard_start, nested_by_directive
from ..c.preprocessed import Preprocessed
from ..choice import Choice
from ..code_region import CodeRegion, CodeRegions
from .calls import LibraryCalls
from .judge import Judge
from .scopes import Scope, scopes
from .size import Sizes, runs_once
from .standard import guards_are_literal
from .syntax import Unread, parse

__all__ = ["find_regions"]

_SHORT: Final = 200  # statements: what is inline is called often, and a probe costs a good part of them
_MODULE: Final = re.compile(r"\s*(?:export\s+)?(?:module|import)\b")
_YIELDING: Final = ("tiny", "short")
_LAST_ATTRIBUTES: Final = re.compile(r"\]\s*\]\s*\Z")


def find_regions(unit: Preprocessed, flags: tuple[str, ...], choice: Choice, *, openmp: bool) -> CodeRegions:
    """Find the regions of a unit: functions, lambdas and their outermost loops.

    Args:
        unit: The preprocessed text.
        flags: Compiler options that decide what is C++.
        choice: Which regions are wanted.
        openmp: Whether OpenMP's constructs are regions, too.

    Raises:
        SourceError: The unit as a whole cannot be read.
    """
    try:
        return _Finder(unit, flags, choice, openmp=openmp).find()
    except LexicalError as error:
        raise _source_error(unit, error.offset, str(error)) from None


def _source_error(unit: Preprocessed, offset: int, message: str) -> SourceError:
    place = unit.place(offset)
    return SourceError(readable(place.file), place.line, place.column, message)


class _Finder:
    """Turn the bodies of one unit into regions."""

    def __init__(self, unit: Preprocessed, flags: tuple[str, ...], choice: Choice, *, openmp: bool) -> None:
        self.unit = unit
        self.openmp = openmp
        self.choice = choice
        runs = list(unit.runs())
        starts = [start for start, _, _ in runs]

        def is_system(offset: int) -> bool:
            return runs[max(bisect_right(starts, offset) - 1, 0)][2]

        syntax = parse(unit.text.encode("latin-1"), flags, is_system)
        self.unread = syntax.unread
        self.judge = Judge(unit, literal_guards=guards_are_literal(flags))
        self.calls = LibraryCalls(unit, syntax, is_system) if choice.wants(*CALL_MODES) else None
        self.scopes = scopes(syntax, unit.masked)
        self.sizes = Sizes(unit.masked, self.scopes)
        self.names: Counter[tuple[str, str]] = Counter()
        self.overloads = Counter((self._file(scope), scope.body.name) for scope in self.scopes if scope.body.name)

    def find(self) -> CodeRegions:
        broken = self._broken()
        problems = []
        found: list[CodeRegion] = []
        functions: dict[int, str] = {}
        for scope in self.scopes:
            outer = functions.get(scope.outer.body.body, "") if scope.outer else ""
            region = self._function(scope, outer)
            functions[scope.body.body] = region.function
            unread = next((broken[each.body.body] for each in scope.chain() if each.body.body in broken), None)
            if unread is None:
                found.extend(self._judged(scope, region))
            elif scope.body.body in broken:
                message = f"{region.name} is not instrumented: {unread.message}"
                problems.append(_source_error(self.unit, unread.offset, message))
        return CodeRegions(tuple(found), tuple(problems))

    def _broken(self) -> dict[int, Unread]:
        """Give the functions that the parser does not understand, by where they begin.

        Raises:
            SourceError: It does not understand what stands outside of functions.
        """
        broken: dict[int, Unread] = {}
        for unread in self.unread:
            around = [scope for scope in self.scopes if scope.body.start <= unread.offset < scope.body.end]
            if not around:
                line = self.unit.text.rfind("\n", 0, unread.offset) + 1
                is_module = _MODULE.match(self.unit.masked, line)
                message = "modules are left to the compiler" if is_module else unread.message
                raise _source_error(self.unit, unread.offset, message)
            broken.setdefault(around[0].body.body, unread)
        return broken

    def _function(self, scope: Scope, outer: str) -> Region:
        body = scope.body
        place, last_line = self.judge.lines(body.name_offset, body.end)
        file = readable(place.file)
        name = body.name or "::".join([*([outer] if outer else []), "lambda"])
        if self.overloads[place.file, name] > 1:
            name += body.parameters
        self.names[file, name] += 1
        count = self.names[file, name]
        function = f"{name}#{count}" if count > 1 else name
        shown = function if body.name else f"{name}@{place.line}"
        return Region("function", shown, file, function, 0, place.line, last_line)

    def _file(self, scope: Scope) -> str:
        return self.unit.place(scope.body.name_offset).file

    def _judged(self, scope: Scope, region: Region) -> Iterator[CodeRegion]:
        """Give a function and what is in it, each with the reason against it."""
        untouchable = self.judge.why_untouchable(scope)
        inline = self.judge.is_inline(scope)
        loops = {start: self._loop(scope, start, end, inline=inline) for start, end in self._outermost(scope)}
        is_kept = region.name == "main" or bool(self._apart(scope, loops))
        reason = (
            untouchable
            or ("its body is a try block" if self.unit.masked[scope.body.body] != "{" else "")
            or self.judge.why_last(scope)
            or ("" if is_kept else self._why_tiny(scope, loops, inline=inline))
        )
        yields = reason.startswith(_YIELDING)
        yield CodeRegion(region, block_start(self.unit, scope.body.body + 1), scope.body.end, reason, yields=yields)
        inner = [
            *self._loops(scope, region, loops),
            *self._inner_loops(scope, region, loops, inline=inline),
            *self._shared(scope, region, loops),
            *self._calls(scope, region),
        ]
        inner += planned_parts(self._whole(scope, region), inner, self.choice)
        yield from sorted(inner, key=lambda each: (each.start, -each.end))

    def _whole(self, scope: Scope, region: Region) -> Whole:
        return Whole(
            self.unit,
            region,
            scope.body.body,
            scope.body.end,
            partial(self.judge.part, region),
            partial(self.judge.why_not, scope),
            partial(self.judge.spans, scope),
            scope.holds,
        )

    def _loop(self, scope: Scope, start: int, end: int, *, inline: bool) -> tuple[int, str]:
        """Give a loop's end, and the reason against it."""
        return end, self.judge.why_not(scope, start, end) or (self._why_short(scope, start, end) if inline else "")

    def _loops(self, scope: Scope, function: Region, loops: dict[int, tuple[int, str]]) -> Iterator[CodeRegion]:
        shared = {each.at for each in self._constructs(scope)}
        for ordinal, (start, (end, reason)) in enumerate(loops.items()):
            modes = ("outer-loops", "openmp") if start in shared else ("outer-loops",)
            yield self._loop_region(function, ordinal, (start, end), reason, modes)

    def _inner_loops(
        self, scope: Scope, function: Region, outermost: dict[int, tuple[int, str]], *, inline: bool
    ) -> Iterator[CodeRegion]:
        """Give the loops within others, numbered after the outermost."""
        if not self.choice.wants("inner-loops"):
            return
        shared = {each.at for each in self._constructs(scope)}
        nested = nested_by_directive(self.unit, list(scope.loops)) if self.unit.pragmas else set()
        found = [start for start in scope.loops if start not in outermost and start not in shared]
        ends = {start: statement_end(self.unit.masked, start) for start in found}
        found = [start for start in found if not runs_once(self.unit.masked, start, ends[start])]
        for ordinal, start in enumerate(found, len(outermost)):
            end, reason = self._loop(scope, start, ends[start], inline=inline)
            bound = "a directive binds it to the loop around it" if start in nested else ""
            yield self._loop_region(function, ordinal, (start, end), bound or reason, ("inner-loops",))

    def _loop_region(
        self, function: Region, ordinal: int, place: tuple[int, int], reason: str, modes: tuple[str, ...]
    ) -> CodeRegion:
        region = self.judge.part(function, "loop", "loop", ordinal, place)
        yields = reason.startswith(_YIELDING)
        return CodeRegion(region, self._guard_start(place[0]), place[1], reason, yields=yields, of_modes=modes)

    def _shared(self, scope: Scope, function: Region, loops: Container[int]) -> Iterator[CodeRegion]:
        """Give OpenMP's constructs, which no jump enters or leaves."""
        for ordinal, each in enumerate(self._apart(scope, loops)):
            region = self.judge.part(function, "parallel", each.words, ordinal, (each.at, each.end))
            modes = ("openmp", "inner-loops") if each.binds_loop else ("openmp",)
            reason = self.judge.why_untouchable(scope) or self.judge.why_remote(each.at)
            yield CodeRegion(region, each.start, each.end, reason, of_modes=modes)

    def _constructs(self, scope: Scope) -> Iterator[Construct]:
        if self.openmp:
            found = constructs(self.unit, scope.body.body, scope.body.end)
            yield from (each for each in found if scope.holds(each.at))

    def _apart(self, scope: Scope, loops: Container[int]) -> list[Construct]:
        """Give a function's constructs of OpenMP, but for those whose loop is an outermost one."""
        return [each for each in self._constructs(scope) if not (each.binds_loop and each.at in loops)]

    def _calls(self, scope: Scope, function: Region) -> Iterator[CodeRegion]:
        """Give the calls of library functions."""
        if self.calls:
            name, untouchable = partial(self.judge.part, function), self.judge.why_untouchable(scope)
            why_not = (lambda _: untouchable) if untouchable else self.judge.why_remote
            yield from call_regions(self.calls.within(scope), name, why_not, self.choice)

    def _outermost(self, scope: Scope) -> Iterator[tuple[int, int]]:
        """Give start and end of each loop that no other loop of the same function holds."""
        outside = 0
        for start in scope.loops:
            if start < outside:
                continue
            end = statement_end(self.unit.masked, start)
            if not runs_once(self.unit.masked, start, end):
                outside = end
                yield start, end

    def _guard_start(self, loop: int) -> int:
        """Tell where a guard around a loop begins: before its attributes, and pragmas that bind to it."""
        masked = self.unit.masked
        start = guard_start(self.unit, loop)
        while match := _LAST_ATTRIBUTES.search(masked, max(start - 1000, 0), start):
            start = _group_start(masked, match.start() + len(match[0].rstrip()) - 1)
            start = guard_start(self.unit, start)
        return start

    def _why_short(self, scope: Scope, start: int, end: int) -> str:
        if self.sizes.executed(scope, start, end) <= _SHORT:
            return f"short: in an inline function, at most {_SHORT} statements are executed"
        return ""

    def _why_tiny(self, scope: Scope, loops: dict[int, tuple[int, str]], *, inline: bool) -> str:
        """Say why a function is too small for a probe, given its outermost loops, each with the reason against it."""
        body, sizes = scope.body, self.sizes
        if not loops and sizes.statements(body.body, body.end) <= TINY:
            if not sizes.calls(scope):
                return f"tiny: no loop, no call, at most {TINY} statements"
            if inline and not sizes.is_weighty(scope):
                return f"tiny: inline, no loop, at most {TINY} statements"
        if inline and sizes.executed(scope, body.body, body.end) <= _SHORT:
            return f"short: inline, at most {_SHORT} statements are executed"
        long = [start for start, (_, reason) in loops.items() if not reason]
        if (
            inline
            and long
            and "outer-loops" in self.choice.modes
            and sizes.executed(scope, body.body, body.end, long) <= TINY
        ):
            return f"short: inline, at most {TINY} statements are executed outside of its loops"
        return ""


def _group_start(masked: str, end: int) -> int:
    """Give the offset of the bracket that the one at ``end`` closes."""
    depth = 0
    for offset in range(end, -1, -1):
        depth += (masked[offset] == "]") - (masked[offset] == "[")
        if depth == 0:
            return offset
    raise LexicalError(end, "']' is not opened")
