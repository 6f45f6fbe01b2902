"""Which regions and ranks are compared."""

from dataclasses import replace

import pytest

from autoanalyzer.analyze.run.selection import Selection
from autoanalyzer.errors import InputError, UsageError
from autoanalyzer.experiment.selection import paths_named

TIMES = {"grid::Smooth": [1, 1], "solve": [1, 2], "tasks::solve": [1, 1], "a::cost": [1, 1], "b::cost": [1, 1]}


@pytest.mark.parametrize("name", ["grid::Smooth", "smooth", "GRID::SMOOTH", "smooth@1"])
def test_a_region_is_found_by_name_last_part_or_place(make_experiment, name):
    selection = Selection.of(make_experiment(TIMES), exclude_regions=[name])
    assert selection.left_out[0][0] == [1]


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


@pytest.mark.parametrize(
    ("built_as", "asked", "found"),
    [
        ("/src/app/field.F90", "field.F90:2", [1]),
        ("/src/app/field.F90", "app/field.F90:2", [1]),
        ("../app/field.F90", "/src/app/field.F90:2", [1]),
        ("/src/app/field.F90", "ield.F90:2", []),
        ("/src/app/field.F90", "field.F90:3", []),
    ],
)
def test_a_place_is_found_by_any_name_that_its_file_may_have(make_experiment, built_as, asked, found):
    assert paths_named(_in_files(make_experiment, built_as), asked) == found


def test_a_place_in_two_files_is_refused_with_both_unless_the_whole_name_is_given(make_experiment):
    experiment = _in_files(make_experiment, "b/field.F90", "a/field.F90")
    assert paths_named(experiment, "b/field.F90:2") == [1]
    with pytest.raises(
        InputError, match=r"^field.F90:2 is in a/field.F90 and in b/field.F90; add the folder to the name$"
    ):
        paths_named(experiment, "field.F90:2")


def _in_files(make_experiment, *files):
    """Return regions that all begin at line 2, each in its own file."""
    experiment = make_experiment({f"f{number}": [1, 1] for number in range(len(files))})
    for number, file in enumerate(files, 1):
        path = experiment.call_paths[number]
        placed = replace(path, region=path.region._replace(file=file, first_line=2))
        experiment.call_paths = (*experiment.call_paths[:number], placed, *experiment.call_paths[number + 1 :])
    return experiment
