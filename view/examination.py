"""Show the findings of ``doctor`` as a table or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..doctor.finding import Finding, Outcome
from ..doctor.nodes import Examined
from .table import print_table

__all__ = ["examination_document", "print_examination"]

_COLOURS: Final = {str(Outcome.FAILS): "bold red", str(Outcome.ABSENT): "magenta", str(Outcome.UNTRIED): "magenta"}
_TITLES: Final = ("check", "", "result and advice")
_ADVICE: Final = "→ "


def print_examination(examined: Examined) -> None:
    """Print a table of findings; a finding that only some nodes have is printed with their names."""
    areas = dict.fromkeys((finding.area for finding in examined.findings), "bold")
    print_table(_TITLES, _rows(examined), (), prose=(2,), colours={**areas, **_COLOURS})


def _rows(examined: Examined) -> Iterator[tuple[str, str, str]]:
    area = ""
    nodes = examined.nodes
    common = [(finding, list(nodes)) for finding in examined.together]
    for finding, where in [*common, *_merged(nodes)]:
        if finding.area != area:
            if area:
                yield "", "", ""
            area = finding.area
            yield area, "", ""
        place = f"on {_names(where)}: " if len(where) < len(nodes) else ""
        varying = f"; {finding.varying}" if finding.varying and len(nodes) == 1 else ""
        yield f"  {finding.name}", finding.outcome, f"{place}{finding.found}{varying}"
        if finding.advice:
            yield "", "", f"{_ADVICE}{finding.advice}"


def _merged(nodes: Mapping[str, Sequence[Finding]]) -> list[tuple[Finding, list[str]]]:
    """Return each distinct finding with the nodes that have it, in the order in which nodes first have it.

    Findings with the same name are next to each other.
    """
    order: dict[tuple[str, str], dict[tuple[str, ...], tuple[Finding, list[str]]]] = {}
    areas: dict[str, None] = {}
    for node, findings in nodes.items():
        for finding in findings:
            areas.setdefault(finding.area)
            same = (finding.outcome, finding.found, finding.advice)
            variants = order.setdefault((finding.area, finding.name), {})
            variants.setdefault(same, (finding, []))[1].append(node)
    by_area = {area: [variants for (own, _), variants in order.items() if own == area] for area in areas}
    return [variant for variants in by_area.values() for each in variants for variant in each.values()]


def _names(nodes: Sequence[str]) -> str:
    more = f" and {len(nodes) - 4} more" if len(nodes) > 4 else ""
    return f"{', '.join(nodes[:4])}{more}"


def examination_document(examined: Examined, *, works: bool, essential: str, version: str) -> dict[str, Any]:
    """Return the data that ``doctor --json`` writes.

    Args:
        examined: The findings.
        works: Whether all essential checks succeeded.
        essential: Names of the areas of essential checks.
        version: Version of this package.
    """
    return {
        "schema": "autoanalyzer.doctor/1",
        "version": version,
        "works": works,
        "essential": essential,
        "together": [finding.document() for finding in examined.together],
        "nodes": [
            {"node": node, "findings": [finding.document() for finding in findings]}
            for node, findings in examined.nodes.items()
        ],
    }
