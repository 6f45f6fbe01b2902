"""Rank metrics by their relation to a target metric (Hauswirth et al., OOPSLA 2005, section 5)."""

from .ranking import CORRELATORS, Correlated, Ranking, rank
from .segmentation import drawn_pattern, proposed_pattern, segmented, suggested_count

__all__ = [
    "CORRELATORS",
    "Correlated",
    "Ranking",
    "drawn_pattern",
    "proposed_pattern",
    "rank",
    "segmented",
    "suggested_count",
]
