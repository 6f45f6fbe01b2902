import numpy as np
import pytest

from autoanalyzer.analyze.run.code_regions import code_regions
from autoanalyzer.analyze.run.costs import region_costs
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Region


def experiment(severities, locations):
    return Experiment(
        metrics=[Metric(name, "sec") for name in severities],
        call_paths=[
            CallPath(Region("function", "main")),
            CallPath(Region("function", "outer"), 0),
            CallPath(Region("function", "inner"), 1),
        ],
        locations=locations,
        severities=severities,
    )


def extremes(made):
    return [(each.least, each.most) for each in region_costs(made, code_regions(made))]


def test_the_least_and_the_most_of_a_rank_are_of_computing_of_all_its_threads():
    locations = [Location("m", "n", 0), Location("m", "n", 1), Location("m", "n", 1, 1)]
    cpu = np.array([[0.0, 0.0, 0.0], [3.0, 1.0, 1.0], [1.0, 2.0, 2.0]])
    waits = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    made = experiment({"wall_time": 2 * cpu, "cpu_time": cpu, "mpi_cpu_time": waits}, locations)
    assert extremes(made) == [(2.0, 5.0), (1.0, 3.0), (0.0, 0.0)]


def test_without_cpu_time_they_are_of_the_wall_time_of_first_threads():
    locations = [Location("m", "n", 0), Location("m", "n", 1), Location("m", "n", 1, 1)]
    wall = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 9.0], [1.0, 1.0, 9.0]])
    assert extremes(experiment({"wall_time": wall}, locations)) == [(2.0, 3.0), (1.0, 1.0), (0.0, 0.0)]


@pytest.mark.parametrize("without", [0, 1])
def test_a_block_without_a_first_thread_has_no_part_in_wall_times(without, monkeypatch):
    monkeypatch.setattr("autoanalyzer.experiment.experiment._BLOCK", 1)  # one process per block
    locations = [Location("m", "n", rank, int(rank == without)) for rank in range(2)]
    made = experiment({"wall_time": np.ones((3, 2))}, locations)
    assert len(made.location_blocks()) == 2
    assert extremes(made) == [(2.0, 2.0), (1.0, 1.0), (1.0, 1.0)]


def test_without_any_first_thread_no_wall_time_is_made_up():
    made = experiment({"wall_time": np.ones((3, 2))}, [Location("m", "n", 0, 1), Location("m", "n", 1, 1)])
    assert extremes(made) == [(None, None)] * 3


@pytest.mark.parametrize("rank", [0, 1])
def test_what_is_missing_of_a_rank_is_not_made_up(rank):
    wall = np.ones((3, 2))
    wall[1, rank] = np.nan
    made = experiment({"wall_time": wall}, [Location("m", "n", 0), Location("m", "n", 1)])
    assert extremes(made)[0] == (None, None)
