"""Decide whether a guard is allowed in a function or around a part of it, and create regions for these parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...experiment.region import Region
from ..expression import expression
from ..syntax import Body, Syntax
from .jumps import Jumps, has_jumps
from .last_calls import endless
from .pragmas import device_text
from .preprocessed import Preprocessed, readable
from .spans import Spans

__all__ = ["Judge"]

_EXEMPT: Final = expression(
    r"(?:\b__attribute(?:__)?\s*\(\s*\((?:[^()]|\([^()]*\))*?|\[\s*\[[^\]]*?)"
    r"\b(?:__)?(naked|no_instrument_function|interrupt|signal)(?:__)?\b"
)
_RESOLVER: Final = expression(r'\b(?:__)?ifunc(?:__)?\s*\(\s*"([^"]+)"')
_CONSTANT: Final = expression(r"\b(constexpr|consteval)\b")
_EVALUATED: Final = expression(r"\b(?:constexpr|constinit|static_assert|_Static_assert)\b")
_OF_JUMPS: Final = {"a return statement that must be a tail call": expression(r"\bmusttail\b")}
_OF_COROUTINES: Final = {"a coroutine": expression(r"\bco_(?:await|return|yield)\b")}
_LOCAL_LABELS: Final = expression(r"\{\s*__label__\b")
_GNU_INLINE: Final = expression(r"\b(?:__)?gnu_inline(?:__)?\b")
_INLINE: Final = expression(r"\b(?:__)?inline(?:__)?\b")


class Judge:
    """Decides which functions in a translation unit, and which parts of functions, may have guards.

    Args:
        unit: The text.
        syntax: The syntax of the text.
        cxx: Whether the text is C++.
        literal_guards: Whether guards are allowed in constant evaluation.
    """

    def __init__(self, unit: Preprocessed, syntax: Syntax, *, cxx: bool, literal_guards: bool) -> None:
        self.unit = unit
        self._last_words = _OF_JUMPS | _OF_COROUTINES if cxx else _OF_JUMPS
        self._literal_guards = literal_guards
        self._masked = unit.masked
        self._device = device_text(unit)
        self._exempt = self._exempt_functions(syntax)
        self._endless = endless(unit.masked, syntax.bodies)
        self._untouchable: dict[int, str] = {}
        self._jumps: dict[int, Jumps] = {}

    def part(
        self, function: Region, kind: str, name: str, ordinal: int, place: tuple[int, int], *, by_line: bool = True
    ) -> Region:
        """Return the region for a part of a function.

        Args:
            function: The region of the function.
            kind: Kind of the part.
            name: Name of the part.
            ordinal: Number of the part among the parts of this kind.
            place: Offsets at which the part begins and ends.
            by_line: Whether the line on which the part begins is added to the name.
        """
        first, last = self.unit.place(place[0]), self.unit.place(max(place[1] - 1, place[0]))
        last_line = max(last.line, first.line) if last.file == first.file else first.line
        name = f"{name}@{first.line}" if by_line else name
        return Region(kind, name, readable(first.file), function.function, ordinal, first.line, last_line)

    def spans(self, body: Body) -> Spans:
        """Return an object that checks whether parts of a function's text can be regions."""
        return Spans(self.unit, body, has_jumps=has_jumps(self._masked, body))

    def why_untouchable(self, body: Body) -> str:
        """Return why a function and all its parts must not have probes, or an empty string if they may."""
        if body.opening not in self._untouchable:
            self._untouchable[body.opening] = next(self._reasons(body), "")
        return self._untouchable[body.opening]

    def why_not_whole(self, body: Body) -> str:
        """Return why no guard can enclose a function's whole body, whatever its size, or an empty string if one can."""
        if reason := self.why_untouchable(body):
            return reason
        if self._masked[body.opening] != "{":
            return "its body is a try block"
        if _LOCAL_LABELS.match(self._masked, body.opening):
            return "its body begins with __label__"
        is_endless = body.name_offset in self._endless
        return "ends with a call to itself, and a probe after this call could exhaust the stack" if is_endless else ""

    def why_not(self, body: Body, start: int, end: int) -> str:
        """Return why no guard can enclose the statements from ``start`` to ``end``, or an empty string if one can.

        No guard is possible if jumps may enter or leave these statements without executing the guard, or if guards are
        forbidden here.
        """
        if reason := self.why_untouchable(body):
            return reason
        if body.opening not in self._jumps:
            self._jumps[body.opening] = Jumps(self._masked, body)
        return self._jumps[body.opening].why_entered(start, end) or self.why_remote(body, start)

    def why_remote(self, body: Body, start: int) -> str:
        """Return why no guard is allowed at the offset ``start``, or an empty string if it is allowed."""
        on_device = any(low <= start < high for low, high in self._device)
        return self.why_untouchable(body) or ("runs on an accelerator" if on_device else "")

    def is_inline(self, body: Body) -> bool:
        """Return whether a function is marked ``inline`` or is implicitly inline."""
        return body.is_inline or bool(_INLINE.search(self._masked, self._head(body), body.opening))

    def is_stand_in(self, body: Body) -> bool:
        """Return whether a function exists only to be inlined into its callers, or is inside such a function."""
        return any(_GNU_INLINE.search(self._masked, self._head(each), each.opening) for each in body.chain())

    def _exempt_functions(self, syntax: Syntax) -> dict[int, str]:
        """Map the offsets of functions' names to the reasons why attributes forbid probes in these functions."""
        heads = [(body.name_offset, self._head(body), body.opening) for body in syntax.bodies]
        for declared, defined in syntax.declared.items():
            heads.append((defined, self._statement(declared), self._masked.find(";", declared)))
        resolvers = set(_RESOLVER.findall(self.unit.text)) if "ifunc" in self._masked else set()
        found = {b.name_offset: "resolver of an indirect function" for b in syntax.bodies if b.name in resolvers}
        for defined, start, end in heads:
            if match := _EXEMPT.search(self._masked, start, end):
                found[defined] = f"attribute {match[1]}"
        return found

    def _reasons(self, body: Body) -> Iterator[str]:
        masked = self._masked
        if body.name_offset in self._exempt:
            yield self._exempt[body.name_offset]
        for reason, words in self._last_words.items():
            if any(body.holds(match.start()) for match in words.finditer(masked, body.opening, body.end)):
                yield reason
        for each in body.chain():
            if match := _CONSTANT.search(masked, self._head(each), each.opening):
                yield f"{match[1]}: may run at compile time"
            if not each.name and self._is_evaluated(each):
                yield "a lambda that may run at compile time"

    def _is_evaluated(self, body: Body) -> bool:
        """Return whether a lambda may be evaluated at compile time."""
        if body.outer is None and not self._literal_guards:
            return True
        return bool(_EVALUATED.search(self._masked, self._statement(body.start), body.start))

    def _head(self, body: Body) -> int:
        """Return the offset at which a function's declaration begins, including preceding attributes."""
        return self._statement(body.start) if body.name else body.start

    def _statement(self, offset: int) -> int:
        return max(self._masked.rfind(character, 0, offset) for character in ";{}") + 1
