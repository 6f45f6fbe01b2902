"""Imbalance costs time on those that share the work: ranks, threads of a team, or the first thread of each rank."""

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.verdict.losses import losses


def _lost(experiment):
    paths, findings = experiment.call_paths, analyze(experiment)
    regions = findings.vectors.regions
    return {paths[regions[each.region].id].region.name: each for each in losses(findings)}


def test_what_first_threads_alone_compute_is_lost_on_them_alone(make_experiment):
    alone = [0.01, 0, 4, 0, 0.01, 0]
    found = _lost(make_experiment({"alone": alone, "team": [1, 1, 1, 1, 1, 4]}, threads=2))
    assert found["alone"].mean == pytest.approx(4.02 / 3)
    assert found["alone"].loss == pytest.approx(3 * (4 - 4.02 / 3))  # not six: only first threads execute it
    assert (found["team"].mean, found["team"].loss, found["team"].slowest) == (1.5, 6 * 2.5, "2.1")
    for each in found.values():
        assert each.factor == pytest.approx(each.longest / each.mean)


def test_threads_that_were_not_in_a_team_do_not_count(make_experiment):
    found = _lost(make_experiment({"of two": [2, 3, 0, 0], "of four": [1, 1, 1, 2]}, threads=4))
    assert (found["of two"].mean, found["of two"].loss) == (2.5, 1.0)
    assert found["of four"].loss == 4 * 0.75


def test_serial_code_of_one_process_has_nobody_to_share_with(make_experiment):
    assert list(_lost(make_experiment({"alone": [5, 0], "team": [2, 1]}, threads=2))) == ["team"]


def test_the_own_code_around_a_team_is_of_first_threads(make_experiment):
    found = _lost(make_experiment({"around": [1, 0, 3, 0], "around/team": [2, 2, 2, 4]}, threads=2))
    assert (found["around"].mean, found["around"].loss) == (2, 2)
    assert (found["team"].mean, found["team"].loss) == (2.5, 6)
