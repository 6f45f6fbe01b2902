"""Predictions of counts by models: for the largest run, which is held out, and for twice as many ranks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..run.criteria import CRITERIA
from .fits import HOLDS, Counted, fits, grids_shown
from .grids import GRIDS, dimensions
from .models import Model
from .series import Series

__all__ = ["Prediction", "models_of", "predictions"]

_BYTES: Final = "mpi_bytes_sent"


@dataclass(frozen=True, slots=True)
class Prediction:
    """The prediction of a count's total over all ranks.

    Attributes:
        metric: Name of the count.
        ranks: The number of ranks.
        fitted_to: The numbers of ranks that the models are fitted to.
        predicted: The models' prediction; None if the models do not cover 99 % of the count.
        measured: The measured total; None if there is no such run.
        modelled: The share of the count in regions with a model.
        unclear: The share of the count in regions with several models that are equally simple and exact, but predict
            different counts.
    """

    metric: str
    ranks: int
    fitted_to: tuple[int, ...]
    predicted: float | None
    measured: float | None
    modelled: float
    unclear: float

    @property
    def holds(self) -> bool:
        """Whether the count was measured, and the prediction is correct to within 3 %."""
        if self.predicted is None or self.measured is None:
            return False
        return abs(self.predicted - self.measured) <= HOLDS * self.measured

    @property
    def is_unclear(self) -> bool:
        """Whether the models cover the count, but several models of a region disagree."""
        return self.predicted is None and self.modelled + self.unclear >= 1 - CRITERIA.same_work


def models_of(series: Series, metric: str, runs: int) -> list[list[Model]]:
    """Return the models of each call path's count per rank, fitted to the first ``runs`` runs; the best comes first."""
    possible, known = _grids(series, runs)
    return [fits(each) for each in _counted(series, metric, runs, possible, known)]


def _grids(series: Series, runs: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the possible numbers of dimensions of the ranks' grid, and the numbers that the program is known to use.

    A grid is known if the program made it with MPI, or if some ranks send less, as ranks at the edges of the grid do.
    """
    made = [(ranks, grids) for ranks, grids in zip(series.ranks[:runs], series.grids, strict=False) if grids]
    possible = tuple(
        number
        for number in GRIDS
        if all(
            dimensions(ranks, number) in (tuple(sorted(each, reverse=True)) for each in grids) for ranks, grids in made
        )
    )
    if made:
        return possible, possible
    if _BYTES not in series.counts:
        return possible, ()
    shown = set[int]().union(*map(grids_shown, _counted(series, _BYTES, runs, possible, ())))
    return possible, tuple(sorted(shown))


def _counted(
    series: Series, metric: str, runs: int, possible: tuple[int, ...], known: tuple[int, ...]
) -> Iterator[Counted]:
    """Yield the count of each call path in the first ``runs`` runs."""
    ranks = series.ranks[:runs]
    values, least, most = (each[metric][:runs] for each in (series.counts, series.least, series.most))
    mean = values / np.array(ranks)[:, None]
    for path in range(values.shape[1]):
        yield Counted(ranks, mean[:, path], least[:, path], most[:, path], possible, known)


def predictions(series: Series) -> Iterator[Prediction]:
    """Yield the prediction of each count for the largest run and, if this prediction holds, for twice as many ranks.

    Nothing is yielded if there are fewer than three numbers of ranks.
    """
    last = len(series.ranks) - 1
    if last < 2:
        return
    for metric, values in series.counts.items():
        measured = float(values[last].sum())
        if not measured:
            continue
        held_out = _prediction(series, metric, last, series.ranks[last], measured)
        yield held_out
        if held_out.holds:
            yield _prediction(series, metric, last + 1, 2 * series.ranks[last], None)


def _prediction(series: Series, metric: str, runs: int, ranks: int, measured: float | None) -> Prediction:
    """Return the prediction of a count's total for ``ranks`` ranks, from models of the first ``runs`` runs."""
    values = series.counts[metric][runs - 1].tolist()
    predicted, modelled, unclear, whole = 0.0, 0.0, 0.0, sum(values) or 1.0
    for value, models in zip(values, models_of(series, metric, runs), strict=True):
        found = [max(model.at(ranks), 0.0) for model in models]
        if not found:
            continue
        if max(found) - min(found) > HOLDS * max(found):
            unclear += value / whole
            continue
        modelled += value / whole
        predicted += ranks * found[0]
    is_whole = modelled >= 1 - CRITERIA.same_work
    return Prediction(metric, ranks, series.ranks[:runs], predicted if is_whole else None, measured, modelled, unclear)
