"""Predictions of counts by models: for the largest run, which is held out, and for twice as many ranks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..run.arrays import Values
from ..run.criteria import CRITERIA
from .models import Model, fitted
from .series import Series

__all__ = ["Prediction", "models_of", "predictions"]

_HOLDS: Final = 0.03  # a model whose prediction misses by more is not used beyond the largest run


@dataclass(frozen=True, slots=True)
class Prediction:
    """The total of a count over all ranks.

    Attributes:
        metric: Its name.
        ranks: The number of ranks.
        fitted_to: The numbers of ranks that the models are fitted to.
        predicted: The models' prediction; None if the models do not cover 99 % of the count.
        measured: What was counted; None if there is no such run.
        modelled: The share of the count in regions with a model.
    """

    metric: str
    ranks: int
    fitted_to: tuple[int, ...]
    predicted: float | None
    measured: float | None
    modelled: float

    @property
    def holds(self) -> bool:
        """Whether it was measured, and is right within 3 %."""
        if self.predicted is None or self.measured is None:
            return False
        return abs(self.predicted - self.measured) <= _HOLDS * self.measured


def models_of(series: Series, metric: str, runs: int) -> list[Model | None]:
    """Return the model of each call path's count per rank, fitted to the first ``runs`` runs; None without one."""
    values = series.counts[metric] / np.array(series.ranks)[:, None]
    return [fitted(series.ranks[:runs], column) for column in values[:runs].T.tolist()]


def predictions(series: Series) -> Iterator[Prediction]:
    """Yield the prediction of each count for the largest run and, if that holds, for twice as many ranks."""
    last = len(series.ranks) - 1
    if last < 2:
        return
    for metric, values in series.counts.items():
        measured = float(values[last].sum())
        if not measured:
            continue
        found = _prediction(series, metric, last, series.ranks[last], values)
        yield Prediction(metric, series.ranks[last], series.ranks[:last], found[0], measured, found[1])
        if found[0] is not None and abs(found[0] - measured) <= _HOLDS * measured:
            ranks = 2 * series.ranks[last]
            more = _prediction(series, metric, last + 1, ranks, values)
            yield Prediction(metric, ranks, series.ranks, more[0], None, more[1])


def _prediction(series: Series, metric: str, runs: int, ranks: int, values: Values) -> tuple[float | None, float]:
    """Return the predicted total, and the share in regions with a model."""
    models = models_of(series, metric, runs)
    whole = float(values[runs - 1].sum())
    modelled = sum(value for value, model in zip(values[runs - 1].tolist(), models, strict=True) if model) / whole
    if modelled < 1 - CRITERIA.same_work:
        return None, modelled
    return ranks * sum(max(model.at(ranks), 0.0) for model in models if model), modelled
