"""Each sentence of a verdict is true for its data."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autoanalyzer.analyze import Findings, analyze
from autoanalyzer.analyze.verdict.confidence import confidence_in_difference
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region
from autoanalyzer.runs.open_experiment import open_experiment
from autoanalyzer.view.causes import SAME_WORK
from autoanalyzer.view.verdict import verdict_lines

DATA = Path(__file__).parents[2] / "data"
# Rank 3 is slower nearly everywhere, by varying factors, but only one region differs enough for clusters.
SPEED = {"energy": (50, 68), "balance": (40, 46), "react": (46, 48), "relax": (46, 47)}


def lines(findings: Findings) -> list[str]:
    """Return the lines of a verdict, with wrapped lines joined."""
    joined = "\n".join(verdict_lines(findings, everything=True)).replace("\n      ", " ")
    return [line.strip() for line in joined.splitlines()]


def of(name: str) -> list[str]:
    """Return the lines of the verdict on a file."""
    return lines(analyze(open_experiment(DATA / name)[0]))


def slower(times: dict[str, tuple[int, int]]) -> dict[str, Sequence[float]]:
    """Return times in seconds from the milliseconds of ranks 0-2 and of rank 3."""
    return {name: [each / 1e3] * 3 + [slow / 1e3] for name, (each, slow) in times.items()}


def of_team(experiment: Experiment) -> Experiment:
    """Turn the regions of an experiment into OpenMP parallel regions."""
    paths = [
        each if each.parent is None else replace(each, region=each.region._replace(kind="parallel"))
        for each in experiment.call_paths
    ]
    return experiment.replaced(call_paths=paths)


def test_ranks_are_alike_only_if_they_differ_by_at_most_a_tenth(make_experiment):
    times = {"a": [0.3, 0.3, 0.3, 0.38], "b": [0.15, 0.15, 0.15, 0.2], "c": [0.02, 0.02, 0.02, 0.027]}
    assert "most on rank 3: 380 ms; on average: 320 ms per rank" in lines(analyze(make_experiment(times)))
    assert not any("alike" in line for line in of("foreign/lulesh.caliper.json"))


def test_ranks_with_equal_wall_times_but_unequal_times_in_mpi_are_not_alike(make_experiment):
    idle = [2.2, 0.0, 2.2, 2.2]
    times = {"a": [1.0] * 4, "b": [0.5] * 4}
    found = lines(analyze(make_experiment(times, off={"b": [0, 2.2, 0, 0]}, mpi_time={"b": idle})))
    assert "on average: 2.7 s of wall time per rank; 61 % of its time in MPI" in found
    assert any(line.startswith("1 LATE") and "saving unknown; takes 73 % of run" in line for line in found)


def test_time_of_threads_is_that_of_the_busiest_one(make_experiment):
    parallel = {"a": [0.9, 0.9, 0.9, 1.0] * 2, "b": [1, 0, 0, 0] * 2}
    found = lines(analyze(of_team(make_experiment(parallel, threads=4))))
    assert "on average: 1 s per rank in the busiest thread" in found
    alone = lines(analyze(of_team(make_experiment({"a": [0.9, 0.9, 0.9, 1.0]}, threads=4))))
    assert "1 s in the busiest thread" in alone
    found = of("profile.cube.gz")
    assert "on average: 1.39 s per rank in the busiest thread; called from rhs.f:4" in found
    assert " 4 ranks, 36 threads in all " in found[0]  # whose numbers the findings contain
    assert any(
        "threads of ranks 0-3 wait for the slowest thread of their rank: 48.4 ms on average, at" in line
        for line in found
    )


def test_ranks_that_perhaps_differ_are_not_called_balanced(make_experiment):
    found = lines(analyze(make_experiment(slower(SPEED))))
    assert "no clear difference in work between ranks" in found
    assert not any(line.startswith("balanced") for line in found)
    reasons = [line for line in found if line.startswith("why: ")]
    assert reasons == ["why: unknown; count instructions: autoanalyzer run --counters simulated (5-20 times slower)"]


def test_a_region_that_was_left_out_is_named(make_experiment):
    made = make_experiment({"a": [1.0, 1.0, 1.0, 1.5], "b": [1.0] * 4})
    found = lines(analyze(made, exclude_regions=["a"]))
    assert "balanced: ranks do not differ enough to matter in any region (a left out)" in found
    made = make_experiment({"a": [0.0, 0.0, 0.0, 1.5], "b": [1.0] * 4})
    found = lines(analyze(made, exclude_regions=["a@3"]))
    assert "balanced: ranks do not differ enough to matter in any region (a on rank 3 left out)" in found


@pytest.mark.parametrize(
    ("second", "left"),
    [
        ([1.0, 0.5, 0.5, 0.5], "one of 2 call paths; for all: 1.25 s each if shared evenly"),
        ([2.0] * 4, "625 ms each if shared evenly; one of 2 call paths; the saving is for this one"),
    ],
)
def test_what_is_left_after_sharing_is_that_of_all_call_paths_if_the_saving_is(second, left, make_experiment):
    times = {"a": [0.1] * 4, "b": [0.1] * 4, "a/s": [1.0, 0.5, 0.5, 0.5], "b/s": second}
    made = make_experiment(times)
    paths = made.call_paths
    both = [replace(each, region=paths[3].region) if each.region.name == "s" else each for each in paths]
    found = lines(analyze(made.replaced(call_paths=both)))
    assert f"rank 0: 1 s; ranks 1-3: 500 ms each; {left}" in found


def test_a_difference_between_more_than_two_groups_is_described(make_experiment):
    counts = {"a": [1e9, 1.2e9, 1.5e9, 2e9], "b": [1e9] * 4}
    found = lines(analyze(make_experiment({"a": [1.0, 1.5, 2.0, 3.0], "b": [1.0] * 4}, instructions=counts)))
    explained = "explains 932 ms of the 1.5 s that rank 3 takes longer than the others on average"
    assert any(explained in line for line in found)


def test_threads_are_not_called_ranks(make_experiment):
    times = {f"r{each}": [0.05, 0.05, 0.05, 0.07] for each in range(6)}
    made = make_experiment(times, threads=4, instructions={each: [1e8] * 4 for each in times})
    found = lines(analyze(of_team(made)))
    assert f"why: {SAME_WORK.format(who='thread')}" in found
    speed = {"energy": (771, 1275), "balance": (797, 1161), "react": (466, 520), "relax": (465, 495)}
    findings = analyze(of_team(make_experiment(slower(speed), threads=4)))
    assert any(line.startswith("uncertain: these threads are slower nearly everywhere") for line in lines(findings))
    assert confidence_in_difference(findings, (0,)).reason.startswith("these threads are slower")


def test_without_time_in_mpi_any_difference_may_be_waiting():
    found = of("foreign/lulesh.caliper.json")
    assert any(line.startswith("1 IMBALANCE?  TimeIncrement") for line in found)
    assert "uncertain: time in MPI is unknown, so the slowest ranks may be waiting here" in found
    assert not any("unknown" in line for line in found[:3])
    assert of("foreign/ior.darshan")[1] == "time in MPI is unknown: any time may include waiting"
    assert not any("time in MPI is unknown" in line for line in of("foreign/lulesh.cali"))  # one rank
    assert not any("time in MPI is unknown" in line for line in of("foreign/rays.cali"))


def test_sums_that_a_tool_divided_do_not_show_ranks_that_are_alike():
    found = of("foreign/ior.darshan")
    assert "on average: 161 ms per rank, all in file I/O" in found
    assert not any("alike" in line or line.startswith("balanced") for line in found)


def foreign(values: Sequence[Sequence[float]], *metrics: Metric, **notes: Any) -> Findings:
    """Return the findings on a file of another tool with ``main``, ``work`` and ``MPI_Recv``."""
    names = {"main": None, "work": 0, "MPI_Recv": 0}
    paths = [CallPath(Region("function", name, "a.c", name, 0, 1, 9), parent) for name, parent in names.items()]
    return analyze(
        Experiment(
            metrics=metrics,
            call_paths=paths,
            locations=[Location("m", "n", rank) for rank in range(len(values[0]))],
            severities={each.name: np.array(values) for each in metrics},
            notes=Notes(program="app", **notes),
        )
    )


def test_only_wall_time_is_called_so():
    values = [[0.0] * 4, [1.0] * 4, [2.0] * 4]
    cpu = lines(foreign(values, Metric("cpu_time", "sec", source="imported:A")))
    assert cpu[0] == "app   4 ranks   run 3 s"
    assert "all ranks alike: 2 s of CPU time per rank; 100 % of its time in MPI" in cpu
    assert cpu[-1] == "busy time = computing + file I/O"
    sampled = lines(foreign(values, Metric("taken", "occ", source="imported:A"), samples={"taken": 1.0}))
    assert sampled[0] == "app   4 ranks   run 3 samples"
    wall = lines(foreign(values, Metric("time", "sec", source="imported:A")))
    assert wall[0] == "app   4 ranks   wall time 3 s"
    assert "all ranks alike: 2 s of wall time per rank; 100 % of its time in MPI" in wall
    assert wall[-1] == "busy time = wall time outside MPI"


def test_a_file_of_another_tool_is_not_to_be_measured_again(make_experiment):
    for times, why in ((SPEED, "these ranks are slower"), ({"a": (100, 120), "b": (100, 100)}, "a noisy machine")):
        made = make_experiment(slower(times))
        found = lines(analyze(made.replaced(metrics=[replace(each, source="imported:A") for each in made.metrics])))
        assert any(line.startswith(f"uncertain: {why}") for line in found)
        assert not any("--counters" in line or "--repeat" in line for line in found)


def test_ranks_without_counts_are_named(make_experiment):
    counts = {name: {"a": [1e9] * 4, "b": [1e9] * 4} for name in ("instructions", "l2_accesses")}
    made = make_experiment({"a": [1.0, 1.0, 1.0, 2.0], "b": [1.0] * 4}, **counts, l2_misses={"a": [1e6] * 4})
    some = {name: made.exclusive(name).copy() for name in ("instructions", "l2_misses")}
    some["instructions"][:, 2] = np.nan
    some["l2_misses"][:, 1] = np.nan
    severities = {each.name: some.get(each.name, made.exclusive(each.name)) for each in made.metrics}
    found = lines(analyze(made.replaced(severities=severities)))
    assert (
        "why: unknown; count instructions on rank 2, too: autoanalyzer run --counters simulated (5-20 times slower)"
        in found
    )
    lacking = "not counted: L1 misses, L2 misses (rank 1), file I/O, MPI volume, instructions (rank 2)"
    assert found[-1].endswith(lacking)


def test_files_of_one_name_are_told_apart_by_their_folders(make_experiment):
    made = make_experiment({"a": [1.0, 1.1], "b": [1.0, 1.3]})
    main, *others = made.call_paths
    both = [
        replace(each, region=Region("function", "solve", f"{folder}/solve.c", "solve"))
        for each, folder in zip(others, ("src/heat", "src/flow"), strict=True)
    ]
    found = lines(analyze(made.replaced(call_paths=[main, *both])))
    assert any(line.startswith("1 IMBALANCE?  flow/solve.c  solve") for line in found)
    assert any(line.startswith("2 HOT SPOT    heat/solve.c  solve") for line in found)


def test_the_largest_hidden_finding_may_be_one_on_waiting(make_experiment):
    times = {f"r{each}": [1.0, 1.0, 1.0, 2.0 + 0.1 * each] for each in range(8)}
    made = make_experiment({**times, "w": [0.0] * 4, "h": [4.0] * 4}, mpi_time={"w": [12.0] * 4})
    found = verdict_lines(analyze(made))
    rest = "… 3-10 not shown (largest: LATE app.c:9, takes 45 % of run): autoanalyzer analyze --all"
    assert rest in found and len(found) <= 15


def test_bytes_that_were_not_recorded_are_not_called_none(make_experiment):
    found = lines(analyze(make_experiment({"a": [1.0] * 4, "w": [0.0] * 4}, mpi_time={"w": [1.2] * 4}, mpi_bytes={})))
    assert "why: 1.2 s in MPI calls: latency, or ranks that arrive late" in found


def with_one_w(experiment: Experiment) -> Experiment:
    """Turn the regions called ``w`` into one region on several call paths."""
    paths = experiment.call_paths
    own = next(each.region for each in paths if each.region.name == "w")
    return experiment.replaced(call_paths=[replace(p, region=own) if p.region.name == "w" else p for p in paths])


def test_time_in_mpi_of_ranks_that_share_cores_is_not_called_wall_time(make_experiment):
    seconds = {"a": [0.2] * 4, "b": [0.2] * 4, "a/w": [0.5] * 4, "b/w": [0.4] * 4}
    polled = {name: each for name, each in seconds.items() if "/" in name}
    made = make_experiment(
        seconds,
        mpi_time={"a/w": [1.4] * 4, "b/w": [1.2] * 4},
        mpi_cpu_time=polled,
        mpi_bytes=dict.fromkeys(polled, [1e10] * 4),
        mpi_calls=dict.fromkeys(polled, [10] * 4),
    )
    found = lines(analyze(with_one_w(made).replaced(notes=Notes(processors=2))))
    part = "one of 2 call paths; for all: 900 ms in data transfer on average"
    assert f"on average: 500 ms per rank without waiting for cores; {part}" in found
    alone = lines(analyze(with_one_w(made)))
    assert f"on average: 1.9 s of wall time per rank; {part}" in alone


def test_file_io_of_unknown_size_has_no_size(make_experiment):
    times = {"a": [0.1] * 4, "b": [0.1] * 4, "c": [0.1] * 4, "a/w": [0.0] * 4, "b/w": [0.0] * 4, "c/w": [0.0] * 4}
    made = with_one_w(make_experiment(times, io_time={f"{name}/w": [0.3] * 4 for name in "abc"}))
    found = lines(analyze(made))
    assert any(line.startswith("1 FILE I/O") for line in found)
    assert not any("0 B" in line for line in found)
