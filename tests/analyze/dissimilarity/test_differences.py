"""Whether a difference between ranks may be chance."""

import pytest

from autoanalyzer.analyze import analyze


@pytest.mark.parametrize(
    ("seconds", "alone"),
    [
        pytest.param([0.98, 1.02, 1.02, 0.98], True, id="no longer"),
        pytest.param([1.0, 0.98, 1.03, 1.03], True, id="longer by less than they deviate"),
        pytest.param([1.04, 0.99, 1.01, 1.0], False, id="longer, though one hardly"),
        pytest.param([1.02, 0.98, 0.98, 1.02], False, id="longer"),
        pytest.param([1.4, 0.98, 1.0, 1.3], False, id="longer still by the clock"),
    ],
)
def test_who_executes_more_and_takes_no_longer_by_the_clock_differs_perhaps(make_experiment, seconds, alone):
    executed = [1.06e9, 1e9, 1e9, 1.06e9]
    calm = {f"calm{number}": [0.1] * 4 for number in range(4)}
    made = make_experiment(
        {"work": seconds, **calm}, instructions={"work": executed, **{each: [1e8] * 4 for each in calm}}
    )
    found = analyze(made)
    assert found.dissimilarity.clusters == ((0, 3), (1, 2))
    assert found.differences.is_by_counts_alone(found.dissimilarity.culprits) == alone
