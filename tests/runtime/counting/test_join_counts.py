"""Joining counts of one run with times of another: matching call paths and locations, and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region
from autoanalyzer.experiment.metric import COUNT_METRICS
from autoanalyzer.runtime.counting.join_counts import join_counts

SOURCE = "simulated:rtcount L1=32K/8/64 L2=1M/8/64"
METRICS = {metric.name: replace(metric, source=SOURCE) for metric in COUNT_METRICS}

Rows = Mapping[str, Sequence[float]]


def region(name: str) -> Region:
    return Region("function", name, "app.c", name)


def experiment(
    values: Mapping[str, Rows],
    *,
    paths: Sequence[str] = ("main", "main/work"),
    locations: Sequence[tuple[int, int]] = ((0, 0), (1, 0)),
    remarks: tuple[str, ...] = (),
) -> Experiment:
    """Return an experiment from values by metric and call path; missing values are 0."""
    zero = [0.0] * len(locations)
    return Experiment(
        metrics=[METRICS.get(name) or Metric(name, "sec" if name == "wall_time" else "occ") for name in values],
        call_paths=[
            CallPath(region(path.split("/")[-1]), paths.index(path.rpartition("/")[0]) if "/" in path else None)
            for path in paths
        ],
        locations=[Location("m", "n", process, thread) for process, thread in locations],
        severities={name: np.array([rows.get(path, zero) for path in paths]) for name, rows in values.items()},
        notes=Notes(remarks=remarks),
    )


def row(run: Experiment, metric: str, path: str) -> list[float]:
    place = next(number for number in range(len(run.call_paths)) if (run.path_name(number) or "main") == path)
    values: list[float] = run.exclusive(metric)[place].tolist()
    return values


TIMING = experiment(
    {"visits": {"main": [1, 1], "main/work": [10, 30]}, "wall_time": {"main": [1, 2], "main/work": [3, 4]}},
    remarks=("said before",),
)


def test_counts_are_added_and_times_stay() -> None:
    counting = experiment(
        {
            "visits": {"main": [1, 1], "main/work": [10, 30]},
            "wall_time": {"main": [50, 50]},
            "instructions": {"main": [5, 6], "main/work": [700, 800]},
            "l1_accesses": {"main/work": [70, 80]},
            "l1_misses": {"main/work": [7, 8]},
        }
    )
    joined = join_counts(TIMING, counting)
    assert row(joined, "wall_time", "work") == [3, 4]
    assert row(joined, "wall_time", "main") == [1, 2]
    assert row(joined, "instructions", "main") == [5, 6]
    assert row(joined, "instructions", "work") == [700, 800]
    assert row(joined, "l1_misses", "work") == [7, 8]
    assert joined.metric("l1_misses").source == SOURCE
    assert joined.metric("l1_misses").parent == "l1_accesses"
    assert "l2_misses" not in joined
    assert joined.notes.remarks == ("said before",)
    assert joined.notes.counts_by_rank
    assert "instructions" not in TIMING


def counted(visits: Rows, instructions: Rows, **more: object) -> Experiment:
    return experiment({"visits": visits, "instructions": instructions}, **more)  # type: ignore[arg-type]


def test_call_paths_that_were_entered_more_or_less_often_are_named() -> None:
    joined = join_counts(TIMING, counted({"main": [1, 1], "main/work": [10, 35]}, {"main/work": [1, 2]}))
    assert joined.notes.remarks[1:] == ("work was entered 40 times in the timed run, 45 times in the counting run",)


def test_a_difference_of_a_hundredth_is_tolerated_and_said() -> None:
    timing = experiment({"visits": {"main": [1, 1], "main/work": [1000, 1000]}})
    joined = join_counts(timing, counted({"main": [1, 1], "main/work": [1005, 1000]}, {"main/work": [1, 2]}))
    assert joined.notes.remarks == (
        "call paths entered up to 0.2% more or less often in the counting run than in the timed run: 1",
    )


def test_ranks_that_shared_the_work_in_another_way_are_not_to_be_compared() -> None:
    joined = join_counts(TIMING, counted({"main": [1, 1], "main/work": [30, 10]}, {"main/work": [300, 100]}))
    assert joined.notes.remarks[1:] == (
        "ranks divided the visits of work differently in the counting run, so do not compare ranks by counts",
    )
    assert not joined.notes.counts_by_rank


VISITS = {"main": [1, 1], "main/work": [1, 1]}


@pytest.mark.parametrize(
    ("timed", "then", "said"),
    [
        ({"mpi_bytes": [80, 24]}, {"mpi_bytes": [24, 80]}, "MPI bytes"),
        ({"mpi_bytes": [0, 0], "mpi_calls": [20, 6]}, {"mpi_bytes": [0, 0], "mpi_calls": [6, 20]}, "MPI calls"),
        # Bytes are equal, and polls are random; the total bytes differ; the difference is less than a hundredth.
        ({"mpi_bytes": [80, 24], "mpi_calls": [20, 6]}, {"mpi_bytes": [80, 24], "mpi_calls": [6, 20]}, None),
        ({"mpi_bytes": [80, 24]}, {"mpi_bytes": [24, 160]}, None),
        ({"mpi_bytes": [1000, 1000]}, {"mpi_bytes": [1005, 995]}, None),
    ],
)
def test_what_ranks_were_sent_tells_who_did_the_work_of_a_loop_that_takes_it_on_demand(
    timed: Rows, then: Rows, said: str | None
) -> None:
    timing, counting = (
        experiment({"visits": VISITS, **more, **{name: {"main/work": row} for name, row in values.items()}})
        for values, more in ((timed, {}), (then, {"instructions": {"main/work": [1, 2]}}))
    )
    joined = join_counts(timing, counting)
    assert joined.notes.counts_by_rank == (said is None)
    assert joined.notes.remarks == (
        (f"ranks divided the {said} of work differently in the counting run, so do not compare ranks by counts",)
        if said
        else ()
    )


def test_threads_of_a_rank_may_share_its_work_in_another_way() -> None:
    places = ((0, 0), (0, 1), (1, 0))
    timing = experiment({"visits": {"main/work": [10, 30, 5]}}, locations=places)
    joined = join_counts(timing, counted({"main/work": [30, 10, 5]}, {"main/work": [3, 1, 1]}, locations=places))
    assert joined.notes.counts_by_rank
    assert joined.notes.remarks == ()


def test_call_paths_entered_only_when_counting_count_to_what_is_around_them() -> None:
    counting = counted(
        {"main": [1, 1], "main/work": [10, 30], "main/work/retry": [2, 2]},
        {"main/work": [100, 300], "main/work/retry": [5, 5], "main/work/retry/deep": [1, 1]},
        paths=("main", "main/work", "main/work/retry", "main/work/retry/deep"),
    )
    joined = join_counts(TIMING, counting)
    assert row(joined, "instructions", "work") == [106, 306]
    assert joined.notes.remarks[1:] == (
        "work/retry was entered only in the counting run, so its counts are attributed to the enclosing region",
        "work/retry/deep was entered only in the counting run, so its counts are attributed to the enclosing region",
    )


def test_counts_of_what_was_throttled_go_where_its_time_went() -> None:
    timing = experiment({"visits": {"main": [1, 1], "main/work": [10, 30]}, "wall_time": {"main": [4, 6]}})
    timing.notes = replace(timing.notes, throttled={region("work").descriptor: "entered often"})
    joined = join_counts(
        timing, counted({"main": [1, 1], "main/work": [10, 30]}, {"main": [1, 1], "main/work": [5, 6]})
    )
    assert row(joined, "instructions", "main") == [6, 7]
    assert row(joined, "instructions", "work") == [0, 0]
    assert joined.notes.remarks == ()


def test_call_paths_entered_only_when_timing_have_no_counts() -> None:
    joined = join_counts(TIMING, counted({"main": [1, 1]}, {"main": [9, 9]}, paths=("main",)))
    assert row(joined, "instructions", "work") == [0, 0]
    assert joined.notes.remarks[1:] == ("work was entered 40 times in the timed run, 0 times in the counting run",)


def test_of_many_differences_a_few_are_named() -> None:
    names = [f"main/f{number}" for number in range(9)]
    timing = experiment({"visits": {name: [1, 1] for name in names}}, paths=("main", *names))
    less = counted({}, {"main": [1, 1]}, paths=("main", *names))
    assert len(join_counts(timing, less).notes.remarks) == 6
    assert (
        join_counts(timing, less)
        .notes.remarks[-1]
        .startswith("further call paths that were entered more or less often")
    )
    more = counted(dict.fromkeys(names, (1, 1)), {"main": [1, 1]}, paths=("main", *names))
    without = experiment({"visits": {}}, paths=("main",))
    assert (
        join_counts(without, more).notes.remarks[-1]
        == "further call paths that were entered only in the counting run: 4"
    )


def test_the_same_names_below_other_callers_are_other_call_paths() -> None:
    paths = ("main", "main/a", "main/a/work", "main/b", "main/b/work")
    timing = experiment({"visits": {}}, paths=paths)
    swapped = ("main", "main/b", "main/b/work", "main/a", "main/a/work")
    joined = join_counts(timing, counted({}, {"main/a/work": [1, 1], "main/b/work": [2, 2]}, paths=swapped))
    assert row(joined, "instructions", "a/work") == [1, 1]
    assert row(joined, "instructions", "b/work") == [2, 2]


def test_ranks_are_matched_by_number() -> None:
    counting = counted({"main": [1, 1], "main/work": [30, 10]}, {"main/work": [300, 100]}, locations=((1, 0), (0, 0)))
    joined = join_counts(TIMING, counting)
    assert row(joined, "instructions", "work") == [100, 300]
    assert joined.notes.remarks == ("said before",)


def test_counts_of_all_ranks_are_wanted() -> None:
    with pytest.raises(InputError, match="expected counts of all ranks, found no counts of these ranks: 1"):
        join_counts(TIMING, counted({}, {"main": [1]}, locations=((0, 0),)))


def test_threads_that_were_not_timed_count_to_the_first() -> None:
    counting = counted(
        {"main": [1, 0, 1], "main/work": [4, 6, 30]}, {"main/work": [40, 60, 9]}, locations=((0, 0), (0, 7), (1, 0))
    )
    joined = join_counts(TIMING, counting)
    assert row(joined, "instructions", "work") == [100, 9]
    assert joined.notes.remarks[1:] == ("numbers of threads differ: 2 in the timed run, 3 in the counting run",)


def test_of_several_threads_that_were_timed_the_first_gets_the_others_counts() -> None:
    timing = experiment({"visits": {}}, locations=((0, 0), (0, 1), (1, 0)))
    counting = counted({}, {"main/work": [1, 2, 4, 8]}, locations=((0, 0), (0, 1), (0, 7), (1, 0)))
    assert row(join_counts(timing, counting), "instructions", "work") == [5, 2, 8]


def test_threads_are_matched_by_number() -> None:
    places = ((0, 0), (0, 1))
    timing = experiment({"visits": {}}, locations=places)
    joined = join_counts(timing, counted({}, {"main/work": [1, 2]}, locations=places))
    assert row(joined, "instructions", "work") == [1, 2]


def test_processes_that_were_not_timed_are_left_out() -> None:
    counting = counted(
        {"main": [1, 1, 1], "main/work": [10, 30, 9]}, {"main/work": [1, 2, 4]}, locations=((0, 0), (1, 0), (2, 0))
    )
    joined = join_counts(TIMING, counting)
    assert row(joined, "instructions", "work") == [1, 2]
    assert joined.notes.remarks[1:] == ("numbers of threads differ: 2 in the timed run, 3 in the counting run",)


def test_a_root_may_have_another_name() -> None:
    counting = counted({"app2": [1, 1], "app2/work": [10, 30]}, {"app2/work": [1, 2]}, paths=("app2", "app2/work"))
    joined = join_counts(TIMING, counting)
    assert row(joined, "instructions", "work") == [1, 2]
    assert joined.notes.remarks == ("said before",)


def test_programs_of_one_job_keep_their_counts_apart() -> None:
    paths = ("one", "one/work", "two", "two/work")
    timing = experiment({"visits": {}}, paths=paths)
    joined = join_counts(timing, counted({}, {"one/work": [1, 0], "two/work": [0, 2]}, paths=paths))
    assert joined.exclusive("instructions").tolist() == [[0, 0], [1, 0], [0, 0], [0, 2]]


def test_nothing_counted_is_said() -> None:
    with pytest.raises(InputError, match="expected counts from the counting run, found none"):
        join_counts(TIMING, TIMING)
