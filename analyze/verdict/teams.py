"""Teams in which a different thread is slowest each time, and in which threads may also differ in total."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..run.code_regions import descendants
from .analysis import Analysis
from .confidence import doubt_of_difference, is_by_counts_alone, is_speed

__all__ = ["beyond_totals", "is_minor", "slow_in_turn"]


def slow_in_turn(analysis: Analysis) -> dict[int, int | None]:
    """Return the regions in which a different thread is slowest each time; none if threads are not compared.

    Regions are left out if threads that share cores may take pieces of work on demand: a thread that waits for a core
    then leaves more work to the others, so one is slow each time on this machine alone.

    Returns:
        Position of the region → the largest culprit in its team in which threads also differ in total, whose finding
        then includes both savings; None if there is none. A culprit that ``is_minor`` does not count.
    """
    return {
        place: next((each for each in _culprits(analysis, team) if not _is_less(analysis, each, place)), None)
        for place, team in _named(analysis).items()
    }


def beyond_totals(analysis: Analysis, culprits: Sequence[int]) -> float:
    """Return the seconds on the critical path that threads lose in turn, in the teams whose finding is on a culprit."""
    teams = analysis.explanation.teams
    places = [place for place, culprit in slow_in_turn(analysis).items() if culprit in culprits]
    return float(teams.beyond[places].sum()) if teams and places else 0.0


def is_minor(analysis: Analysis, culprit: int) -> bool:
    """Return whether it is uncertain that threads differ in total, and they lose more because they are slow in turn."""
    return any(
        culprit in _culprits(analysis, team) and _is_less(analysis, culprit, place)
        for place, team in _named(analysis).items()
    )


def _named(analysis: Analysis) -> Mapping[int, int]:
    """Return ``Teams.named`` without regions that share cores; empty if threads are not compared."""
    teams = analysis.explanation.teams
    if teams is None or not analysis.vectors.threads:
        return {}
    are_shared = analysis.explanation.seconds.turns
    return {place: team for place, team in teams.named.items() if place in teams.fixed or not are_shared}


def _culprits(analysis: Analysis, team: int) -> Iterator[int]:
    """Yield the culprits in a team whose finding has a saving of busy time, the largest first."""
    if analysis.vectors.metric != "compute_time":
        return
    within = {team, *descendants(analysis.vectors.regions, team)}
    for culprit in analysis.culprits_by_difference:
        if culprit in within and not (is_by_counts_alone(analysis, [culprit]) or is_speed(analysis, [culprit])):
            yield culprit


def _is_less(analysis: Analysis, culprit: int, place: int) -> bool:
    teams, times = analysis.explanation.teams, analysis.vectors.values[culprit]
    is_smaller = teams is not None and float(times.max() - times.mean()) < teams.beyond[place]
    return is_smaller and doubt_of_difference(analysis, [culprit]) is not None
