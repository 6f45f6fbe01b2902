"""Teams in which a different thread is slowest each time, and in which threads may also differ in total."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..run.code_regions import descendants
from .analysis import Analysis
from .confidence import doubt_of_difference, is_by_counts_alone, is_speed

__all__ = ["beyond_totals", "is_for_cores", "is_minor", "slow_in_turn"]


def slow_in_turn(analysis: Analysis) -> dict[int, int | None]:
    """Return the regions in which a different thread is slowest each time; none if threads are not compared.

    Returns:
        Position of the region → the largest culprit in its team in which threads also differ in total, whose finding
        then includes both savings; None if there is none. A culprit that ``is_minor`` does not count. Regions that are
        ``is_for_cores`` are left out if there is a culprit, because threads that share cores differ in total, too.
    """
    found: dict[int, int | None] = {}
    for place, team in _named(analysis).items():
        culprits = [*_culprits(analysis, team)]
        if not is_for_cores(analysis, place):
            found[place] = next((each for each in culprits if not _is_less(analysis, each, place)), None)
        elif not culprits:
            found[place] = None
    return found


def is_for_cores(analysis: Analysis, place: int) -> bool:
    """Return whether threads may be slow in turn because they share cores, and others take pieces of their work."""
    teams = analysis.explanation.teams
    return teams is not None and place not in teams.fixed and analysis.explanation.seconds.turns


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
        if not is_for_cores(analysis, place)
    )


def _named(analysis: Analysis) -> Mapping[int, int]:
    """Return ``Teams.named``; empty if threads are not compared."""
    teams = analysis.explanation.teams
    return teams.named if teams and analysis.vectors.threads else {}


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
