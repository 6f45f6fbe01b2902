import pytest

from autoanalyzer.analyze.evidence.attributes import attributes_of
from autoanalyzer.analyze.run.selection import Selection


def test_a_rank_with_hardly_any_accesses_has_the_rate_of_all(make_experiment):
    accesses = [1e8, 1e8, 1e8, 5e5, 1.1e6]  # the fourth rank has 0.8 % of the mean, the last one 1.8 %
    misses = [1e6, 1e6, 1e6, 4e5, 9e5]
    experiment = make_experiment({"work": [1.0] * 5}, l1_accesses={"work": accesses}, l1_misses={"work": misses})
    rates = attributes_of(Selection.of(experiment))["l1_miss_rate"].of_ranks(0)
    assert rates == pytest.approx([0.01, 0.01, 0.01, sum(misses) / sum(accesses), 9e5 / 1.1e6])
