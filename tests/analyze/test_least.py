"""What a finding must be worth to be one."""

import pytest

from autoanalyzer.analyze import analyze

CALM = {f"calm{number}": [1.0, 1.01, 0.99, 1.0] for number in range(9)}


@pytest.mark.parametrize(("least", "found"), [(None, True), (0.005, True), (0.02, False)], ids=str)
def test_an_imbalance_is_a_finding_if_to_share_its_work_saves_enough(make_experiment, least, found):
    findings = analyze(make_experiment({"a": [0.6, 0.6, 0.8, 0.6], **CALM}), least=least)  # 1.6 % of what ranks compute
    assert findings.dissimilarity.exists == found


@pytest.mark.parametrize(("seconds", "found"), [(0.0105, True), (0.0095, False)], ids=["just enough", "a little less"])
def test_a_hundredth_of_what_the_ranks_compute_is_enough(make_experiment, seconds, found):
    calm = {f"calm{number}": [1.0] * 4 for number in range(10)}
    excess = seconds * 10.2 * 4 / 3
    findings = analyze(make_experiment({"a": [0.2 + excess, 0.2, 0.2, 0.2], **calm}))
    assert findings.dissimilarity.exists == found


@pytest.mark.parametrize(("least", "cores"), [(None, 1), (0.1, 0)], ids=str)
def test_a_region_is_critical_if_it_takes_enough(make_experiment, least, cores):
    findings = analyze(make_experiment({"a": [0.05] * 4, "b": [0.001] * 4, "c": [0.002] * 4}, own=0.7), least=least)
    named = [findings.run.weighed.regions[core].id for core in findings.disparity.cccr]
    assert len([each for each in named if each]) == cores
