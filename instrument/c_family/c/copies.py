"""Copies of large objects in C: statements like others by their looks, but compilers call memcpy or memset for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import nan
from typing import Any, Final

from pycparser import c_ast

from ...size import LARGE

__all__ = ["COPYING", "Copies"]

COPYING: Final = frozenset((c_ast.Assignment, c_ast.CompoundLiteral, c_ast.Decl, c_ast.FuncCall, c_ast.Return))
"""Nodes that may copy an object."""

_STRUCTURES: Final = (c_ast.Struct, c_ast.Union)
_AROUND: Final = (c_ast.ArrayDecl, c_ast.FuncDecl, c_ast.PtrDecl, c_ast.TypeDecl)
_POINTING: Final = (c_ast.ArrayDecl, c_ast.PtrDecl)
_SIZES: Final = {"char": 1, "_Bool": 1, "short": 2, "int": 4, "float": 4}
_WORD: Final = 8  # bytes of all other numbers, or more: only numbers of objects matter
_STEPS: Final = {"*": 1, "&": -1}
# What an expression takes its object from, and how many pointers further.
_FROM: Final = {
    c_ast.ArrayRef: ("name", 1),
    c_ast.Assignment: ("lvalue", 0),
    c_ast.BinaryOp: ("left", 0),
    c_ast.FuncCall: ("name", 0),
    c_ast.TernaryOp: ("iftrue", 0),
    c_ast.UnaryOp: ("expr", 0),
}


class Copies:
    """Know the large objects of a unit, by their names.

    Args:
        root: The unit's tree.
        value: Evaluates an expression; NaN if it varies.
    """

    def __init__(self, root: Any, value: Callable[[Any], float]) -> None:
        self._value = value
        self._types: dict[str, Any] = {}
        self._tags: dict[str, Any] = {}
        self._sizes: dict[int, float] = {}
        self._members: set[tuple[str, int]] = set()
        self._globals = self.declared(node for node in root.ext if isinstance(node, (c_ast.Decl, c_ast.Typedef)))

    def declared(self, declarations: Iterable[Any]) -> dict[str, int]:
        """Note the types that are declared; give the depth of each name, the largest where several have it."""
        nodes = list(declarations)
        members = list(self._defined(nodes))
        self._members.update((node.name, self._depth(node.type)) for node in members)
        depths: dict[str, int] = {}
        for node in nodes:
            depths[node.name] = max(self._depth(node.type), depths.get(node.name, -1))
        return depths

    def _depth(self, kind: Any) -> int:
        """Count the pointers and arrays of a type that lead to a large object; negative if there is none."""
        depth = 0
        while isinstance(kind, (*_AROUND, c_ast.IdentifierType)):
            depth += isinstance(kind, _POINTING)
            kind = self._types.get(kind.names[0]) if isinstance(kind, c_ast.IdentifierType) else kind.type
        return depth if isinstance(kind, _STRUCTURES) and self._is_large(kind) else -1

    def happens(self, node: Any, own: Mapping[str, int]) -> bool:
        """Tell whether a node copies, or sets, a large object.

        Args:
            node: One of ``COPYING``.
            own: What its function declares, each with its depth.
        """
        match node:
            case c_ast.Decl():
                is_set = node.init and not {"static", "extern"}.intersection(node.storage)
                return bool(is_set) and self._is_large(node.type, len(getattr(node.init, "exprs", ())))
            case c_ast.CompoundLiteral():
                return self._is_large(node.type.type, len(node.init.exprs))
            case c_ast.Assignment():
                return node.op == "=" and self._gives_large(node.lvalue, own)
            case c_ast.Return():
                return self._gives_large(node.expr, own)
        return any(self._gives_large(each, own) for each in node.args or ())

    def _gives_large(self, node: Any, own: Mapping[str, int]) -> bool:
        depth = 0
        while (kind := type(node)) in _FROM:
            attribute, steps = _FROM[kind]
            depth += _STEPS.get(node.op, 0) if kind is c_ast.UnaryOp else steps
            node = getattr(node, attribute)
        if depth < 0:
            return False
        match node:
            case c_ast.ID():
                return own.get(node.name, self._globals.get(node.name, -1)) == depth
            case c_ast.StructRef():
                return (node.field.name, depth) in self._members
            case c_ast.Cast():
                return self._depth(node.to_type.type) == depth
        return False

    def _defined(self, declarations: Iterable[Any]) -> Iterator[Any]:
        """Note the types that declarations define, and give the members of these."""
        pending = list(declarations)
        while pending:
            node = pending.pop()
            if isinstance(node, c_ast.Typedef):
                self._types.setdefault(node.name, node.type)
            kind = node.type
            while isinstance(kind, _AROUND):
                kind = kind.type
            if isinstance(kind, _STRUCTURES) and kind.decls:
                members = [each for each in kind.decls if isinstance(each, c_ast.Decl)]
                self._tags.setdefault(kind.name, members)
                pending += members
                yield from members

    def _is_large(self, kind: Any, elements: int = 0) -> bool:
        return not self._size(kind, elements) <= LARGE

    def _size(self, kind: Any, elements: int = 0) -> float:
        """Give the bytes of a type, or more; NaN if they are not known."""
        if isinstance(kind, _STRUCTURES):
            if id(kind) not in self._sizes:
                self._sizes[id(kind)] = nan
                members = self._tags.get(kind.name, ()) if kind.decls is None else kind.decls
                self._sizes[id(kind)] = sum(self._size(each.type) for each in members if isinstance(each, c_ast.Decl))
            return self._sizes[id(kind)]
        if isinstance(kind, c_ast.ArrayDecl):
            return (self._value(kind.dim) if kind.dim else elements) * self._size(kind.type)
        if isinstance(kind, c_ast.TypeDecl):
            return self._size(kind.type)
        names = kind.names if isinstance(kind, c_ast.IdentifierType) else ()
        if known := self._types.get(names[0]) if names else None:
            return self._size(known)
        return max((_SIZES.get(name, 0) for name in names), default=0) or _WORD
