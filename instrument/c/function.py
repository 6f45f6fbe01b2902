"""A function, and everything in it that decides where its loops are and what enters them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from pycparser import c_ast

from ...experiment.region import Region
from ..library_names import is_instruction
from .sanitise import Digest
from .syntax import Tree

__all__ = ["Function", "Jumps", "find_jumps"]

_LOOPS: Final = (c_ast.For, c_ast.While, c_ast.DoWhile)


@dataclass(slots=True)
class Jumps:
    """Loops, jumps and calls in a function, by offset."""

    loops: list[int] = field(default_factory=list)
    inner: list[int] = field(default_factory=list)
    gotos: list[tuple[int, str]] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    cases: list[tuple[int, int]] = field(default_factory=list)  # a case label, and its switch
    indirect: list[int] = field(default_factory=list)
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Function:
    """A function that is defined: its region, its node, the offsets of its body, and what is in it."""

    region: Region
    node: Any
    body: int
    end: int
    jumps: Jumps


def find_jumps(tree: Tree, node: Any, digest: Digest, body: int, end: int) -> Jumps:
    """Look through a function's body, which stands between two offsets."""
    jumps = Jumps(indirect=[offset for offset in digest.indirect_jumps if body < offset < end])
    pending: list[tuple[Any, bool, int]] = [(node, False, -1)]
    while pending:
        node, in_loop, switch = pending.pop()
        if isinstance(node, _LOOPS) and not _runs_once(node):
            (jumps.inner if in_loop else jumps.loops).append(tree.offset(node))
            in_loop = True
        elif isinstance(node, c_ast.Switch):
            switch = tree.offset(node)
        elif isinstance(node, (c_ast.Case, c_ast.Default)):
            jumps.cases.append((tree.offset(node), switch))
        elif isinstance(node, c_ast.Goto):
            jumps.gotos.append((tree.offset(node), node.name))
        elif isinstance(node, c_ast.Label):
            jumps.labels[node.name] = tree.offset(node)
        elif isinstance(node, c_ast.FuncCall):
            jumps.calls += not (isinstance(node.name, c_ast.ID) and is_instruction(node.name.name))
        pending.extend((child, in_loop, switch) for _, child in node.children())
    return jumps


def _runs_once(loop: Any) -> bool:
    """Tell ``do { … } while (0)``, which macros use to be one statement: no loop to a reader."""
    return isinstance(loop, c_ast.DoWhile) and isinstance(loop.cond, c_ast.Constant) and loop.cond.value == "0"
