"""C by pycparser: from the digest of a unit to its tree; a function body that it cannot read is left out."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Container, Iterator
from contextlib import contextmanager
from math import nan
from typing import Any, Final

from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError

from ...expression import expression
from ...syntax import Body, Call, Case, Label, Loop, Syntax, Unread, UnreadError
from ..lexer import blank, group_end
from ..preprocessed import Preprocessed, readable
from .copies import COPYING, Copies
from .sanitise import PRELUDE, outer_braces, sanitise
from .trip_counts import TripCounts

__all__ = ["read_c"]

_PLACE: Final = expression(r".*?:(\d+):(\d+): (.*)", re.DOTALL)
_BLANK_END: Final = expression(r"(?<! ) +(?=\n)")  # much of a digest is blank, and pycparser steps over it slowly
_DEEP: Final = 100_000  # frames; pycparser descends recursively, else-if chains of thousands exist
_MOST_UNREAD: Final = 30  # each costs a new pass over the file
_UNIVERSAL: Final = expression(r"\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})")
_CALLED: Final = expression(r"\b[A-Za-z_]\w*(?=\s*\()")
_OPENING: Final = expression(r"\s*\(")
_OF_A_GROUP: Final = expression(r"[)}]\s*\.")
_FIELDS: Final = {
    **dict.fromkeys((c_ast.Case, c_ast.Default), "cases"),
    c_ast.Label: "labels",
    c_ast.Switch: "switches",
    c_ast.Compound: "blocks",
    c_ast.CompoundLiteral: "literals",
}
_LOOPS: Final = frozenset((c_ast.For, c_ast.While, c_ast.DoWhile))
_STATEMENTS: Final = frozenset((c_ast.Compound, c_ast.Case, c_ast.Default, c_ast.Label))
_NAMED: Final = frozenset((c_ast.Decl, c_ast.Typedef, c_ast.Enumerator))
_DECLARATIONS: Final = (c_ast.Decl, c_ast.Typedef)
_TELLING: Final = frozenset(
    (
        *(c_ast.UnaryOp, c_ast.FuncCall, c_ast.Decl),
        *(c_ast.Enum, c_ast.StaticAssert, c_ast.FuncDecl, c_ast.GenericSelection),  # hold none that runs
    )
)
# What a member of can be taken of that lives on; a member of a member is looked at by itself.
_OBJECTS: Final = (c_ast.ID, c_ast.ArrayRef, c_ast.UnaryOp, c_ast.StructRef)
# Their operands are not evaluated, or must be what compilers know at compile time.
_ASKING: Final = frozenset(
    ["__builtin_constant_p", "__builtin_choose_expr", "__builtin_object_size", "__builtin_types_compatible_p"]
)


def read_c(unit: Preprocessed, *, calls: bool) -> Syntax:
    """Read a unit.

    Args:
        unit: The preprocessed text.
        calls: Whether calls of libraries are asked for, so that it matters what system headers declare.

    Raises:
        UnreadError: The text outside of function bodies is not C as pycparser knows it.
    """
    text = sanitise(unit)
    unread: dict[int, Unread] = {}
    while True:
        try:
            with _deep_recursion():
                root = CParser().parse(f"{PRELUDE}\n{_BLANK_END.sub('', text)}", "")
            return _Reader(unit, root, _line_starts(text), unread, calls=calls).read()
        except ParseError as error:
            offset, message = _error_place(text, str(error))
            body = _body_around(text, offset)
            if body is None or not text[body[0] + 1 : body[1] - 1].strip() or len(unread) == _MOST_UNREAD:
                raise UnreadError(offset, message) from None
            unread[body[0]] = Unread(offset, message)
            text = text[: body[0] + 1] + blank(text[body[0] + 1 : body[1] - 1]) + text[body[1] - 1 :]


class _Reader:
    """Collect what matters from pycparser's tree."""

    def __init__(
        self, unit: Preprocessed, root: Any, line_starts: list[int], unread: dict[int, Unread], *, calls: bool
    ) -> None:
        self._masked = unit.masked
        self._text = unit.text
        self._unread = unread
        self._line_starts = line_starts
        self._trips = TripCounts(root)
        self._copies = Copies(root, self._trips.value)
        self._functions = [node for node in root.ext if isinstance(node, c_ast.FuncDef)]
        self._defined = {node.decl.name: self._offset(node.decl) for node in self._functions}
        declarations = (node for node in root.ext if isinstance(node, c_ast.Decl) and node.name in self._defined)
        self._declared = {self._offset(node): self._defined[node.name] for node in declarations}
        self._of_system = {
            match.group(): match.start()
            for start, end, system in (unit.runs() if calls else ())
            if system
            for match in _CALLED.finditer(unit.masked, start, end)
        }

    def read(self) -> Syntax:
        """Give the functions that are defined."""
        return Syntax(tuple(map(self._body, self._functions)), self._declared)

    def _body(self, function: Any) -> Body:
        opening, named = self._offset(function.body), self._offset(function.decl)
        found: dict[str, list[Any]] = defaultdict(list)
        calls: list[tuple[Any, str]] = []
        addressed: set[str] = set()
        loops: list[Any] = []
        hidden: dict[str, float] = {}
        declared: list[Any] = []
        copying: list[Any] = []
        pending: list[tuple[Any, str, int]] = [(function, "", -1)]
        while pending:
            node, reason, switch = pending.pop()
            kind = type(node)
            if kind is c_ast.FuncCall:
                calls.append((node, reason))
            elif kind in _NAMED and node.name and not isinstance(getattr(node, "type", None), c_ast.FuncDecl):
                lowest = self._trips.lowest(node)
                hidden[node.name] = lowest if hidden.get(node.name, lowest) == lowest else nan
            elif kind is c_ast.UnaryOp and node.op == "&" and isinstance(node.expr, c_ast.ID):
                addressed.add(node.expr.name)
            elif kind in _LOOPS and not _runs_once(node):
                loops.append(node)
            elif kind is c_ast.Switch:
                switch = self._offset(node)
            if kind in _FIELDS:
                found[_FIELDS[kind]] += self._items(node, switch)
            if kind in _STATEMENTS:
                found["declarations"] += (self._offset(child) for child in node if isinstance(child, _DECLARATIONS))
            if kind in COPYING:
                copying.append(node)
            if kind in _DECLARATIONS:
                declared.append(node)
            if kind in _TELLING:
                reason = _why_constant(node) or reason
            pending.extend((child, reason, switch) for child in node)
        hidden |= dict.fromkeys(addressed.intersection(hidden), nan)
        own = self._copies.declared(declared)
        copies = map(self._offset, (node for node in copying if self._copies.happens(node, own)))
        found["calls"] = [*(self._call(*call, hidden) for call in calls), *(Call(at, at, "") for at in copies)]
        found["calls"].sort(key=lambda call: call.offset)
        found["loops"] = sorted(
            (Loop(self._offset(loop), self._trips.most(loop, hidden)) for loop in loops), key=lambda loop: loop.offset
        )
        fields: dict[str, Any] = {name: tuple(items) for name, items in found.items()}
        name, end = self._name(named, function.decl.name), group_end(self._masked, opening)
        return Body(name, named, named, opening, end, unread=self._unread.get(opening), **fields)

    def _items(self, node: Any, switch: int) -> Iterator[Any]:
        """Give what a node adds to the body that it is in."""
        match node:
            case c_ast.Label():
                yield Label(self._offset(node), node.name)
            case c_ast.Case() | c_ast.Default():
                yield Case(self._offset(node), switch)
            case c_ast.Compound() | c_ast.CompoundLiteral() | c_ast.Switch():
                yield self._offset(node)

    def _call(self, node: Any, reason: str, hidden: Container[str]) -> Call:
        start = self._offset(node.name)
        name = getattr(node.name, "name", None)
        if not isinstance(name, str) or name in hidden:
            return Call(start, start, "")
        opening = _OPENING.match(self._masked, start + len(name))
        if opening is None or not self._masked.startswith(name, start):
            return Call(start, start, name, self._defined.get(name, -1))
        end = group_end(self._masked, opening.end() - 1)
        makes = self._masked.find("{", opening.end(), end) >= 0
        if makes or (_OF_A_GROUP.search(self._masked, opening.end(), end) and _takes_from_value(node.args)):
            reason = reason or "an object created in its arguments may outlive it"
        return Call(
            start,
            end,
            name,
            self._defined.get(name, -1),
            declared=self._of_system.get(name, start),
            reason=reason,
        )

    def _name(self, offset: int, name: str) -> str:
        spelled = readable(self._text[offset : offset + len(name)])
        return _UNIVERSAL.sub(lambda match: chr(int(match.group()[2:], 16)), spelled)

    def _offset(self, node: Any) -> int:
        """Give the offset where a node's first (of a declaration: the name's) token begins."""
        return int(self._line_starts[node.coord.line - 2] + node.coord.column - 1)


