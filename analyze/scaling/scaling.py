"""How a program scales: strong or weak scaling, the factors of efficiency, the losses, and predictions of counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...errors import UsageError
from ..findings import Findings, analyze
from ..run.criteria import CRITERIA, THRESHOLD
from .factors import Factors, factors_of, falls_first, is_low
from .losses import NOT_EXPLAINED, Ledger, ScalingLoss, ledger_of
from .messages import KeptMessages, kept_messages
from .predictions import Prediction, predictions
from .series import Series

__all__ = ["Mode", "Scaling", "find_scaling"]

Mode = Literal["strong", "weak"]


@dataclass(frozen=True)
class Scaling:
    """How a program scales, judged from runs with different numbers of ranks.

    Attributes:
        series: The runs.
        mode: ``strong`` if the total work stays the same, ``weak`` if the work per rank stays the same.
        by: What shows the mode: ``instructions``, ``visits``, or ``option``.
        last: The findings of the last run.
        factors: See ``factors_of``.
        falls_first: The first factor that falls below 0.9 as ranks are added; None if no factor does.
        ledger: The losses of the last run.
        messages: Messages that do not shrink with more ranks; empty for weak scaling.
        predictions: The predictions by models of counts.
    """

    series: Series
    mode: Mode
    by: str
    last: Findings
    factors: Factors
    falls_first: str | None
    ledger: Ledger
    messages: tuple[KeptMessages, ...]
    predictions: tuple[Prediction, ...]

    @property
    def is_of_path(self) -> bool:
        """Whether times are lengths of the critical path, because ranks shared cores."""
        return self.series.is_of_path

    @property
    def speedups(self) -> tuple[float, ...]:
        """Work per second relative to the first run; from the lengths of critical paths if ``is_of_path``."""
        times = self.series.judged_times
        return tuple((self.growth * times[0] / times).tolist())

    @property
    def ideal_times(self) -> tuple[float, ...]:
        """The time that each run would take with perfect scaling from the first run on, in seconds."""
        first, ranks = float(self.series.judged_times[0]), np.array(self.series.ranks)
        return tuple((first * self.growth * ranks[0] / ranks).tolist())

    @property
    def scales_well(self) -> bool:
        """Whether the last run's efficiency is at least 0.9."""
        return self.stops_at is None

    @property
    def stops_at(self) -> int | None:
        """The number of ranks from which on efficiency stays below 0.9; None if the last run's is at least 0.9."""
        found = None
        for ranks, value in zip(self.series.ranks, self.factors["efficiency"], strict=True):
            found = found or ranks if is_low(value) else None
        return found

    @property
    def falls_at(self) -> int | None:
        """The number of ranks at which ``falls_first`` falls below 0.9; None if no factor does."""
        if self.falls_first is None:
            return None
        values = zip(self.series.ranks, self.factors[self.falls_first], strict=True)
        return next(ranks for ranks, value in values if is_low(value))

    @property
    def largest_loss(self) -> ScalingLoss | None:
        """The largest explained loss of the last run; None if there is no such loss."""
        found = self.ledger.losses[0]
        return found if found.kind != NOT_EXPLAINED and found.rank_seconds > 0 else None

    @property
    def growth(self) -> np.ndarray:
        """The total work with perfect scaling, relative to the first run: ``float64[run]``."""
        return _growth(self.series, self.mode)


def find_scaling(series: Series, mode: Mode | None = None) -> Scaling:
    """Judge how a program scales.

    Args:
        series: The runs.
        mode: Strong or weak scaling; None to determine this from counts.

    Raises:
        UsageError: ``mode`` is None, and the runs' arguments differ, or counts show neither strong nor weak scaling.
    """
    if not series.has_same_arguments and mode is None:
        raise UsageError(
            f"{series.labels[-1]}: expected the same program arguments as in {series.labels[0]}, found different ones; "
            "if the total work is the same, add --mode strong; if the work per rank is the same, add --mode weak"
        )
    found, by = (mode, "option") if mode else _mode_of(series)
    growth = _growth(series, found)
    factors = factors_of(series, growth)
    last = analyze(series.runs[-1].experiment)
    return Scaling(
        series,
        found,
        by,
        last,
        factors,
        falls_first(factors),
        ledger_of(series, len(series.ranks) - 1, float(growth[-1]), last),
        kept_messages(series) if found == "strong" else (),
        tuple(predictions(series)),
    )


def _growth(series: Series, mode: Mode) -> np.ndarray:
    ranks = np.array(series.ranks)
    return np.ones(len(ranks)) if mode == "strong" else ranks / ranks[0]


def _mode_of(series: Series) -> tuple[Mode, str]:
    """Return whether scaling is strong or weak, and which count shows it.

    In strong scaling, the total count stays the same in some regions that all ranks share. In weak scaling, most of the
    work per rank stays the same. If neither is exact, as with small grids and wide halos, the mode is the one to which
    the growth of most instructions is closer. Visits can show only strong scaling, because in either mode each rank
    enters most regions the same number of times.
    """
    ranks, busy = np.array(series.ranks)[:, None], series.busy[0]
    for name in ("instructions", "visits"):
        values = series.counts.get(name)
        if values is None or not values.any():
            continue
        divided, constant = (
            series.shared[-1] & (np.ptp(each, axis=0) <= CRITERIA.same_work * each.max(axis=0))
            for each in (values, values / ranks)
        )
        weights = values[0] if name == "instructions" else busy
        whole = float(weights.sum())
        if weights[divided].sum() >= THRESHOLD * whole > 0:
            return "strong", name
        if name == "instructions" and weights[constant].sum() >= whole / 2 > 0:
            return "weak", name
    if (executed := series.instructions) is not None:
        is_strong = executed[-1] <= executed[0] * np.sqrt(series.ranks[-1] / series.ranks[0])
        return ("strong" if executed[0, is_strong].sum() >= executed[0].sum() / 2 else "weak"), "instructions"
    raise UsageError(
        "counts do not show whether the total work or the work per rank stays the same: add --mode strong or --mode "
        "weak, or record with --counters simulated"
    )
