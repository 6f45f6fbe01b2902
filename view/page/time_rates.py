"""Derive metrics over time by formulas, such as misses per 1000 instructions or bytes per second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment, Metric
from ...experiment.trace import Trace
from ...multivariate.derivations import PARTS_ALONE, about, cache_line, possible
from ...multivariate.formula import Formula, parts

__all__ = ["TimeRates"]

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TimeRates:
    """The derived metrics of a trace.

    Attributes:
        names: Names of the trace's metrics, in the order of columns.
        formulas: The formulas, each after the formulas that it uses.
        metrics: The derived metrics to show, without metrics that serve only as input of other formulas.
    """

    names: Sequence[str]
    formulas: Sequence[Formula]
    metrics: Sequence[Metric]

    @classmethod
    def of(cls, trace: Trace, experiment: Experiment) -> TimeRates:
        """Return the derived metrics of a trace; counts per second are left out if counts are simulated.

        Args:
            trace: The trace of a run.
            experiment: The profile of the run.
        """
        adding = [metric for metric in trace.metrics if metric.additive]
        formulas = possible([metric.name for metric in adding], cache_line(experiment))
        times = {metric.name for metric in adding if metric.unit == "sec"}
        simulated = {metric.name for metric in (*adding, *experiment.metrics) if metric.source.startswith("simulated")}
        made_of = parts(formulas)
        metrics = [
            Metric(each.name, each.unit({}), None, f"{about(each)}: {each.text}", additive=False)
            for each in formulas
            if each.name not in PARTS_ALONE
            and not (times & {*made_of[each.name]} and simulated & {*made_of[each.name]})
        ]
        return cls([metric.name for metric in trace.metrics], formulas, metrics)

    def beside(self, values: Values) -> Values:
        """Return the values of a time line, ``float64[step, metric]``, with columns of derived metrics appended."""
        columns = dict(zip(self.names, values.T, strict=True))
        for formula in self.formulas:
            columns[formula.name] = formula.evaluate(columns)
        return np.column_stack([values, *(columns[metric.name] for metric in self.metrics)])
