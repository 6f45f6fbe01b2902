"""Which regions and ranks take part in a comparison."""

import pytest

from autoanalyzer.analyze.selection import Selection
from autoanalyzer.errors import UsageError

TIMES = {"grid::Smooth": [1, 1], "solve": [1, 2], "tasks::solve": [1, 1], "a::cost": [1, 1], "b::cost": [1, 1]}


@pytest.mark.parametrize("name", ["grid::Smooth", "smooth", "GRID::SMOOTH", "smooth@1"])
def test_a_region_is_found_by_name_last_part_or_place(make_experiment, name):
    Selection.of(make_experiment(TIMES), exclude_regions=[name])


def test_an_exact_name_comes_first(make_experiment):
    selection = Selection.of(make_experiment(TIMES), exclude_regions=["solve"])
    assert selection.left_out[0][0] == [2]


def test_what_may_be_two_regions_is_refused_with_both(make_experiment):
    with pytest.raises(UsageError, match=r"did you mean a::cost, b::cost\?"):
        Selection.of(make_experiment(TIMES), exclude_regions=["cost"])


def test_a_place_is_that_of_a_verdict(make_experiment):
    experiment = make_experiment(TIMES)
    place = experiment.call_paths[2].region
    selection = Selection.of(experiment, exclude_regions=[f"{place.file}:{place.first_line}"])
    assert 2 in selection.left_out[0][0]
