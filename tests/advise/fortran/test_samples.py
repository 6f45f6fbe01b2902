"""What is planted in the samples is named, to the line, and nothing of it in the cured versions."""

from pathlib import Path

import pytest

from autoanalyzer.advise.advice import HIGH, LOW, Site
from autoanalyzer.advise.division_of_work import division_of_work
from autoanalyzer.advise.fortran import read_fortran
from autoanalyzer.advise.indirection import indirection
from autoanalyzer.advise.input_output import input_output
from autoanalyzer.advise.loop_order import order_of_loops
from autoanalyzer.advise.nest import Loop, statements

SAMPLES = Path(__file__).parents[3] / "samples"


@pytest.fixture
def advised():
    """Advise on a loop of a sample, named by its label or first line."""

    def advises(kind, file, loop, *others, **numbers):
        sources = {
            Path(each).name: read_fortran((SAMPLES / each).read_bytes(), SAMPLES / each) for each in (file, *others)
        }
        source = sources[Path(file).name]
        for procedure in source.procedures:
            for each, _ in statements(procedure.body):
                if isinstance(each, Loop) and loop in (each.label, each.line):
                    site = Site(source, procedure, each.line, each.last_line, numbers=numbers, sources=sources)
                    found = list(kind(site))
                    return [(each.confidence, [place.rpartition("/")[2] for place in each.places]) for each in found]
        raise AssertionError(loop)

    return advises


def test_loops_of_st_are_to_change_places(advised):
    places = ["ramod3_strided.f:28", "ramod3_strided.f:29"]
    assert (HIGH, places) in advised(order_of_loops, "st/ramod3_strided.f", "110")
    assert advised(order_of_loops, "st/ramod3_contiguous.f", "110") == []


def test_an_index_that_stays_the_same_is_no_indirection(advised):
    assert advised(indirection, "st/ramod3_strided.f", "110") == []


def test_st_is_to_keep_its_traces_in_memory(advised):
    places = ["stack_disk.f:16", "stack_disk.f:22", "stack_disk.f:13"]
    assert advised(input_output, "st/stack_disk.f", "80") == [(HIGH, places)]
    assert advised(input_output, "st/stack_memory.f", "80", io_calls=4, io_bytes=4 << 18) == []


@pytest.mark.parametrize(("file", "loop"), [("st/st.f", "140"), ("st/ramod3_strided.f", "110")])
def test_work_that_a_master_divides_by_number_is_found_where_it_does(advised, file, loop):
    others = ["st/st.f", "st/ramod3_strided.f"]
    ((_, places),) = advised(division_of_work, file, loop, *others, "st/dispatch_static.f")
    assert places[0] == "dispatch_static.f:14"
    found = advised(division_of_work, file, loop, *others, "st/dispatch_dynamic.f")
    assert [each for each, _ in found if each != LOW] == []


def test_work_that_a_grid_divides_is_found_where_it_does(advised):
    found = advised(division_of_work, "sweep/octants.f90", 52, "sweep/neighbours.f90")
    assert found == [(HIGH, ["neighbours.f90:23", "octants.f90:53"])]
