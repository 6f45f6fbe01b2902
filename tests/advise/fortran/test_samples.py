"""Where the Fortran samples divide their work and pass on results."""

from pathlib import Path

import pytest

from autoanalyzer.advise.advice import HIGH, LOW, Site
from autoanalyzer.advise.division_of_work import division_of_work
from autoanalyzer.advise.fortran import read_fortran
from autoanalyzer.advise.indirection import indirection
from autoanalyzer.advise.nest import Loop, statements
from autoanalyzer.advise.pipeline import pipeline

SAMPLES = Path(__file__).parents[3] / "samples"


def advice(kind, file, loop, *others, **numbers):
    """Advise on a loop of a sample, named by its label or first line."""
    sources = {Path(each).name: read_fortran((SAMPLES / each).read_bytes(), SAMPLES / each) for each in (file, *others)}
    source = sources[Path(file).name]
    for procedure in source.procedures:
        for each, _ in statements(procedure.body):
            if isinstance(each, Loop) and loop in (each.label, each.line):
                return [*kind(Site(source, procedure, each.line, each.last_line, numbers=numbers, sources=sources))]
    raise AssertionError(loop)


@pytest.fixture
def advised():
    """Return the confidence and the places of the advice on a loop of a sample."""

    def advises(*words, **numbers):
        found = advice(*words, **numbers)
        return [(each.confidence, [place.rpartition("/")[2] for place in each.places]) for each in found]

    return advises


def test_an_index_that_stays_the_same_is_no_indirection(advised):
    assert advised(indirection, "st/ramod3_strided.f", "110") == []


@pytest.mark.parametrize(("file", "loop"), [("st/st.f", "140"), ("st/ramod3_strided.f", "110")])
def test_work_that_a_master_divides_by_number_is_found_where_it_does(advised, file, loop):
    others = ["st/st.f", "st/ramod3_strided.f"]
    ((_, places),) = advised(division_of_work, file, loop, *others, "st/dispatch_static.f")
    assert places[0] == "dispatch_static.f:14"
    found = advised(division_of_work, file, loop, *others, "st/dispatch_dynamic.f")
    assert [each for each, _ in found if each != LOW] == []


def test_the_division_from_which_a_bound_in_a_table_derives_is_not_that_of_its_own_loop():
    others = "st/st.f", "st/dispatch_static.f"
    (found,) = advice(division_of_work, "st/ramod3_strided.f", "110", *others)
    assert found.text.startswith("if equal parts differ in cost, deal the work out cyclically, or on demand: the loop")
    made = "ibatch(1) = 1 + nshot*(iw - 1)/nwork"
    assert f"runs to mpass(kind(ishot)), which derives from {made} in " in found.text
    assert "equal numbers of iterations" not in found.text


@pytest.mark.parametrize(("turns", "lines"), [(1, ["30", "33", "35", "41"]), (8, [])])
def test_a_pipeline_that_hands_on_all_at_once_is_to_hand_on_less(turns, lines):
    path = SAMPLES / "sweep/octants.f90"
    source = read_fortran(path.read_bytes(), path)
    take = next(each for each in source.procedures if each.name == "octants::take")
    numbers = {"entries": 2 * turns * 32, "entries_around": 32}
    site = Site(source, take, take.line, take.last_line, numbers=numbers)
    assert [place.rpartition(":")[2] for each in pipeline(site) for place in each.places] == lines


def test_work_that_a_grid_divides_is_found_where_it_does(advised):
    found = advised(division_of_work, "sweep/octants.f90", 52, "sweep/neighbours.f90")
    assert found == [(HIGH, ["neighbours.f90:23", "octants.f90:53"])]
