"""Which metrics determine clusters: those with differences that matter, if there are any."""

from dataclasses import replace

import numpy as np
import pytest

from autoanalyzer.multivariate.materiality import dimensions
from autoanalyzer.multivariate.metric_space import MetricSpace, Point


def _space(**columns) -> MetricSpace:
    arrays = {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}
    units = dict.fromkeys(("wall_time", "cpu_time"), "sec")
    return MetricSpace.of_columns(arrays, [Point(rank) for rank in range(4)], units=units)


def test_what_differs_by_less_than_matters_is_no_dimension_and_the_reason_is_kept():
    found = dimensions(_space(work=[1, 1, 2, 2], misses=[100, 100, 100, 108], same=[3, 3, 3, 3]))
    assert found.metrics == ("work",)
    assert found.dropped == {"misses": "no difference that matters", "same": "constant: 3"}


def test_where_nothing_matters_everything_is_a_dimension():
    space = _space(work=[100, 101, 102, 103], misses=[100, 100, 100, 108])
    assert dimensions(space).metrics == space.metrics


@pytest.mark.parametrize(
    ("waiting", "kept"),
    [((), ("wall_time", "cpu_time")), (("wall_time",), ("cpu_time",)), (("wall_time", "cpu_time"), None)],
)
def test_waiting_for_a_turn_is_no_dimension_while_there_are_others(waiting, kept):
    space = _space(wall_time=[1, 1, 2, 2], cpu_time=[1, 2, 1, 2])
    found = dimensions(replace(space, waiting=frozenset(waiting)))
    assert found.metrics == (kept or space.metrics)


def test_so_many_metrics_are_kept_as_an_analysis_needs():
    space = _space(work=[1, 1, 2, 2], misses=[100, 100, 100, 108])
    assert dimensions(space, fewest=2).metrics == space.metrics
