"""Statements on a difference of two runs: how much changed, where, and on which ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from autoanalyzer.experiment import Builder, Experiment, Region
from autoanalyzer.experiment.algebra import difference, mean
from autoanalyzer.experiment.notes import Notes
from autoanalyzer.view.gains import gain_entries, total_gains

GAIN = "no fix is needed here; to see what is slow now, analyze the later run"
UNCOUNTED = "why: unknown, because instructions were not counted in both runs"
FAST = {"instruction_dependent": 4e-10, "l2_miss_chased": 2e-7}
LOOP = Region("loop", "loop@28", "a.c", "work", 0, 28, 40)


def run(
    busy: Sequence[float],
    *,
    path: int | None,
    also: int | None = None,
    small: float = 0.0,
    waits: float = 0.0,
    files: Sequence[float] = (),
    without: str = "",
    unit: str = "sec",
) -> Experiment:
    """Return ranks that are busy in a loop, one of them on the critical path, and wait in main.

    Args:
        busy: The busy time of each rank in the loop.
        path: The rank on the critical path; None if the path is unknown.
        also: Another rank on the critical path.
        small: Further busy time of each rank in main.
        waits: Time of each rank in MPI.
        files: The CPU time of each rank in file I/O, in main; none if it is not measured.
        without: A metric that is not measured.
        unit: Unit of times.
    """
    builder = Builder()
    main = builder.call_path("main")
    loop = builder.call_path(LOOP, main)
    for rank in range(len(busy)):
        builder.location(rank)
    spins = [waits] * len(busy)
    on_path = [each * (rank in (path, also)) for rank, each in enumerate(busy)]
    rows = [
        ("wall_time", None, {loop: busy, main: spins}),
        ("cpu_time", None, {loop: busy, main: [waits + small + each for each in files or [0.0] * len(busy)]}),
        ("mpi_cpu_time", "cpu_time", {main: spins}),  # busy waiting is no busy time
        ("path_time", None, {} if path is None else {loop: on_path}),
    ]
    if files:
        rows += [("io_time", "wall_time", {main: files}), ("io_cpu_time", "cpu_time", {main: files})]
    for name, parent, values in rows:
        if name != without:
            builder.metric(name, unit, parent=parent)
            for place, row in values.items():
                builder.row(name, place, row)
    return builder.experiment()


def test_the_change_of_the_critical_path_comes_first_and_ranks_by_their_busy_time():
    balanced = difference(run([3, 1, 2], path=0, waits=1), run([2, 2, 2], path=1, waits=4))
    assert balanced.notes.is_difference
    assert total_gains(balanced) == [
        "critical path: 1 s less than before",
        "busy time: unchanged in total; rank 0: 1 s less, rank 1: 1 s more",
        "wall time: 9 s more in total than before",
    ]
    (entry,) = gain_entries(balanced)
    assert (entry.kind, entry.where) == ("GAIN", "a.c:28  loop in work, called by main")
    assert entry.saving == "critical path: 1 s less than before"
    assert entry.lines == [
        "busy time of rank 0: 1 s less, rank 1: 1 s more",
        "why: work moved from rank 0 to rank 1",
        GAIN,
    ]
    assert (entry.highlight.metric, entry.highlight.without_parts, entry.highlight.path) == ("cpu_time", True, 1)
    (entry,) = gain_entries(difference(run([3], path=0), run([2], path=0)))
    assert (entry.highlight.metric, len(entry.lines)) == ("path_time", 2)  # nothing about single ranks


def test_without_a_path_what_changed_most_on_a_rank_comes_first_even_if_the_sum_is_the_same():
    balanced = difference(run([3, 1, 2], path=None, small=0.1), run([2, 2, 2], path=None))
    first, second = gain_entries(balanced)
    assert (first.kind, first.place) == ("CHANGE", "a.c:28")
    assert first.saving == "busy time: unchanged in total"
    assert first.lines == [
        "rank 0: 1 s less, rank 1: 1 s more",
        "why: work moved from rank 0 to rank 1",
        "no fix is known, because this file has only differences; to find one, analyze the later run",
    ]
    assert (second.where, second.lines) == ("main", ["ranks 0-2: 100 ms less each", UNCOUNTED, GAIN])
    assert (second.highlight.metric, second.highlight.without_parts) == ("cpu_time", True)


def test_work_that_only_moves_between_ranks_is_a_change_of_busy_time():
    moved = difference(run([3, 1, 2], path=None, waits=1), run([2, 2, 2], path=None))
    assert total_gains(moved)[0] == "busy time: unchanged in total; rank 0: 1 s less, rank 1: 1 s more"
    (entry,) = gain_entries(moved)
    assert (entry.kind, entry.saving) == ("CHANGE", "busy time: unchanged in total")


@pytest.mark.parametrize("other_way", [False, True])
def test_a_time_that_only_one_run_has_is_no_change(other_way):
    """This also holds for saved differences, and if only one of the runs in a mean has the time."""
    one, without = run([3, 1], path=0, waits=1), run([3, 1], path=0, waits=1, without="path_time")
    for first, second in ((one, without), (mean(one, without), one)):
        same = difference(*((second, first) if other_way else (first, second)))
        assert gain_entries(same) == []
        assert total_gains(same) == [
            "busy time: unchanged in total",
            "wall time: unchanged in total",
            "critical path: change unknown, because only one of the experiments has path_time",
        ]
    less = run([2, 1], path=0, waits=1)
    runs = (less, without) if other_way else (without, less)
    changed = difference(*runs)
    changed = Experiment(
        metrics=changed.metrics,
        call_paths=changed.call_paths,
        locations=changed.locations,
        severities={each.name: changed.exclusive(each.name) for each in changed.metrics},
        notes=Notes.from_json(changed.notes.to_json()),
    )
    how = "more" if other_way else "less"
    assert total_gains(changed) == [
        f"busy time: 1 s {how} in total than before; rank 0: 1 s {how}",
        f"wall time: 1 s {how} in total than before",
        "critical path: change unknown, because only one of the experiments has path_time",
    ]


def test_busy_time_is_unknown_if_one_run_lacks_a_part_of_it():
    serial, parallel = run([3, 1], path=None, waits=1, without="mpi_cpu_time"), run([2, 1], path=None, waits=1)
    assert total_gains(difference(serial, parallel)) == [
        "wall time: 1 s less in total than before; rank 0: 1 s less",
        "busy time: change unknown, because only one of the experiments has mpi_cpu_time",
    ]


def test_where_no_time_is_known_of_both_runs_that_is_all_that_is_said():
    one = run([3, 1], path=0)
    by_path, by_clock = (
        one.replaced(metrics=[one.metric(name)], severities={name: one.exclusive(name)})
        for name in ("path_time", "wall_time")
    )
    lacking = difference(by_path, by_clock)
    assert total_gains(lacking) == ["critical path: change unknown, because only one of the experiments has path_time"]
    assert gain_entries(lacking) == []
    assert total_gains(difference(one, one)) == []


def test_busy_time_contains_file_io():
    changed = difference(run([1.04, 1.04], path=None, files=[5, 5]), run([1, 1], path=None, files=[1, 1]))
    assert total_gains(changed)[0] == "busy time: 8.08 s less in total than before; ranks 0-1: 4.04 s less each"
    assert [each.lines for each in gain_entries(changed)] == [
        ["ranks 0-1: 4 s less each", "why: 8 s less time in file I/O in total", GAIN],
        ["ranks 0-1: 40 ms less each", UNCOUNTED, GAIN],
    ]


def test_both_sides_of_work_that_moved_are_named_even_if_each_of_many_ranks_got_little():
    shared = difference(run([5.0, *[1.0] * 31], path=None), run([1.9, *[1.1] * 31], path=None))
    assert "why: work moved from rank 0 to ranks 1-31" in gain_entries(shared)[0].lines


def test_busy_time_that_fell_is_no_cause_of_a_longer_path():
    (entry,) = gain_entries(difference(run([1, 3, 3], path=0), run([2, 1, 1], path=0)))
    assert (entry.kind, entry.saving) == ("LOSS", "critical path: 1 s more than before")
    assert "why: unknown: busy time changed in the opposite direction" in entry.lines


def test_less_of_the_same_work_on_the_critical_path_has_no_other_cause():
    (entry,) = gain_entries(difference(run([2, 2.01], path=0, also=1), run([2.01, 2], path=1)))
    assert (entry.kind, entry.saving) == ("GAIN", "critical path: 2.01 s less than before")
    assert entry.lines == [
        "why: less of this work is on the critical path; each rank's busy time changed by at most 10 ms",
        GAIN,
    ]
    assert entry.highlight.metric == "path_time"


def test_noise_of_many_ranks_is_no_work_that_moved_away_from_the_path():
    before, after = [2 + 0.02 * (rank % 2) for rank in range(64)], [2 + 0.02 * (rank % 2 == 0) for rank in range(64)]
    (entry,) = gain_entries(difference(run(before, path=0, also=1), run(after, path=1)))
    assert entry.lines[0].startswith("why: less of this work is on the critical path; each rank's busy time changed by")


def test_a_path_that_is_recorded_in_part_is_not_compared():
    part = run([2, 2], path=1)
    part = part.replaced(notes=replace(part.notes, path_is_partial=True))
    assert gain_entries(difference(run([2, 2], path=0, also=1), part)) == []


def test_a_cause_is_a_count_that_changed_with_the_time_by_enough_to_explain_it():
    def of(
        seconds: Sequence[float], instructions: float, misses: float, moved: float = 0.0, prices: Any = None
    ) -> Experiment:
        builder = Builder(Notes(prices=prices or {}))
        loop = builder.call_path(LOOP, builder.call_path("main"))
        for rank in range(2):
            builder.location(rank)
        for name, unit, values in (
            ("cpu_time", "sec", seconds),
            ("instructions", "occ", [instructions - moved, instructions + moved]),
            ("l2_misses", "occ", [misses] * 2),
        ):
            builder.metric(name, unit)
            builder.row(name, loop, values)
        return builder.experiment()

    def why(*runs: Experiment) -> str:
        return gain_entries(difference(*runs))[0].lines[1]

    calibrated = partial(of, prices={**FAST, "instruction_dependent": 1e-9})
    slow = calibrated([3, 3], 9e9, 1e7)
    assert why(slow, calibrated([2, 2], 8e9, 1e7)) == "why: 2.0e9 fewer instructions in total"
    assert why(calibrated([2, 2], 8e9, 1e7), calibrated([3, 3], 8e9, 2e7)) == "why: 2.0e7 more L2 misses in total"
    assert why(slow, calibrated([2, 2], 9e9 - 1e3, 2e7)) == "why: unknown: no count changed enough"
    assert why(slow, calibrated([2.1, 3.9], 9e9, 1e7, moved=1e9)) == "why: work moved from rank 0 to rank 1"
    assert why(slow, calibrated([2.1, 3.9], 9e9, 1e7)) == "why: unknown: no count changed enough"  # only speed changed
    for prices, other, said in (
        (FAST, FAST, "unknown: no count changed enough"),
        ({}, {}, "2.0e6 fewer L2 misses in total"),  # the time of an instruction is unknown
        (FAST, {}, "2.0e6 fewer L2 misses in total"),  # a different machine
    ):
        runs = of([3, 3], 9e9, 1e7, prices=prices), of([2, 2], 8.4e9, 9e6, prices=other)
        assert why(*runs) == f"why: {said}"


def test_without_a_common_calibration_instructions_only_show_whether_work_moved():
    def of(seconds: Sequence[float], instructions: Sequence[float]) -> Experiment:
        builder = Builder()
        loop = builder.call_path(LOOP, builder.call_path("main"))
        for rank in range(2):
            builder.location(rank)
        builder.metric("cpu_time", "sec")
        builder.row("cpu_time", loop, seconds)
        builder.metric("instructions", "occ")
        builder.row("instructions", loop, instructions)
        return builder.experiment()

    unknown = "why: unknown, because the runs do not have the same calibration (autoanalyzer calibrate)"
    (entry,) = gain_entries(difference(of([3, 3], [9e9, 9e9]), of([2, 2], [6e9, 6e9])))
    assert entry.lines[1] == unknown
    (entry,) = gain_entries(difference(of([3, 1], [9e9, 3e9]), of([2, 2], [6e9, 6e9])))
    assert entry.lines[1] == "why: work moved from rank 0 to rank 1"
    (entry,) = gain_entries(difference(of([3, 1], [9e9, 3e9]), of([2, 2], [9e9, 3e9])))
    assert entry.lines[1] == unknown


def test_changes_of_one_loop_name_its_callers():
    def of(one: float, other: float) -> Experiment:
        builder = Builder()
        main = builder.call_path("main")
        loops = [builder.call_path(LOOP, builder.call_path(name, main)) for name in ("setup", "solve\n")]
        builder.location(0)
        builder.metric("cpu_time", "sec")
        for loop, value in zip(loops, (one, other), strict=True):
            builder.row("cpu_time", loop, [value])
        return builder.experiment()

    first, second = gain_entries(difference(of(3, 1), of(1, 3)))
    assert (first.kind, first.where) == ("GAIN", "a.c:28  loop in work, called by setup")
    assert (second.kind, second.where) == ("LOSS", "a.c:28  loop in work, called by solve\ufffd")


def test_samples_are_no_seconds():
    changed = difference(run([90, 10], path=None, unit="samples"), run([50, 10], path=None, unit="samples"))
    assert total_gains(changed)[0] == "busy time: 40 samples less in total than before; rank 0: 40 samples less"
