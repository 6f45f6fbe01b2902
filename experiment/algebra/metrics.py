"""Metric forests of several experiments become one (paper 002, section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ...errors import InputError
from ..metric import Metric

__all__ = ["merge_metrics"]

_MARK: Final = "'"  # behind a parent's and a metric's name, where another metric has this name by itself


@dataclass
class _Node:
    """A metric of the merged forest: its name among its siblings, and as each operand has it."""

    own: str
    label: str
    unit: str
    parent: _Node | None
    known: list[Metric] = field(default_factory=list)
    below: dict[str, _Node] = field(default_factory=dict)
    name: str = ""


def merge_metrics(
    forests: Sequence[Sequence[Metric]], labels: Sequence[str]
) -> tuple[tuple[Metric, ...], tuple[Mapping[str, str], ...]]:
    """Match metrics top-down: the same name below the same parent, in the same unit.

    Those that match nothing stand for themselves. Two of one name in different places are told apart by their
    parents: ``bytes_sent``, and ``bytes_p2p/bytes_sent``; whichever operand they come from, the names are the same.
    A unit that a file does not state (empty) goes with any. What operands do not put together alike does not add up.

    Args:
        forests: The metrics of each operand, parents before children.
        labels: What each operand is called in a message.

    Returns:
        The metrics, each followed by those below it, and for each operand its names → the merged ones.

    Raises:
        InputError: A metric has two units.
    """
    roots: dict[str, _Node] = {}
    found: list[dict[str, _Node]] = []
    for forest, label in zip(forests, labels, strict=True):
        nodes: dict[str, _Node] = {}
        own = _own_names(forest)
        for metric in forest:
            parent = nodes[metric.parent] if metric.parent is not None else None
            siblings = parent.below if parent else roots
            key = own[metric.name]
            node = siblings.get(key)
            if node is None:
                node = siblings[key] = _Node(key, label, metric.unit, parent)
            elif not node.unit:
                node.unit, node.label = metric.unit, label
            elif metric.unit and metric.unit != node.unit:
                raise InputError(
                    f"expected metric {key!r} in one unit, found {node.unit!r} in {node.label} and {metric.unit!r} "
                    f"in {label}; leave it out of one with cut --metrics"
                )
            node.known.append(metric)
            nodes[metric.name] = node
        found.append(nodes)
    ordered = tuple(_walk(roots))
    _give_names(ordered)
    return tuple(map(_settled, ordered)), tuple({name: node.name for name, node in nodes.items()} for nodes in found)


def _settled(node: _Node) -> Metric:
    """Give a metric as all operands have it, the first of them its description; their order decides nothing else."""
    unit = _root(node).unit
    types = {each.dtype for each in node.known}
    whole = all(each.integral for each in node.known)
    return replace(
        node.known[0],
        name=node.name,
        unit=unit,
        parent=node.parent.name if node.parent else None,
        dtype=types.pop() if len(types) == 1 else "INTEGER" if whole else "FLOAT",
        additive=all(each.additive for each in node.known)
        and len({replace(each, unit=unit).aggregation for each in node.known}) == 1,
    )


def _own_names(forest: Sequence[Metric]) -> dict[str, str]:
    """Give names without the parents', put before them by an earlier merge, where these tell siblings apart."""
    short = {metric.name: _without_parent(metric) for metric in forest}
    often = Counter((metric.parent, name) for metric in forest for name in {metric.name, short[metric.name]})
    return {
        metric.name: short[metric.name] if often[metric.parent, short[metric.name]] == 1 else metric.name
        for metric in forest
    }


def _without_parent(metric: Metric) -> str:
    prefix = f"{metric.parent}/"
    if metric.parent is None or not metric.name.startswith(prefix):
        return metric.name
    return metric.name.removeprefix(prefix).rstrip(_MARK) or metric.name


def _walk(siblings: Mapping[str, _Node]) -> Iterator[_Node]:
    pending = [*siblings.values()][::-1]
    while pending:
        node = pending.pop()
        yield node
        pending.extend([*node.below.values()][::-1])


def _give_names(nodes: Sequence[_Node]) -> None:
    """Name each node for itself; parents come before children. Roots, and what is named once, keep their names."""
    often = Counter(node.own for node in nodes)
    rest = [node for node in nodes if node.parent and often[node.own] > 1]
    for node in nodes:
        node.name = node.own
    taken = {node.own for node in nodes if not node.parent or often[node.own] == 1}
    for node in rest:
        above = node.parent.name if node.parent else ""
        node.name = f"{above}/{node.own}"
        while node.name in taken:
            node.name += _MARK
        taken.add(node.name)


def _root(node: _Node) -> _Node:
    while node.parent:
        node = node.parent
    return node
