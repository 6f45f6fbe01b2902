"""Find the code regions in C and C++: functions and lambdas, and the loops, constructs and calls in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from typing import Final

from ...errors import SourceError
from ...experiment.plan.mode import CALL_MODES
from ...experiment.region import Region
from ..choice import Choice
from ..code_region import CodeRegion, CodeRegions
from ..size import SHORT, SHORT_REASON, TINY, TINY_REASON
from ..syntax import Body, Syntax, UnreadError
from .calls import LibraryCalls
from .judge import Judge
from .lexer import statement_end
from .parts import planned_parts
from .pragmas import Construct, block_start, constructs, guard_start, nested_by_directive
from .preprocessed import Preprocessed, readable
from .reader import read
from .statement_cost import StatementCost

__all__ = ["find_regions"]

_YIELDING: Final = ("tiny", "short")  # reasons that begin with these words do not apply to regions that a plan includes


def find_regions(
    unit: Preprocessed,
    choice: Choice,
    *,
    cxx: bool,
    flags: tuple[str, ...],
    openmp: bool,
    literal_guards: bool,
) -> CodeRegions:
    """Return the regions of a translation unit, with reasons why some cannot be instrumented.

    Args:
        unit: The source, preprocessed.
        choice: The requested regions; regions of other modes need not be found.
        cxx: Whether the source is C++.
        flags: Compiler options that select the dialect of C or C++.
        openmp: Whether OpenMP's constructs are regions, too.
        literal_guards: Whether guards are allowed in constant evaluation.

    Raises:
        SourceError: The unit as a whole cannot be read.
        InputError: The parser cannot be loaded.
    """
    try:
        syntax = read(unit, flags, cxx=cxx, calls=choice.wants(*CALL_MODES))
        judge = Judge(unit, syntax, cxx=cxx, literal_guards=literal_guards)
        return _Finder(judge, syntax, choice, cxx=cxx, openmp=openmp).find()
    except UnreadError as error:
        raise _source_error(unit, error.offset, str(error)) from None


def _source_error(unit: Preprocessed, offset: int, message: str) -> SourceError:
    place = unit.place(offset)
    return SourceError(readable(place.file), place.line, place.column, message)


class _Finder:
    """Converts the function bodies of one translation unit to regions."""

    def __init__(self, judge: Judge, syntax: Syntax, choice: Choice, *, cxx: bool, openmp: bool) -> None:
        self.unit = judge.unit
        self.judge = judge
        self.choice = choice
        self.cxx = cxx
        self.openmp = openmp
        self.calls = LibraryCalls(self.unit, syntax, cxx=cxx) if choice.wants(*CALL_MODES) else None
        self.bodies = syntax.bodies
        self.cost = StatementCost(self.unit.masked, syntax.bodies)
        self.names: Counter[tuple[str, str]] = Counter()
        self.overloads = Counter((self._file(body), body.name) for body in syntax.bodies if body.name)

    def find(self) -> CodeRegions:
        found: list[CodeRegion] = []
        problems = []
        functions = self._functions()
        for body in self.bodies:
            region = functions[body.opening]
            if not self.cxx or not any(each.unread for each in body.chain()):
                found.extend(self._judged(body, region))
            if body.unread:
                message = f"{self._what_is_lost(body, region)}: {body.unread.message}"
                problems.append(_source_error(self.unit, body.unread.offset, message))
        ends = {body.name_offset: body.end for body in self.bodies if body.name}
        known = ((call.offset, ends.get(call.callee)) for body in self.bodies for call in body.calls)
        calls = tuple((offset, end) for offset, end in known if end)
        statements = sum(self.cost.statements(body.opening, body.end) for body in self.bodies if body.outer is None)
        return CodeRegions(tuple(found), tuple(problems), calls=calls, statements=statements)

    def _what_is_lost(self, body: Body, region: Region) -> str:
        if self.cxx:
            return f"{region.name} is not instrumented"
        if body.loops:
            return f"calls and some loops of {region.name} may not be instrumented"
        return f"the loops of {region.name} are not instrumented"

    def _functions(self) -> dict[int, Region]:
        """Map the offset of each body to the region of its function.

        If several functions have the same name, a function that exists only to be inlined is numbered last.
        """
        found: dict[int, Region] = {}
        for body in sorted(self.bodies, key=self.judge.is_stand_in):
            found[body.opening] = self._function(body, found[body.outer.opening].function if body.outer else "")
        return found

    def _function(self, body: Body, outer: str) -> Region:
        """Return the region of a function; overloads have parameters in their names, and equal names get a number."""
        place = self.unit.place(body.name_offset)
        file = readable(place.file)
        name = body.name or "::".join([*([outer] if outer else []), "lambda"])
        if self.overloads[place.file, name] > 1:
            name += body.parameters
        self.names[file, name] += 1
        count = self.names[file, name]
        function = f"{name}#{count}" if count > 1 else name
        region = Region("function", "", file, function, 0, place.line, place.line)
        shown = function if body.name else name
        return self.judge.part(region, "function", shown, 0, (body.name_offset, body.end), by_line=not body.name)

    def _file(self, body: Body) -> str:
        return self.unit.place(body.name_offset).file

    def _judged(self, body: Body, region: Region) -> Iterator[CodeRegion]:
        """Yield the regions of a function and of its parts, each with the reason why it has no probe, if any."""
        shared = {each.at for each in self._constructs(body)}
        outermost = self._outermost(body)
        loops = {start: (end, self._why_not_loop(body, start, end, start in shared)) for start, end in outermost}
        is_kept = region.name == "main" or body.unread or self._apart(body, loops)
        reason = self.judge.why_not_whole(body) or ("" if is_kept else self._why_tiny(body, loops))
        yields = reason.startswith(_YIELDING)
        yield CodeRegion(region, block_start(self.unit, body.opening + 1), body.end, reason, yields=yields)
        inner = [
            *self._loops(region, loops, shared, is_often=self._is_nested(body)),
            *self._inner_loops(body, region, loops, shared),
            *self._shared(body, region, loops),
            *(self.calls.regions(body, region, self.judge, self.choice) if self.calls and not body.unread else ()),
        ]
        inner += [] if body.unread else planned_parts(body, region, inner, self.judge, self.choice)
        yield from sorted(inner, key=lambda each: (each.start, -each.end))

    def _why_not_loop(self, body: Body, start: int, end: int, is_shared: bool, *, is_inner: bool = False) -> str:
        """Return why a loop has no probe, or an empty string if it has one.

        A short loop gets no probe if it is entered often, unless a team of threads enters it together.

        Args:
            body: The loop's function.
            start: Offset at which the loop begins.
            end: Offset at which it ends.
            is_shared: Whether a team of threads enters the loop.
            is_inner: Whether the loop is inside another loop.
        """
        is_short = not is_shared and self.cost.executed(body, start, end) <= SHORT
        short = SHORT_REASON if is_short and (is_inner or self._is_often(body)) else ""
        return self.judge.why_not(body, start, end) or short

    def _is_often(self, body: Body) -> bool:
        """Return whether a function may be called often; inline functions may, because other units can call them."""
        return body.name_offset in self.cost.often or self.judge.is_inline(body)

    def _is_nested(self, body: Body) -> bool:
        """Return whether a function may be called in nested loops."""
        return body.name_offset in self.cost.nested or self.judge.is_inline(body)

    def _loops(
        self, function: Region, loops: dict[int, tuple[int, str]], shared: Container[int], *, is_often: bool
    ) -> Iterator[CodeRegion]:
        for ordinal, (start, (end, reason)) in enumerate(loops.items()):
            modes = ("outer-loops", "openmp") if start in shared else ("outer-loops",)
            yield self._loop_region(function, ordinal, (start, end), reason, modes, is_often=is_often)

    def _inner_loops(
        self, body: Body, function: Region, outermost: dict[int, tuple[int, str]], shared: Container[int]
    ) -> Iterator[CodeRegion]:
        """Yield the regions of the inner loops, numbered after the outermost loops.

        Args:
            body: The function.
            function: The function's region.
            outermost: Offset of an outermost loop → its end, and the reason why it has no probe.
            shared: Offsets of loops that OpenMP constructs bind to, which are left out.
        """
        starts = [loop.offset for loop in body.loops]
        if len(starts) == len(outermost) or not self.choice.wants("inner-loops"):
            return
        nested = nested_by_directive(self.unit, starts) if self.unit.pragmas else set()
        for ordinal, start in enumerate((start for start in starts if start not in outermost), len(outermost)):
            if start in shared:
                continue
            end = statement_end(self.unit.masked, start)
            bound = "a directive binds it to the enclosing loop" if start in nested else ""
            reason = bound or self._why_not_loop(body, start, end, False, is_inner=True)
            yield self._loop_region(function, ordinal, (start, end), reason, ("inner-loops",), is_often=True)

    def _loop_region(
        self,
        function: Region,
        ordinal: int,
        place: tuple[int, int],
        reason: str,
        modes: tuple[str, ...],
        *,
        is_often: bool,
    ) -> CodeRegion:
        region = self.judge.part(function, "loop", "loop", ordinal, place)
        yields = reason.startswith(_YIELDING)
        start = guard_start(self.unit, place[0])
        return CodeRegion(region, start, place[1], reason, yields=yields, of_modes=modes, is_often=is_often)

    def _shared(self, body: Body, function: Region, loops: Container[int]) -> Iterator[CodeRegion]:
        """Yield the regions of OpenMP's constructs, which no jump enters or leaves.

        A construct that binds to an inner loop belongs to the modes of both constructs and inner loops.
        """
        for ordinal, each in enumerate(self._apart(body, loops)):
            region = self.judge.part(function, "parallel", each.words, ordinal, (each.at, each.end))
            modes = ("openmp", "inner-loops") if each.binds_loop else ("openmp",)
            yield CodeRegion(region, each.start, each.end, self.judge.why_remote(body, each.at), of_modes=modes)

    def _constructs(self, body: Body) -> Iterator[Construct]:
        if self.openmp:
            found = constructs(self.unit, body.opening, body.end)
            yield from (each for each in found if body.holds(each.at))

    def _apart(self, body: Body, loops: Container[int]) -> list[Construct]:
        """Return a function's OpenMP constructs, except those that bind to an outermost loop."""
        return [each for each in self._constructs(body) if not (each.binds_loop and each.at in loops)]

    def _outermost(self, body: Body) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each outermost loop of a function."""
        end = 0
        for loop in body.loops:
            if loop.offset >= end:
                end = statement_end(self.unit.masked, loop.offset)
                yield loop.offset, end

    def _why_tiny(self, body: Body, loops: dict[int, tuple[int, str]]) -> str:
        """Return why a function is too small for a probe, or an empty string if it is not.

        Args:
            body: The function.
            loops: Offset of an outermost loop → its end, and the reason why it has no probe.
        """
        cost, start, end = self.cost, body.opening, body.end
        inline, often = self.judge.is_inline(body), self._is_often(body)
        is_small = not loops and cost.statements(start, end) <= TINY
        if is_small and not cost.calls(body):
            return TINY_REASON
        may_call = is_small and not cost.is_weighty(body)
        if may_call and inline:
            return f"tiny: inline, no loop, at most {TINY} statements"
        if often and cost.executed(body, start, end) <= SHORT:
            return SHORT_REASON
        if may_call and often and cost.passes(body):
            return f"tiny: no loop, calls in branches only, at most {TINY} statements"
        has_loops = inline and "outer-loops" in self.choice.modes
        long = {loop for loop, (_, reason) in loops.items() if has_loops and not reason}
        if long and cost.executed(body, start, end, long) <= TINY:
            return f"short: inline, at most {TINY} statements are executed outside its loops"
        return ""
