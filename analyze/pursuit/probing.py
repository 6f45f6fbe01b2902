"""Metrics that are not recorded are looked at in turn, so that what begins later is seen."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Final

__all__ = ["PROBED", "Turns"]

PROBED: Final = 0.25  # of the metrics left out: each is looked at in one of four periods


@dataclass(frozen=True)
class Turns:
    """Whose turn it is.

    Attributes:
        waiting: All metrics, the longest not recorded first.
        probed: Those that are recorded next, besides the selected ones.
    """

    waiting: tuple[str, ...]
    probed: tuple[str, ...] = ()

    def after(self, recorded: frozenset[str], share: float) -> Turns:
        """Choose whom to look at next.

        Args:
            recorded: Metrics that are recorded anyway.
            share: Of the others.
        """
        left = [name for name in self.waiting if name not in recorded]
        probed = left[: ceil(share * len(left))]
        seen = recorded.union(probed)
        last = [name for name in self.waiting if name in seen]
        return Turns((*(name for name in left if name not in seen), *last), tuple(probed))
