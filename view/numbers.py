"""Aggregate the values of an experiment's stored and derived metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import InputError
from ..experiment import Experiment, Metric
from ..experiment.aggregate import Level, by_level, own_totals, totals
from ..experiment.experiment import Severity
from ..experiment.grouping import over_locations
from ..multivariate.derivations import about
from ..multivariate.formula import Formula
from .place import visible

__all__ = ["Numbers"]


@dataclass(frozen=True)
class Numbers:
    """The values of metrics, aggregated over call paths and locations.

    Attributes:
        experiment: The experiment with the metrics.
        formulas: Name of a derived metric → its formula, which is applied to aggregated values (a ratio of sums, not a
            sum of ratios).
    """

    experiment: Experiment
    formulas: Mapping[str, Formula] = field(default_factory=dict)

    @classmethod
    def of(cls, experiment: Experiment, formulas: Iterable[Formula]) -> Numbers:
        """Return an experiment's values, including those of derived metrics."""
        return cls(experiment, {each.name: each for each in formulas})

    def kind(self, name: str) -> Metric:
        """Return the definition of a stored or derived metric; derived metrics are not additive."""
        if name not in self.formulas:
            return self.experiment.metric(name)
        formula = self.formulas[name]
        unit = formula.unit({})
        return Metric(name, unit, None, about(formula), f"derived:{formula.text}", additive=False)

    def is_summed_up(self, name: str) -> bool:
        """Return whether inclusive values of a metric are meaningful."""
        return name in self.formulas or self.kind(name).aggregation != "none"

    def values(self, name: str, level: Level | None, *, inclusive: bool) -> Severity:
        """Return a metric's values, ``float64[call path]``, or ``float64[call path, element]`` if a level is given.

        Raises:
            InputError: A sum overflows.
        """
        if name in self.formulas:
            formula = self.formulas[name]
            return formula.evaluate({each: self.values(each, level, inclusive=inclusive) for each in formula.metrics})
        with np.errstate(over="ignore", invalid="ignore"):
            found = self._put_together(name, level, inclusive=inclusive)
        return _held(name, found)

    def own_totals(self, names: Sequence[str]) -> dict[str, Severity]:
        """Map stored or derived metrics to their exclusive values, summed over locations: ``float64[call path]``.

        Raises:
            InputError: A sum overflows.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            sums = own_totals(self.experiment, [name for name in names if name not in self.formulas])
        found = {name: _held(name, values) for name, values in sums.items()}
        return {name: found[name] if name in found else self.values(name, None, inclusive=False) for name in names}

    def _put_together(self, name: str, level: Level | None, *, inclusive: bool) -> Severity:
        experiment = self.experiment
        if level:
            values = experiment.inclusive(name) if inclusive else experiment.exclusive(name)
            return by_level(experiment, name, values, level)[1]
        if not inclusive:
            return totals(experiment, name)
        kind, stored = experiment.metric(name), experiment.stored_inclusive(name)
        if stored is not None:
            return over_locations(kind, stored)
        return experiment.summed_up(totals(experiment, name)[:, None], kind)[:, 0]


def _held(metric: str, values: Severity) -> Severity:
    if np.isinf(values).any():
        raise InputError(f"the sums of metric {visible(metric)!r} overflow")
    return values
