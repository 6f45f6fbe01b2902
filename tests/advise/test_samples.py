"""Advice names the planted faults of the samples and their cures, and is silent about the cured versions."""

import pytest

from autoanalyzer.advise.advice import HIGH, MEDIUM, Site
from autoanalyzer.advise.c_family import read_c_family
from autoanalyzer.advise.division_of_work import division_of_work
from autoanalyzer.advise.input_output import input_output
from autoanalyzer.advise.loop_order import order_of_loops
from autoanalyzer.advise.messages import messages
from autoanalyzer.advise.repeated_work import repeated_work
from autoanalyzer.advise.thread_loops import thread_loops

from .conftest import SAMPLES
from .test_loop_order import lines


def test_st_walks_along_rows(sample):
    found = [each for each in order_of_loops(sample("st/ramod3_strided.f", "ramod3")) if "interchange" in each.text]
    assert {28, 29} in [set(lines(each)) for each in found]
    contiguous = order_of_loops(sample("st/ramod3_contiguous.f", "ramod3"))
    assert not [each for each in contiguous if {*lines(each)} == {28, 29}]


def test_st_keeps_gathers_on_disk(sample):
    (advice,) = input_output(sample("st/stack_disk.f", "stack"))
    assert {16, 22} <= {*lines(advice)}
    assert "keep the data in memory" in advice.text
    assert not list(input_output(sample("st/stack_memory.f", "stack")))


def test_st_hands_out_blocks_of_equal_counts(sample):
    (advice,) = division_of_work(sample("rays/propagate.c", "propagate", "rays/schedule_static.c"))
    assert advice.places[0] == f"{advice.places[0].rpartition(':')[0]}:16"
    assert "schedule_static.c" in advice.places[0]
    assert "deal the iterations out cyclically" in advice.text
    assert not list(division_of_work(sample("rays/propagate.c", "propagate", "rays/schedule_dynamic.c")))


def test_pvalue_multiplies_again(sample):
    found = {
        each.text.partition(" is ")[0]: lines(each)
        for each in repeated_work(sample("pvalue/shape_plain.c", "shape_test"))
    }
    assert found["weight[i]*score[i]*score[i]"][:2] == [23, 24]
    assert not list(repeated_work(sample("pvalue/shape_lean.c", "shape_test")))


def test_spectra_computes_sines_again(sample):
    found = [lines(each) for each in repeated_work(sample("spectra/analyse_anew.c", "analyse"))]
    assert [14, 15] in [each[:2] for each in found]
    assert not list(repeated_work(sample("spectra/analyse_table.c", "analyse")))


def test_gas_searches_from_the_beginning(sample):
    (advice,) = repeated_work(sample("gas/pressures_scan.cpp", "find_pressures"))
    assert lines(advice) == [7, 4]
    assert not list(repeated_work(sample("gas/pressures_halve.cpp", "find_pressures")))


def test_blocks_gives_all_rooms_to_all_ranks(sample):
    (advice,) = messages(sample("blocks/collect_rooms.c", "collect"))
    assert lines(advice) == [22, 18]
    assert "MPI_Gatherv" in advice.text
    assert not list(messages(sample("blocks/collect_packed.c", "collect")))


@pytest.mark.parametrize(("chosen", "sure"), [("", [MEDIUM]), ("static", [HIGH]), ("dynamic", [])])
def test_hybrid_has_a_static_schedule_of_uneven_turns_if_the_build_says_so(chosen, sure):
    path = SAMPLES / "hybrid/pairs.c"
    text = path.read_text().replace("\n", f"\n#define SCHEDULE {chosen}\n" if chosen else "\n\n", 1)
    source = read_c_family(text.encode(), path)
    (procedure,) = source.procedures
    found = list(thread_loops(Site(source, procedure, procedure.line, procedure.last_line)))
    assert [each.confidence for each in found] == sure
    assert [lines(each) for each in found] == [[13, 16]] * len(sure)
    assert all("schedule(dynamic)" in each.text for each in found)
    assert all("if the macro " in each.text for each in found) == (sure != [HIGH])
