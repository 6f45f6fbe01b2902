"""Merge the metric forests of several experiments (Song et al. 2004, section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ..metric import Metric

__all__ = ["merge_metrics"]

_MARK: Final = "'"  # appended to a metric's name if another metric already has this name


@dataclass
class _Node:
    """A metric of the merged forest: its name among its siblings, and the operands' metrics that it merges."""

    own: str
    unit: str
    parent: _Node | None
    known: list[Metric] = field(default_factory=list)
    below: dict[tuple[str, str], _Node] = field(default_factory=dict)
    name: str = ""


def merge_metrics(
    forests: Sequence[Sequence[Metric]],
) -> tuple[tuple[Metric, ...], tuple[Mapping[str, str], ...]]:
    """Match metrics top-down: two metrics match if their names, their units and their parents match.

    A metric without a match is kept. If metrics with the same name have different parents, the names of the parents
    distinguish them: ``bytes_sent`` (a root) and ``bytes_p2p/bytes_sent``. These names are the same for all operands.
    If two metrics with the same name have different units, the first keeps its name, and the unit is appended to the
    other name: ``time (ticks)``. If a metric has no unit, it gets the unit of the other operands, provided that they
    agree and no two metrics of one operand would be merged. If operands aggregate a metric differently, it is not
    additive.

    Args:
        forests: The metrics of each operand, parents before children.

    Returns:
        The metrics, each followed by its descendants, and for each operand: its name of a metric → the merged name.
    """
    roots: dict[tuple[str, str], _Node] = {}
    found: list[dict[str, _Node]] = []
    own_names = [_own_names(forest) for forest in forests]
    units = _stated_units(forests, own_names)
    for forest, own in zip(forests, own_names, strict=True):
        nodes: dict[str, _Node] = {}
        for metric in forest:
            parent = nodes[metric.parent] if metric.parent is not None else None
            siblings = parent.below if parent else roots
            name = own[metric.name]
            unit = parent.unit if parent else metric.unit or units.get(name, "")
            node = siblings.setdefault((name, unit), _Node(name, unit, parent))
            node.known.append(metric)
            nodes[metric.name] = node
        found.append(nodes)
    ordered = tuple(_walk(roots))
    _give_names(ordered)
    return tuple(map(_settled, ordered)), tuple({name: node.name for name, node in nodes.items()} for nodes in found)


def _settled(node: _Node) -> Metric:
    """Return the merged metric, with the description and the source of the first operand that has the metric."""
    types = {each.dtype for each in node.known}
    whole = all(each.integral for each in node.known)
    return replace(
        node.known[0],
        name=node.name,
        unit=node.unit,
        parent=node.parent.name if node.parent else None,
        dtype=types.pop() if len(types) == 1 else "INTEGER" if whole else "FLOAT",
        additive=all(each.additive for each in node.known)
        and len({replace(each, unit=node.unit).aggregation for each in node.known}) == 1,
    )


def _stated_units(forests: Sequence[Sequence[Metric]], own_names: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Map each root metric's name to its unit, if all operands with a unit agree and no operand has the name twice."""
    stated: dict[str, set[str]] = {}
    several: set[str] = set()
    for forest, own in zip(forests, own_names, strict=True):
        roots = [(own[metric.name], metric.unit) for metric in forest if metric.parent is None]
        several.update(name for name, count in Counter(name for name, _ in roots).items() if count > 1)
        for name, unit in roots:
            stated.setdefault(name, set()).update({unit} - {""})
    return {name: next(iter(units)) for name, units in stated.items() if len(units) == 1 and name not in several}


def _own_names(forest: Sequence[Metric]) -> dict[str, str]:
    """Map each metric's name to the name without the parent or unit that an earlier merge added to distinguish it."""
    short = {metric.name: _without_parent(metric) for metric in forest}
    often = Counter((metric.parent, name) for metric in forest for name in {metric.name, short[metric.name]})
    own = {
        metric.name: short[metric.name] if often[metric.parent, short[metric.name]] == 1 else metric.name
        for metric in forest
    }
    units = {metric.name: metric.unit for metric in forest if metric.parent is None}
    plain = {name: _without_unit(name, unit) for name, unit in units.items()}
    among = Counter((plain[name], unit) for name, unit in units.items())
    return own | {
        name: plain[name]
        for name, unit in units.items()
        if units.get(plain[name], unit) != unit and among[plain[name], unit] == 1
    }


def _without_parent(metric: Metric) -> str:
    prefix = f"{metric.parent}/"
    if metric.parent is None or not metric.name.startswith(prefix):
        return metric.name
    return metric.name.removeprefix(prefix).rstrip(_MARK) or metric.name


def _without_unit(name: str, unit: str) -> str:
    marked = name.rstrip(_MARK)
    return marked.removesuffix(_of_unit(unit)) if marked.endswith(_of_unit(unit)) else name


def _of_unit(unit: str) -> str:
    """Return the suffix that distinguishes a metric from metrics with the same name in other units."""
    return f" ({unit or 'no unit'})"


def _walk(siblings: Mapping[tuple[str, str], _Node]) -> Iterator[_Node]:
    pending = [*siblings.values()][::-1]
    while pending:
        node = pending.pop()
        yield node
        pending.extend([*node.below.values()][::-1])


def _give_names(nodes: Sequence[_Node]) -> None:
    """Name each node, parents first. A unique name stays unchanged, as does the name of the first root that has it."""
    often = Counter(node.own for node in nodes)
    kept: dict[str, _Node] = {}
    for node in nodes:
        if not node.parent or often[node.own] == 1:
            kept.setdefault(node.own, node).name = node.own
    taken = {*kept}
    for node in nodes:
        if kept.get(node.own) is node:
            continue
        node.name = f"{node.parent.name}/{node.own}" if node.parent else f"{node.own}{_of_unit(node.unit)}"
        while node.name in taken:
            node.name += _MARK
        taken.add(node.name)
