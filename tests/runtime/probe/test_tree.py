"""Call paths, visits, and the times and counts of nodes."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from autoanalyzer.runtime.gather.shard_layout import MPI_KINDS

from .conftest import Record, Visits

SLEPT = 0.0999  # minimum seconds of ``sleep 100``, with clocks that differ by less than a thousandth


def test_a_region_reached_through_two_parents_is_two_call_paths(record: Record, visits: Visits) -> None:
    (shard,) = record("+main +f +g -g -f +g -g +f +g -g -f -main")
    assert visits(shard) == {"main": 1, "main/f": 2, "main/f/g": 2, "main/g": 1}
    assert [region.name for region in shard.regions] == ["main", "f", "g"]


def test_a_recursive_call_collapses_into_its_first_occurrence(record: Record, visits: Visits) -> None:
    (shard,) = record("+main +f +f +f -f -f -f +f +g +f +h -h -f -g -f -main")
    assert visits(shard) == {"main": 1, "main/f": 5, "main/f/g": 1, "main/f/h": 1}


def test_mutual_recursion_gives_the_same_tree_in_every_order(record: Record, visits: Visits) -> None:
    (first,) = record("+a +b +a +c +b -b -c -a -b +c +b -b -c -a")
    assert visits(first) == {"a": 2, "a/b": 1, "a/c": 2, "a/c/b": 2}


def test_recursion_may_be_as_deep_as_memory_allows(record: Record, visits: Visits) -> None:
    (shard,) = record("+main *200000 +f *200000 -f -main")
    assert visits(shard) == {"main": 1, "main/f": 200000}
    assert shard.threads[0].repairs == 0


def test_equal_text_at_two_addresses_is_one_region(record: Record, visits: Visits) -> None:
    (shard,) = record("+main +f -f +f@2 -f@2 +f -f@2 +f@2 -f +f@2 +f -f@2 -f -main")
    assert visits(shard) == {"main": 1, "main/f": 6}
    assert len(shard.regions) == 2
    assert shard.threads[0].repairs == 0


def test_thousands_of_siblings_are_told_apart(record: Record, visits: Visits) -> None:
    (shard,) = record("+main new 20000 -main")
    assert len(visits(shard)) == 20001


def test_an_exit_closes_what_was_left_open_within(record: Record, visits: Visits) -> None:
    (shard,) = record("+main +f +g +h -f +k -k -main +end -end")
    assert visits(shard) == {"main": 1, "main/f": 1, "main/f/g": 1, "main/f/g/h": 1, "main/k": 1, "end": 1}
    assert shard.threads[0].repairs == 1


def test_an_exit_that_matches_nothing_is_ignored_and_counted(record: Record, visits: Visits) -> None:
    (shard,) = record("+main -f -g +f -f -NULL -main -main +f -f")
    assert visits(shard) == {"main": 1, "main/f": 1, "f": 1}
    assert shard.threads[0].unmatched == 4


def test_a_jump_into_an_open_region_leaves_those_above(record: Record, visits: Visits) -> None:
    (shard,) = record("+main +f +g +h =f +k -k =f@2 -f +l =main +m -m -main")
    paths = ["main", "main/f", "main/f/g", "main/f/g/h", "main/f/k", "main/l", "main/m"]
    assert visits(shard) == dict.fromkeys(paths, 1)
    assert (shard.threads[0].repairs, shard.threads[0].unmatched) == (0, 0)


def test_a_jump_lands_in_the_last_of_recursive_calls(record: Record, visits: Visits) -> None:
    (shard,) = record("+main +f +f +g =f -f +h -h -f +k -k -main")
    assert visits(shard) == {"main": 1, "main/f": 2, "main/f/g": 1, "main/f/h": 1, "main/k": 1}
    assert shard.threads[0].repairs == 0


def test_a_jump_into_a_region_that_is_not_open_is_ignored_and_counted(record: Record, visits: Visits) -> None:
    (shard,) = record("=main +main +f -f =f +g -g =NULL -main =main")
    assert visits(shard) == {"main": 1, "main/f": 1, "main/g": 1}
    assert shard.threads[0].unmatched == 3


def test_a_jump_out_of_a_library_call_ends_it(linked: Record) -> None:
    (shard,) = linked("+main +f +g mpi{ =f sleep 100 io{ sleep 1 }io -f -main")
    f, g = shard.threads[0].nodes[2:]
    assert (f["mpi_wall"], g["io_wall"]) == (0, 0)
    assert f["io_wall"] > 0
    assert f["wall"] - f["io_wall"] > SLEPT


@pytest.mark.parametrize("text", ["aa0|function|f|x.c|f|0|1|2", "aa1|function|f", "my region", ""])
def test_a_refused_descriptor_counts_to_its_parent(record: Record, visits: Visits, tmp_path: Path, text: str) -> None:
    word = f"|{text}".replace(" ", "_")
    (shard,) = record(f"+main +{word} +f -f -{word} +{word} -{word} -main")
    assert visits(shard) == {"main": 1, "main/f": 1}
    assert (shard.refused, shard.threads[0].collapsed) == (1, 2)
    warning = (tmp_path / "stderr").read_text()
    assert warning.startswith("autoanalyzer: expected a region descriptor of version aa1, found '")
    assert warning.count("\n") == 1


def test_a_null_descriptor_counts_to_its_parent(record: Record, visits: Visits) -> None:
    (shard,) = record("+main +NULL +f -f -NULL -main")
    assert visits(shard) == {"main": 1, "main/f": 1}


def test_without_memory_new_call_paths_count_to_their_parent(record: Record, visits: Visits) -> None:
    (shard,) = record("+main new 20000 +f +g -g -f -main", AUTOANALYZER_MAX_MEMORY="1M")
    recorded = visits(shard)
    assert recorded["main"] == 1
    assert 1000 < len(recorded) < 20000
    assert sum(recorded.values()) + shard.threads[0].collapsed == 20003
    assert shard.path.stat().st_size <= 1 << 20
    assert shard.state == "exited"


def test_a_limit_on_the_size_of_files_is_no_reason_to_die(
    preloaded: Record, visits: Visits, request: pytest.FixtureRequest
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    request.addfinalizer(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard)))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, hard))
    (shard,) = preloaded("+main new 20000 -main")
    assert sum(visits(shard).values()) + shard.threads[0].collapsed == 20001


def test_handlers_may_interrupt_the_library_anywhere(record: Record, visits: Visits) -> None:
    (shard,) = record("+main alarms times 200 new 100 *500 +r *500 -r ; calm -main")
    recorded, thread = visits(shard), shard.threads[0]
    new = sum(count for path, count in recorded.items() if "/new_" in path and "handler" not in path)
    assert new == 20000
    assert recorded["main/r"] == 100000
    assert (thread.repairs, thread.unmatched, thread.collapsed, thread.stopped) == (0, 0, 0, 0)


def test_exclusive_times_add_up_to_the_life_of_the_thread(record: Record) -> None:
    (shard,) = record("+main *1000 +r *1000 -r new 50 sleep 5 -main")
    thread = shard.threads[0]
    assert thread.nodes["wall"].sum() == pytest.approx(thread.last, rel=1e-9)
    assert (thread.nodes["cpu"] <= thread.nodes["wall"]).all()
    assert shard.end is not None
    assert thread.last <= shard.end


def test_library_calls_have_a_share_of_their_own(linked: Record) -> None:
    (shard,) = linked("+main +f mpi{ sleep 20 mpi 100 }mpi io{ sleep 10 io 7 }io sleep 10 -f -main")
    f = shard.threads[0].nodes[2]
    assert (f["mpi_calls"], f["mpi_sent"], f["mpi_received"]) == (1, 100, 200)
    assert (f["io_calls"], f["io_read"], f["io_written"]) == (1, 7, 14)
    assert f["wall"] > f["mpi_wall"] + f["io_wall"] > 0
    assert f["mpi_wall"] > f["mpi_cpu"]


def test_the_time_of_mpi_calls_is_told_apart_by_their_kind(linked: Record) -> None:
    (shard,) = linked("+main kind 1 mpi{ sleep 9 kind 3 mpi{ }mpi }mpi kind 4 mpi{ sleep 1 +f -f }mpi io{ }io -main")
    main = shard.threads[0].nodes[1]
    times = {kind: main[f"mpi_{kind}"] for kind in MPI_KINDS}
    assert {kind for kind, time in times.items() if time} == {"barrier", "send"}
    assert times["barrier"] > 9 / 100 * SLEPT
    assert times["send"] > 1 / 100 * SLEPT
    assert sum(times.values()) == pytest.approx(main["mpi_wall"], rel=1e-12)
    assert main["wall"] > main["mpi_wall"] > main["mpi_cpu"] > 0


def test_only_the_outermost_library_call_is_timed(linked: Record) -> None:
    (shard,) = linked("+main mpi{ io{ sleep 100 }io }mpi io{ }io -main")
    main = shard.threads[0].nodes[1]
    assert main["mpi_wall"] > SLEPT
    assert main["mpi_wall"] > main["io_wall"] > 0


def test_a_region_inside_a_library_call_is_the_programs_own(linked: Record, visits: Visits) -> None:
    (shard,) = linked("+main mpi{ +callback sleep 10 io{ sleep 10 }io -callback sleep 100 }mpi -main")
    main, callback = shard.threads[0].nodes[1:]
    assert visits(shard) == {"main": 1, "main/callback": 1}
    assert main["wall"] > main["mpi_wall"] > SLEPT
    assert callback["mpi_wall"] == 0
    assert callback["wall"] > callback["io_wall"] > 0


def test_calls_within_a_statement_have_their_own_shares(linked: Record) -> None:
    words = "statement{ sleep 50 io{ sleep 1 io 7 }io mpi{ sleep 50 mpi 1 }mpi sleep 50 }statement sleep 100"
    (shard,) = linked(f"+main +f {words} -f -main")
    f = shard.threads[0].nodes[2]
    assert (f["io_calls"], f["io_read"], f["mpi_calls"]) == (1, 7, 1)
    assert f["io_wall"] > SLEPT
    assert f["mpi_wall"] > SLEPT / 2
    assert f["wall"] - f["io_wall"] - f["mpi_wall"] > SLEPT


def test_a_region_within_a_statement_has_statements_of_its_own(linked: Record) -> None:
    (shard,) = linked(
        "+main statement{ +f sleep 100 statement{ io{ io 7 }io }statement -f io{ io 1 }io }statement -main"
    )
    main, f = shard.threads[0].nodes[1:]
    assert (f["io_read"], main["io_read"]) == (7, 1)
    assert f["io_wall"] > 0
    assert f["wall"] - f["io_wall"] > SLEPT


def test_a_library_call_that_was_left_by_a_jump_ends_with_its_region(linked: Record) -> None:
    (shard,) = linked("+main +f mpi{ sleep 1 -f +g sleep 100 mpi{ }mpi -g -main")
    f, g = shard.threads[0].nodes[2:]
    assert f["mpi_wall"] > 0
    assert g["mpi_wall"] > 0
    assert g["wall"] - g["mpi_wall"] > SLEPT


def test_ends_without_a_beginning_are_ignored(linked: Record) -> None:
    (shard,) = linked("}mpi +main }mpi }io mpi{ }mpi }mpi sleep 100 -main")
    main = shard.threads[0].nodes[1]
    assert main["wall"] - main["mpi_wall"] > SLEPT
