import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.paper.weights import severity_classes


def test_five_groups_get_the_five_classes_whatever_lies_between_them():
    assert severity_classes([100, 95, 60, 30, 10, 2]) == [4, 4, 3, 2, 1, 0]


def test_alike_values_are_not_merged():
    assert severity_classes([100, 91, 50, 46, 10]) == [4, 3, 2, 1, 0]


def test_a_small_value_is_high_if_the_others_are_smaller():
    assert severity_classes([100.0, 1.0, 1.0, 0.0]) == [4, 3, 3, 0]


def test_equal_values_weigh_as_often_as_they_occur():
    """Six distinct values have five classes: two share one, either near neighbours or those that occur once."""
    assert severity_classes([100, 50, 12, 10, 1.5, 0.2]) == [4, 3, 2, 1, 0, 0]
    assert severity_classes([100, 50, 12, 10, *[1.5] * 10, *[0.2] * 10]) == [4, 3, 2, 2, *[1] * 10, *[0] * 10]


@pytest.mark.parametrize("values", [[], [3.0], [2.0, 2.0], [0.0, 0.0]])
def test_fewer_than_two_different_values_have_no_classes(values):
    assert severity_classes(values) is None


def test_a_trivial_region_is_critical_by_the_paper_alone(make_experiment):
    experiment = make_experiment({"big": [100.0], "small": [0.5], "tiny": [0.01]})
    found = {method: analyze(experiment, method=method).disparity for method in ("autoanalyzer", "paper")}
    assert {method: len(each.critical) for method, each in found.items()} == {"autoanalyzer": 1, "paper": 2}


def test_crnm_is_the_mean_of_each_rank_s_share_times_its_cycles_per_instruction(make_experiment):
    experiment = make_experiment(
        {"a": [1.0, 3.0], "b": [3.0, 1.0]},
        cycles={"a": [1e9, 3e9], "b": [3e9, 1e9]},
        instructions={"a": [1e9, 1e9], "b": [1e9, 4e9]},
    )
    found = analyze(experiment, method="paper")
    assert found.disparity.values[:2] == pytest.approx(((1 * 1 + 3 * 3) / 2 / 4, (3 * 3 + 1 * 0.25) / 2 / 4))
    by_cpi = analyze(experiment, method="paper", disparity_metric="cpi")
    assert by_cpi.disparity.values[:2] == pytest.approx(((1 + 3) / 2, (3 + 0.25) / 2))


def test_time_in_mpi_which_is_not_counted_has_the_cycles_of_the_program(make_experiment):
    experiment = make_experiment(
        {"a": [1.0], "b": [1.0]},
        mpi_time={"b": [2.0]},
        cycles={"a": [1e9], "b": [1e9]},
        instructions={"a": [1e9], "b": [0.5e9]},
    )
    found = analyze(experiment, method="paper")
    program = 2e9 / 1.5e9
    assert found.disparity.values[:2] == pytest.approx((1 / 4, (1 * 2 + 2 * program) / 4))


def test_a_region_around_the_whole_program_is_weighed_as_it_is(make_experiment):
    experiment = make_experiment({"loop": [0.0], "loop/a": [6.0], "loop/b": [4.0]})
    found = analyze(experiment, method="paper")
    assert np.argmax(found.disparity.values) == 0
    assert not found.run.weighed.regions[0].own_code
    assert analyze(experiment).run.weighed.regions[0].own_code


def test_a_culprit_is_of_a_higher_class_than_each_of_its_children(make_experiment):
    seconds = {"outer": [50.0], "outer/inner": [20.0], "chain": [0.0], "chain/leaf": [40.0], "x": [3.0], "y": [1.0]}
    found = analyze(make_experiment(seconds), method="paper", disparity_metric="wall_time")
    names = [found.experiment.path_name(found.run.weighed.regions[each].id) for each in found.disparity.culprits]
    assert names == ["outer", "chain/leaf"]
