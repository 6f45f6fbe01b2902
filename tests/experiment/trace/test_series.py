"""One metric of a trace over time: rates and levels, on one or several locations."""

import io

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import CallPath, Location, Metric, Region
from autoanalyzer.experiment.trace import Samples, TimeLine, Trace, read_trace, series_of


def samples(text: str) -> Samples:
    return read_trace(io.BytesIO(("time,process,thread,x[bytes],y\n" + text).encode()), "t.csv")


def line(end: list[float], values: list[list[float]], begin: float = 0.0) -> TimeLine:
    ends = np.array(end)
    return TimeLine(
        np.concatenate([[begin], ends[:-1]]),
        ends,
        np.array(values),
        np.zeros(len(end) + 1, np.intp),
        np.empty(0, np.intp),
        np.empty(0, np.int64),
        np.empty(0),
        np.empty(0),
    )


def trace(*lines: TimeLine) -> Trace:
    metrics = [Metric("mpi_time", "sec"), Metric("resident_memory", "bytes", additive=False)]
    places = [Location("m", "n", rank) for rank in range(len(lines))]
    return Trace(metrics, [CallPath(Region("function", "f"))], places, [*map(len, lines)], lines.__getitem__)


def test_one_location_keeps_its_samples():
    found = series_of(samples("2,0,0,5,1\n1,0,0,3,\n4,0,0,7,3\n"), "x", "t.csv")
    assert (found.name, found.unit, found.source) == ("x", "bytes", "t.csv")
    assert found.times.tolist() == [1, 2, 4]
    assert found.begin.tolist() == [-0.5, 1, 2]  # the first sample has the usual length
    assert found.values.tolist() == [3, 5, 7]


def test_missing_values_are_no_samples_and_those_of_one_moment_are_one():
    found = series_of(samples("1,0,0,0,1\n2,0,0,0,\n3,0,0,0,4\n3,0,0,0,6\n"), "y")
    assert found.times.tolist() == [1, 3]
    assert found.values.tolist() == [1, 5]


def test_of_several_locations_the_mean_is_taken():
    found = series_of(samples("1,0,0,2,0\n2,0,0,4,0\n1,1,0,4,0\n2,1,0,8,0\n"), "x")
    assert found.times.tolist() == [1, 2]
    assert found.values.tolist() == [3, 6]
    assert series_of(samples("1,0,0,2,0\n2,0,0,4,0\n1,1,0,4,0\n2,1,0,8,0\n"), "x", ranks=[1]).values.tolist() == [4, 8]


def test_sums_of_our_traces_become_rates_and_levels_stay():
    one = trace(line([1.0, 3.0], [[0.5, 7], [0.5, 9]]))
    assert series_of(one, "mpi_time").values.tolist() == [0.5, 0.25]
    assert series_of(one, "mpi_time").unit == "sec/sec"
    assert series_of(one, "resident_memory").values.tolist() == [7, 9]
    assert series_of(one, "resident_memory").unit == "bytes"


def test_steps_keep_sums_whatever_the_samples():
    chance = np.random.default_rng(3)
    lines = []
    for _ in range(3):
        end = np.cumsum(chance.uniform(0.5, 1.5, 200))
        end *= 200 / end[-1]
        lines.append(line(end.tolist(), chance.uniform(0, 1, (200, 2)).tolist()))
    found = series_of(trace(*lines), "mpi_time")
    whole = np.mean([each.values[:, 0].sum() for each in lines])
    assert (found.values * (found.times - found.begin)).sum() == pytest.approx(whole)


def test_where_a_location_has_ended_the_mean_is_that_of_the_others():
    found = series_of(trace(line([1, 2, 3, 4.0], [[1, 0]] * 4), line([1, 2.0], [[0.5, 0]] * 2)), "mpi_time")
    assert found.values.tolist() == [0.75, 0.75, 1, 1]


@pytest.mark.parametrize(
    ("metric", "ranks", "said"),
    [
        ("z", None, "t: expected the metric z, found no metric of this name; there are x, y"),
        ("x", [5], "t: expected samples of x on these ranks, found none"),
    ],
)
def test_what_is_not_there_is_said(metric, ranks, said):
    with pytest.raises(InputError, match=said):
        series_of(samples("1,0,0,1,1\n"), metric, "t", ranks=ranks)
