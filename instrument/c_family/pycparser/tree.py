"""Read C with pycparser: from preprocessed text to the syntax that determines regions."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Container, Iterator
from contextlib import contextmanager
from math import nan
from typing import Any, Final

from pycparser import c_ast
from pycparser.c_lexer import CLexer
from pycparser.c_parser import CParser, ParseError

from ...expression import expression
from ...syntax import Body, Call, Case, Loop, Syntax, Unread, UnreadError
from ..lexer import blank, group_end
from ..preprocessed import Preprocessed, readable
from .digest import PRELUDE, digest, outer_braces
from .repair import repaired
from .trip_counts import TripCounts

__all__ = ["read_by_pycparser"]

_PLACE: Final = expression(r".*?:(\d+):(\d+): (.*)", re.DOTALL)
_BEFORE: Final = "before: "  # begins pycparser's message about an unexpected token
_BLANK_END: Final = expression(r"(?<! ) +(?=\n)")  # most of a digest is blanks, which pycparser skips slowly
_DEEP: Final = 100_000  # recursion limit for pycparser, because chains of else-if can have thousands of links
_MOST_UNREAD: Final = 30  # maximum number of bodies with errors; each one takes another pass over the text
_MOST_REPAIRS: Final = 50  # maximum number of constructs that are rewritten; each one also takes another pass
_UNIVERSAL: Final = expression(r"\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})")
_CALLED: Final = expression(r"\b[A-Za-z_]\w*(?=\s*\()")
_OPENING: Final = expression(r"\s*\(")
_POINTER: Final = expression(r"\*\s*\Z")
_NEAR: Final = 8  # number of characters before a name that are searched for its asterisk
# Expressions that may have members and whose objects outlive the statement; members of members are checked separately.
_OBJECTS: Final = (c_ast.ID, c_ast.ArrayRef, c_ast.UnaryOp, c_ast.StructRef)
_OPERATION: Final = "__atomic_"  # prefix of the names of built-in operations, which are not functions
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


def read_by_pycparser(unit: Preprocessed, *, calls: bool) -> Syntax:
    """Return the syntax of a translation unit in C. A body that pycparser does not understand is recorded as unread.

    Args:
        unit: The preprocessed text.
        calls: Whether library calls are requested, for which the declarations in system headers are needed.

    Raises:
        UnreadError: pycparser does not understand the text outside of function bodies.
    """
    text = digest(unit)
    unread: dict[int, Unread] = {}
    left_out: dict[int, Unread] = {}
    repairs = 0
    while True:
        parser = CParser(lexer=_Lexer)
        try:
            with _deep_recursion():
                root = parser.parse(f"{PRELUDE}\n{_BLANK_END.sub('', text)}", "")
            return _Reader(unit, root, _line_starts(text), left_out | unread, calls=calls).read()
        except ParseError as error:
            offset, message = _error_place(text, str(error), parser.clex.last)
            body = _body_around(text, offset)
            repair = repaired(text, offset, body[0] if body else None) if repairs < _MOST_REPAIRS else None
            if repair:
                text = repair.text
                repairs += 1
                if body and repair.left_out:
                    left_out.setdefault(body[0], Unread(offset, f"{repair.left_out} is left out"))
                continue
            if body is None or not text[body[0] + 1 : body[1] - 1].strip() or len(unread) == _MOST_UNREAD:
                raise UnreadError(offset, message) from None
            unread[body[0]] = Unread(offset, message)
            text = text[: body[0] + 1] + blank(text[body[0] + 1 : body[1] - 1]) + text[body[1] - 1 :]


class _Lexer(CLexer):  # type: ignore[misc]  # pycparser has no types that mypy knows
    """A lexer that remembers its last token, because some errors of the parser do not contain a location."""

    last: Any = None

    def token(self) -> Any:
        if token := super().token():
            self.last = token
        return token


class _Reader:
    """Collects syntax from pycparser's tree."""

    def __init__(
        self, unit: Preprocessed, root: Any, line_starts: list[int], unread: dict[int, Unread], *, calls: bool
    ) -> None:
        self._masked = unit.masked
        self._text = unit.text
        self._unread = unread
        self._line_starts = line_starts
        self._trips = TripCounts(root)
        self._temporary: list[tuple[int, bool]] = []
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
        bodies = tuple(map(self._body, self._functions))
        return Syntax(bodies, self._declared, tuple(self._temporary))

    def _body(self, function: Any) -> Body:
        opening, named = self._offset(function.body), self._offset(function.decl)
        found: dict[str, list[Any]] = defaultdict(list)
        calls: list[Any] = []
        loops: list[Any] = []
        addressed: set[str] = set()
        hidden: dict[str, float] = {}
        pending: list[tuple[Any, int]] = [(function, -1)]
        while pending:
            node, switch = pending.pop()
            kind = type(node)
            if kind is c_ast.FuncCall:
                if not str(getattr(node.name, "name", "")).startswith(_OPERATION):
                    calls.append(node)
            elif kind in _NAMED and node.name and not isinstance(getattr(node, "type", None), c_ast.FuncDecl):
                lowest = self._trips.lowest(node)
                hidden[node.name] = lowest if hidden.get(node.name, lowest) == lowest else nan
            elif kind is c_ast.UnaryOp and node.op == "&" and isinstance(node.expr, c_ast.ID):
                addressed.add(node.expr.name)
            elif kind in _LOOPS and not _runs_once(node):
                loops.append(node)
            elif kind is c_ast.StructRef and node.type == "." and not isinstance(node.name, _OBJECTS):
                self._temporary.append((self._offset(node), True))
            elif kind is c_ast.Switch:
                switch = self._offset(node)
            if kind in _FIELDS:
                found[_FIELDS[kind]].append(self._item(node, switch))
            if kind in _STATEMENTS:
                found["declarations"] += (self._offset(child) for child in node if isinstance(child, _DECLARATIONS))
            pending.extend((child, switch) for child in node)
        hidden |= dict.fromkeys(addressed.intersection(hidden), nan)
        found["calls"] = sorted((self._call(call, hidden) for call in calls), key=lambda call: call.offset)
        found["loops"] = sorted(Loop(self._offset(loop), self._trips.most(loop, hidden)) for loop in loops)
        if opening in self._unread:  # text that was left out may change a loop's variable
            found["loops"] = [Loop(loop.offset) for loop in found["loops"]]
        fields: dict[str, Any] = {name: tuple(items) for name, items in found.items()}
        name, end = self._name(named, function.decl.name), group_end(self._masked, opening)
        return Body(name, named, named, opening, end, unread=self._unread.get(opening), **fields)

    def _item(self, node: Any, switch: int) -> Case | int:
        """Return the item that a node adds to its body: a case, or an offset.

        ``switch`` is the offset of the innermost ``switch`` around the node; -1 if there is none.
        """
        offset = self._offset(node)
        return Case(offset, switch) if isinstance(node, (c_ast.Case, c_ast.Default)) else offset

    def _call(self, node: Any, hidden: Container[str]) -> Call:
        start = self._offset(node.name)
        name = getattr(node.name, "name", None)
        if not isinstance(name, str) or name in hidden:
            return Call(start, start, "")
        callee = self._defined.get(name, -1)
        opening = _OPENING.match(self._masked, start + len(name))
        if opening is None or not self._masked.startswith(name, start):
            return Call(start, start, name, callee)
        end = group_end(self._masked, opening.end() - 1)
        declared = self._of_system.get(name, start)
        gives = "pointer" if _POINTER.search(self._masked, max(declared - _NEAR, 0), declared) else "value"
        return Call(start, end, name, callee, declared=declared, gives=gives)

    def _name(self, offset: int, name: str) -> str:
        spelled = readable(self._text[offset : offset + len(name)])
        return _UNIVERSAL.sub(lambda match: chr(int(match.group()[2:], 16)), spelled)

    def _offset(self, node: Any) -> int:
        """Return the offset of a node's first token; for a declaration, the offset of its name."""
        return int(self._line_starts[node.coord.line - 2] + node.coord.column - 1)


def _runs_once(loop: Any) -> bool:
    """Return whether a loop is ``do { … } while (0)``, which macros use to form one statement."""
    return isinstance(loop, c_ast.DoWhile) and isinstance(loop.cond, c_ast.Constant) and loop.cond.value == "0"


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _error_place(text: str, error: str, last: Any) -> tuple[int, str]:
    """Return the offset and message of an error that pycparser reports.

    Args:
        text: The parsed text.
        error: The error's text.
        last: The last token, whose location is used if the error contains none.
    """
    match = _PLACE.fullmatch(error)
    line, column, message = match.groups() if match else (last.lineno, last.column, error.removeprefix(": "))
    message = f"unexpected {message.removeprefix(_BEFORE)}" if message.startswith(_BEFORE) else message
    return min(_line_starts(text)[max(int(line) - 2, 0)] + int(column) - 1, len(text)), message


def _body_around(text: str, offset: int) -> tuple[int, int] | None:
    """Return the start and end of the function body around an offset, or None if the braces are not a function's."""
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