def _runs_once(loop: Any) -> bool:
    """Tell ``do { … } while (0)``, which macros use to be one statement: no loop to a reader."""
    return isinstance(loop, c_ast.DoWhile) and isinstance(loop.cond, c_ast.Constant) and loop.cond.value == "0"


def _why_constant(node: Any) -> str:
    """Say why no call below a node can be a region: no code runs there, or none that this function runs."""
    constant = "its value must be known at compile time"
    match node:
        case c_ast.UnaryOp():
            return "in an unevaluated operand" if node.op in {"sizeof", "_Alignof"} else ""
        case c_ast.FuncCall():
            return constant if getattr(node.name, "name", "") in _ASKING else ""
        case c_ast.Decl():
            return constant if {"static", "extern", "_Thread_local"}.intersection(node.storage) else ""
    return constant


def _takes_from_value(arguments: Any) -> bool:
    """Tell whether arguments take a member of a structure that is no object, as in ``strchr(get().name, '/')``."""
    pending = [arguments] if arguments else []
    while pending:
        node = pending.pop()
        if isinstance(node, c_ast.StructRef) and node.type == "." and not isinstance(node.name, _OBJECTS):
            return True
        pending.extend(child for _, child in node.children())
    return False


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _error_place(text: str, error: str) -> tuple[int, str]:
    match = _PLACE.fullmatch(error)
    if match is None:
        return len(text), error
    line, column, message = match.groups()
    return min(_line_starts(text)[max(int(line) - 2, 0)] + int(column) - 1, len(text)), message


def _body_around(text: str, offset: int) -> tuple[int, int] | None:
    """Find the function body that holds an offset; an aggregate's or an initialiser's braces are none."""
    for start, end in outer_braces(text):
        if start <= offset < end:
            return (start, end) if text[:start].rstrip().endswith((")", ";")) else None
    return None


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
