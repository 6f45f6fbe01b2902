"""The code regions of a C++ translation unit: its functions and lambdas, and the outermost loops of each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterator
from typing import Final

from ...errors import SourceError
from ...experiment.region import Region
from ..c.lexer import LexicalError, statement_end
from ..c.pragmas import Construct, block_start, constructs, device_text, guard_start
from ..c.preprocessed import Preprocessed
from ..choice import Choice
from ..code_region import CodeRegion, CodeRegions
from ..line_markers import Place
from .jumps import why_entered
from .scopes import Scope, scopes
from .size import Sizes, runs_once
from .syntax import Unread, parse

__all__ = ["find_regions"]

_TINY: Final = 20  # statements: up to that a probe may cost as much as the function
_SHORT: Final = 200  # statements: what is inline is called often, and a probe costs a good part of them
_MODULE: Final = re.compile(r"\s*(?:export\s+)?(?:module|import)\b")
_YIELDING: Final = ("tiny", "short")
_EXEMPT: Final = re.compile(
    r"(?:\b__attribute(?:__)?\s*\(\s*\((?:[^()]|\([^()]*\))*?|\[\s*\[[^\]]*?)"
    r"\b(?:__)?(naked|no_instrument_function|interrupt|signal)(?:__)?\b"
)
_RESOLVER: Final = re.compile(r'\b(?:__)?ifunc(?:__)?\s*\(\s*"([^"]+)"')
_CONSTANT: Final = re.compile(r"\b(constexpr|consteval)\b")
_EVALUATED: Final = re.compile(r"\b(?:constexpr|constinit|static_assert|_Static_assert)\b")
_SUSPENDED: Final = re.compile(r"\bco_(?:await|return|yield)\b")
_TAIL: Final = re.compile(r"\bmusttail\b")
_INLINE: Final = re.compile(r"\binline\b")
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
    return SourceError(_readable(place.file), place.line, place.column, message)


def _readable(latin: str) -> str:
    return latin.encode("latin-1").decode("utf-8", "surrogateescape")


class _Finder:
    """Turn the bodies of one unit into regions."""

    def __init__(self, unit: Preprocessed, flags: tuple[str, ...], choice: Choice, *, openmp: bool) -> None:
        self.unit = unit
        self.openmp = openmp
        self.loops_are_on = "outer-loops" in choice.modes
        runs = list(unit.runs())
        starts = [start for start, _, _ in runs]
        syntax = parse(
            unit.text.encode("latin-1"), flags, lambda offset: runs[max(bisect_right(starts, offset) - 1, 0)][2]
        )
        self.unread = syntax.unread
        self.device = device_text(unit)
        self.scopes = scopes(syntax, unit.masked)
        self.sizes = Sizes(unit.masked, self.scopes)
        self.exempt = {match[1] for match in _RESOLVER.finditer(unit.text)} if "ifunc" in unit.text else set()
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
        place, last_line = self._lines(body.name_offset, body.end)
        file = _readable(place.file)
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
        """Give a function and its loops, each with the reason against it."""
        untouchable = self._why_untouchable(scope)
        inline = self._is_inline(scope)
        loops = {
            start: (end, self._why_short(scope, start, end) if inline else "") for start, end in self._outermost(scope)
        }
        is_kept = region.name == "main" or bool(self._apart(scope, loops))
        reason = (
            untouchable
            or ("its body is a try block" if self.unit.masked[scope.body.body] != "{" else "")
            or self._why_last(scope)
            or ("" if is_kept else self._why_tiny(scope, loops, inline=inline))
        )
        yields = reason.startswith(_YIELDING)
        yield CodeRegion(region, block_start(self.unit, scope.body.body + 1), scope.body.end, reason, yields=yields)
        inner = [*self._loops(scope, region, loops, untouchable), *self._shared(scope, region, loops, untouchable)]
        yield from sorted(inner, key=lambda each: (each.start, -each.end))

    def _loops(
        self, scope: Scope, function: Region, loops: dict[int, tuple[int, str]], untouchable: str
    ) -> Iterator[CodeRegion]:
        shared = {each.at for each in self._constructs(scope)}
        for ordinal, (start, (end, short)) in enumerate(loops.items()):
            reason = untouchable or why_entered(self.unit.masked, scope, start, end) or self._why_remote(start) or short
            modes = ("outer-loops", "openmp") if start in shared else ("outer-loops",)
            loop = self._part(function, "loop", "loop", ordinal, (start, end))
            yields = reason.startswith(_YIELDING)
            yield CodeRegion(loop, self._guard_start(start), end, reason, yields=yields, of_modes=modes)

    def _shared(
        self, scope: Scope, function: Region, loops: dict[int, tuple[int, str]], untouchable: str
    ) -> Iterator[CodeRegion]:
        """Give OpenMP's constructs, which no jump enters or leaves."""
        for ordinal, each in enumerate(self._apart(scope, loops)):
            region = self._part(function, "parallel", each.words, ordinal, (each.at, each.end))
            modes = ("openmp", "inner-loops") if each.binds_loop else ("openmp",)
            reason = untouchable or self._why_remote(each.at)
            yield CodeRegion(region, each.start, each.end, reason, of_modes=modes)

    def _constructs(self, scope: Scope) -> Iterator[Construct]:
        if self.openmp:
            found = constructs(self.unit, scope.body.body, scope.body.end)
            yield from (each for each in found if scope.holds(each.at))

    def _apart(self, scope: Scope, loops: Container[int]) -> list[Construct]:
        """Give a function's constructs of OpenMP, but for those whose loop is an outermost one."""
        return [each for each in self._constructs(scope) if not (each.binds_loop and each.at in loops)]

    def _part(self, function: Region, kind: str, name: str, ordinal: int, place: tuple[int, int]) -> Region:
        """Name a part of a function by the line on which its text begins."""
        first, last_line = self._lines(*place)
        file = _readable(first.file)
        return Region(kind, f"{name}@{first.line}", file, function.function, ordinal, first.line, last_line)

    def _lines(self, start: int, end: int) -> tuple[Place, int]:
        """Give the place where a region begins, and its last line in that file."""
        place, last = self.unit.place(start), self.unit.place(end - 1)
        return place, max(last.line, place.line) if last.file == place.file else place.line

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

    def _why_untouchable(self, scope: Scope) -> str:
        """Say what forbids probes in a function and in its loops."""
        masked = self.unit.masked
        if match := _EXEMPT.search(masked, self._head(scope), scope.body.body):
            return f"attribute {match[1]}"
        if scope.body.name in self.exempt:
            return "resolver of an indirect function"
        if any(scope.holds(match.start()) for match in _SUSPENDED.finditer(masked, scope.body.body, scope.body.end)):
            return "a coroutine"
        if any(scope.holds(match.start()) for match in _TAIL.finditer(masked, scope.body.body, scope.body.end)):
            return "a return that must be a jump"
        return self._why_constant(scope)

    def _why_constant(self, scope: Scope) -> str:
        masked = self.unit.masked
        for each in scope.chain():
            if match := _CONSTANT.search(masked, self._head(each), each.body.body):
                return f"{match[1]}: may run at compile time"
            if not each.body.name and _EVALUATED.search(masked, self._statement(each.body.start), each.body.start):
                return "a lambda that may run at compile time"
        return ""

    def _why_remote(self, start: int) -> str:
        return "runs on an accelerator" if any(low <= start < high for low, high in self.device) else ""

    def _why_last(self, scope: Scope) -> str:
        plain = re.escape(scope.body.name.removesuffix("<...>").rpartition("::")[2])
        call = re.compile(rf"\breturn\s+(?:\w+\s*::\s*)*{plain}\s*(?:<[^<>;]*>\s*)?\([^;]*\)\s*;")
        if plain and call.search(self.unit.masked, scope.body.body, scope.body.end):
            return "calls itself last, which a probe would make use up the stack"
        return ""

    def _is_inline(self, scope: Scope) -> bool:
        body = scope.body
        return body.is_inline or bool(_INLINE.search(self.unit.masked, self._head(scope), body.body))

    def _why_short(self, scope: Scope, start: int, end: int) -> str:
        if self.sizes.executed(scope, start, end) <= _SHORT:
            return f"short: in an inline function, at most {_SHORT} statements are executed"
        return ""

    def _why_tiny(self, scope: Scope, loops: dict[int, tuple[int, str]], *, inline: bool) -> str:
        """Say why a function is too small for a probe, given its outermost loops, each with the reason against it."""
        body, sizes = scope.body, self.sizes
        if not loops and sizes.statements(body.body, body.end) <= _TINY:
            if not sizes.calls(scope):
                return f"tiny: no loop, no call, at most {_TINY} statements"
            if inline:
                return f"tiny: inline, no loop, at most {_TINY} statements"
        if inline and sizes.executed(scope, body.body, body.end) <= _SHORT:
            return f"short: inline, at most {_SHORT} statements are executed"
        long = [start for start, (_, reason) in loops.items() if not reason]
        if inline and long and self.loops_are_on and sizes.executed(scope, body.body, body.end, long) <= _TINY:
            return f"short: inline, at most {_TINY} statements are executed outside of its loops"
        return ""

    def _head(self, scope: Scope) -> int:
        """Tell where a function's declaration begins, attributes before it included."""
        return self._statement(scope.body.start) if scope.body.name else scope.body.start

    def _statement(self, offset: int) -> int:
        before = max(self.unit.masked.rfind(character, 0, offset) for character in ";{}")
        return before + 1


def _group_start(masked: str, end: int) -> int:
    """Give the offset of the bracket that the one at ``end`` closes."""
    depth = 0
    for offset in range(end, -1, -1):
        depth += (masked[offset] == "]") - (masked[offset] == "[")
        if depth == 0:
            return offset
    raise LexicalError(end, "']' is not opened")
