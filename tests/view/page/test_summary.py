"""The summary of a metric, computed in one pass over its rows, equals that of all values at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from autoanalyzer.view.page.summary import MEASURES, bins_of, summary

from ..conftest import FOREIGN, GAPS, OWN, PARTS_ALONE


def _measures(values):
    """Return the measures of ``values[location]``, in the order of MEASURES."""
    known = [(value, who) for who, value in enumerate(values) if not np.isnan(value)]
    if not known:
        return [np.nan] * 6 + [0]
    only = np.array([value for value, _ in known])
    least = min(known, key=lambda each: (each[0], each[1]))
    most = max(known, key=lambda each: (each[0], -each[1]))
    return [least[0], only.mean(), most[0], only.std(), least[1], most[1], len(known)]


def _closed(experiment, metric, path):
    """Return the values of a call path with everything below it, by location."""
    kind = experiment.metric(metric).aggregation
    rows = experiment.exclusive(metric)[[*experiment.walk(path)]]
    if len(rows) == 1:
        return rows[0]
    if kind == "none":
        return np.full(rows.shape[1], np.nan)
    with np.errstate(all="ignore"):
        put = {"sum": np.nansum, "min": np.nanmin, "max": np.nanmax}[kind]
        return np.array([np.nan if np.isnan(column).all() else put(column) for column in rows.T])


@pytest.mark.parametrize("name", (*OWN, "rays - rays_dynamic", *FOREIGN, *GAPS, *PARTS_ALONE))
def test_it_is_what_all_values_at_once_give(name, experiments, monkeypatch):
    monkeypatch.setattr("autoanalyzer.experiment.experiment._BLOCK", 50)
    experiment = experiments[name]
    paths = range(min(len(experiment.call_paths), 25))
    for metric in experiment.metrics[:12]:
        found = summary(experiment, metric.name, [0, 2])
        values = experiment.exclusive(metric.name)
        ranges = bins_of(values.shape[1])
        for path in paths:
            closed = _closed(experiment, metric.name, path)
            np.testing.assert_allclose(found.own[:, path], _measures(values[path]), rtol=1e-9, atol=1e-12)
            _assert_close(found.closed[:, path], closed)
            if metric.aggregation == "sum":
                parts = [values[path, low:high] for low, high in pairwise(ranges)]
                sums = [np.nan if np.isnan(part).all() else np.nansum(part) for part in parts]
                np.testing.assert_allclose(found.bins[path], sums, rtol=1e-9, atol=1e-12)
        for path, (alone, whole) in found.rows.items():
            np.testing.assert_array_equal(alone, values[path])
            np.testing.assert_allclose(whole, _closed(experiment, metric.name, path), rtol=1e-9, atol=1e-9)


def _assert_close(found, values):
    """Compare measures; the ranks with the extremes may differ if their sums differ only by rounding."""
    expected = _measures(values)
    scale = np.nanmax(np.abs(values), initial=0.0)
    np.testing.assert_allclose(found[[0, 1, 2, 3, 6]], [expected[each] for each in (0, 1, 2, 3, 6)], atol=1e-9 * scale)
    for measure, who in ((0, 4), (2, 5)):
        if not np.isnan(found[who]):
            assert abs(values[int(found[who])] - found[measure]) <= 1e-9 * scale


def test_who_names_the_first_of_those_that_are_alike():
    assert MEASURES[4:6] == ("who least", "who most")
    assert bins_of(3).tolist() == [0, 1, 2, 3]
    assert len(bins_of(100_000)) == 257
