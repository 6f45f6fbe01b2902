"""Teams in which the slowest thread differs between executions, and in which threads may also differ in total."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from weakref import WeakKeyDictionary

from ..run.code_regions import descendants
from ..run.costs import is_mostly
from .analysis import Analysis
from .confidence import doubt_of_difference, is_by_counts_alone, is_speed

__all__ = ["beyond_totals", "in_total_inside", "is_minor", "slow_in_turn"]


_KNOWN: Final[WeakKeyDictionary[Analysis, Mapping[int, int | None]]] = WeakKeyDictionary()


def slow_in_turn(analysis: Analysis) -> Mapping[int, int | None]:
    """Return the regions in which the slowest thread differs between executions; empty if threads are not compared.

    Computed once per analysis.

    Regions are left out if threads that share cores may take pieces of work on demand: a thread that waits for a core
    then leaves more work to the other threads, so the slowest thread differs only because cores are shared.

    Returns:
        Position of the region → the largest culprit in which threads also differ in total; the culprit's finding then
        includes both savings. The culprit is the region itself, a region around it in its team, or a region inside it
        with most of its loss. None if there is no such culprit; a culprit that ``is_minor`` does not count.
    """
    if analysis not in _KNOWN:
        _KNOWN[analysis] = {
            place: next(
                (each for each in _culprits(analysis, place, team) if not _is_less(analysis, each, place)), None
            )
            for place, team in _named(analysis).items()
        }
    return _KNOWN[analysis]


def beyond_totals(analysis: Analysis, culprits: Sequence[int]) -> float:
    """Return the seconds on the critical path that are lost because the slowest thread differs between executions.

    Only the regions count whose saving is part of the finding on one of the given culprits.
    """
    teams = analysis.explanation.teams
    places = [place for place, culprit in slow_in_turn(analysis).items() if culprit in culprits]
    return float(teams.beyond[places].sum()) if teams and places else 0.0


def in_total_inside(analysis: Analysis, place: int) -> float:
    """Return the seconds lost inside a region because threads differ in total, which other findings report."""
    teams, regions = analysis.explanation.teams, analysis.vectors.regions
    within = [each for each in descendants(regions, place) if each in analysis.culprits_by_difference]
    below = {inner for each in within for inner in descendants(regions, each)}
    parts = [each for each in within if each not in below]
    return float((teams.busiest - teams.mean)[parts].sum()) if teams and parts else 0.0


def is_minor(analysis: Analysis, culprit: int) -> bool:
    """Return whether a culprit's difference is uncertain, and smaller than the loss that ``beyond_totals`` measures."""
    return any(
        culprit in _culprits(analysis, place, team) and _is_less(analysis, culprit, place)
        for place, team in _named(analysis).items()
    )


def _named(analysis: Analysis) -> Mapping[int, int]:
    """Return ``Teams.named`` without regions whose threads share cores; empty if threads are not compared."""
    teams = analysis.explanation.teams
    if teams is None or not analysis.vectors.threads:
        return {}
    are_shared = analysis.explanation.seconds.turns
    return {place: team for place, team in teams.named.items() if place in teams.fixed or not are_shared}


def _culprits(analysis: Analysis, place: int, team: int) -> Iterator[int]:
    """Yield a team region's culprits whose findings save busy time, by decreasing difference."""
    teams, regions = analysis.explanation.teams, analysis.vectors.regions
    if teams is None or analysis.vectors.metric != "compute_time":
        return
    around = {*analysis.experiment.ancestors(regions[place].id)}
    inside = {each for each in descendants(regions, place) if is_mostly(teams.beyond[each], teams.beyond[place])}
    around_in_team = {each for each in descendants(regions, team) if regions[each].id in around}
    for culprit in analysis.culprits_by_difference:
        is_other = is_by_counts_alone(analysis, [culprit]) or is_speed(analysis, [culprit])
        if culprit in {place, team, *inside, *around_in_team} and not is_other:
            yield culprit


def _is_less(analysis: Analysis, culprit: int, place: int) -> bool:
    teams, times = analysis.explanation.teams, analysis.vectors.values[culprit]
    is_smaller = teams is not None and float(times.max() - times.mean()) < teams.beyond[place]
    return is_smaller and doubt_of_difference(analysis, [culprit]) is not None
