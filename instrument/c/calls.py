"""Calls of library functions: which of them can be regions of their own, each around its arguments, too."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from pycparser import c_ast

from ..choice import Choice
from ..code_region import CodeRegion
from ..library_names import is_of_c, mode_of_call
from .judge import NamePart
from .lexer import group_end, statement_end
from .preprocessed import Preprocessed
from .syntax import Tree

__all__ = ["Call", "LibraryCalls", "call_regions", "fixed_text"]

_CALLED: Final = re.compile(r"\b[A-Za-z_]\w*(?=\s*\()")
_OPENING: Final = re.compile(r"\s*\(")
# Their operands are not evaluated, or must be what compilers know at compile time.
_ASKING: Final = frozenset(
    ["__builtin_constant_p", "__builtin_choose_expr", "__builtin_object_size", "__builtin_types_compatible_p"]
)
_OUTLIVED: Final = "what is made in its arguments may outlive it"
_ATOMIC: Final = re.compile(r"(?:omp|acc)\s+atomic\b")
_CANONICAL: Final = re.compile(
    r"(?:omp|acc)\b[\w\s]*?\b(?:for|simd|loop|taskloop|distribute|tile|unroll|interchange)\b"
)
# What a member of can be taken of that lives on; a member of a member is looked at by itself.
_OBJECTS: Final = (c_ast.ID, c_ast.ArrayRef, c_ast.UnaryOp, c_ast.StructRef)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a library function: its name and mode, where it begins and ends, and why it is no region."""

    name: str
    mode: str
    start: int
    end: int
    reason: str


class LibraryCalls:
    """The calls of library functions in a unit.

    A name of the C library is one if the system's headers declare it, any other name if the unit does not define it.
    """

    def __init__(self, unit: Preprocessed, tree: Tree) -> None:
        self.unit = unit
        self.tree = tree
        self._own = {node.decl.name for node in tree.root.ext if isinstance(node, c_ast.FuncDef)}
        self._declared = {
            name for start, end, system in unit.runs() if system for name in _CALLED.findall(unit.masked[start:end])
        }
        self._fixed = list(fixed_text(unit))

    def within(self, function: Any) -> list[Call]:
        """Find the calls in a function's body, in order."""
        hidden = set(_local_names(function))
        calls = (call for node, reason in _calls(function.body, "") if (call := self._call(node, reason, hidden)))
        return sorted(calls, key=lambda call: call.start)

    def _call(self, node: Any, reason: str, hidden: set[str]) -> Call | None:
        name = getattr(node.name, "name", None)
        if not isinstance(name, str) or name in hidden or not (mode := self._mode(name)):
            return None
        start = self.tree.offset(node.name)
        opening = _OPENING.match(self.unit.masked, start + len(name))
        if not self.unit.masked.startswith(name, start) or opening is None:
            return None
        end = group_end(self.unit.masked, opening.end() - 1)
        fixed = next((why for low, high, why in self._fixed if low <= start < high), "")
        makes = "{" in self.unit.masked[opening.end() : end] or _takes_from_value(node.args)
        return Call(name, mode, start, end, reason or fixed or (_OUTLIVED if makes else ""))

    def _mode(self, name: str) -> str:
        mode = mode_of_call(name)
        if name in self._own or (mode and name not in self._declared and is_of_c(name)):
            return ""
        return mode


def call_regions(
    calls: Iterable[Call], name_part: NamePart, why_not: Callable[[int], str], choice: Choice
) -> Iterator[CodeRegion]:
    """Give the calls in a function whose modes are wanted, numbered by kind.

    Args:
        calls: All of them, in order.
        name_part: Gives the region of a part.
        why_not: Says why no guard may be at an offset.
        choice: What is wanted.
    """
    ordinals: Counter[str] = Counter()
    for call in calls:
        ordinal = ordinals[call.mode]
        ordinals[call.mode] += 1
        if choice.wants(call.mode):
            region = name_part(call.mode, call.name, ordinal, (call.start, call.end))
            yield CodeRegion(region, call.start, call.end, why_not(call.start) or call.reason)


def fixed_text(unit: Preprocessed) -> Iterator[tuple[int, int, str]]:
    """Give the statements and headers whose form OpenMP and OpenACC prescribe."""
    masked = unit.masked
    for pragma in unit.pragmas:
        if _ATOMIC.match(pragma.text):
            yield pragma.end, statement_end(masked, pragma.end), "in an atomic statement"
        elif _CANONICAL.match(pragma.text):
            opening = masked.find("(", pragma.end)
            if opening >= 0:
                yield pragma.end, group_end(masked, opening), "in the header of a loop that threads share"


def _calls(node: Any, reason: str) -> Iterator[tuple[Any, str]]:
    """Give the calls in a syntax tree, each with the reason against a region around it."""
    pending = [(node, reason)]
    while pending:
        node, reason = pending.pop()
        if isinstance(node, c_ast.FuncCall):
            yield node, reason
        if isinstance(node, c_ast.UnaryOp) and node.op in {"sizeof", "_Alignof"}:
            reason = "its operand is not evaluated"
        elif _must_be_constant(node):
            reason = "its value must be known when compiling"
        pending.extend((child, reason) for _, child in node.children())


def _must_be_constant(node: Any) -> bool:
    """Tell what holds no code that runs, or none that this function runs."""
    if isinstance(node, c_ast.FuncCall):
        return getattr(node.name, "name", "") in _ASKING
    if isinstance(node, c_ast.Decl):
        return bool({"static", "extern", "_Thread_local"}.intersection(node.storage))
    return isinstance(node, (c_ast.Enum, c_ast.StaticAssert, c_ast.FuncDecl, c_ast.GenericSelection))


def _takes_from_value(arguments: Any) -> bool:
    """Tell whether arguments take a member of a structure that is no object, as in ``strchr(get().name, '/')``."""
    pending = [arguments] if arguments else []
    while pending:
        node = pending.pop()
        if isinstance(node, c_ast.StructRef) and node.type == "." and not isinstance(node.name, _OBJECTS):
            return True
        pending.extend(child for _, child in node.children())
    return False


def _local_names(function: Any) -> Iterator[str]:
    """Give the names that a function has for something that is no function."""
    pending = [function]
    while pending:
        node = pending.pop()
        if isinstance(node, c_ast.Decl) and node.name and not isinstance(node.type, c_ast.FuncDecl):
            yield node.name
        pending.extend(child for _, child in node.children())
