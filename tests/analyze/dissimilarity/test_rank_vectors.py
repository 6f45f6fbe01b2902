import numpy as np
import pytest

from autoanalyzer.analyze.run.compute_time import Computing


@pytest.fixture
def compared(make_experiment):
    """Return the values that are compared for two or three ranks: time in I/O calls, and bytes."""

    def compared(times: list[float], volumes: list[float]) -> np.ndarray:
        by_path = {"read": times}
        made = make_experiment(by_path, io_cpu_time=by_path, mpi_cpu_time={}, io_bytes={"read": volumes})
        return Computing.comparing(made).compared(made)[1]

    return compared


def test_io_time_follows_the_bytes_of_each_rank(compared):
    assert compared([0.1, 0.3, 0.2], [100.0, 100.0, 100.0]) == pytest.approx([0.2, 0.2, 0.2])
    assert compared([0.1, 0.3, 0.2], [400.0, 100.0, 100.0]) == pytest.approx([0.4, 0.1, 0.1])


def test_ranks_that_moved_no_bytes_keep_the_time_they_took(compared):
    assert compared([0.0, 9.0], [1.0, 0.0]).tolist() == [0.0, 9.0]
    assert compared([0.0, 9.0], [0.0, 0.0]).tolist() == [0.0, 9.0]


@pytest.mark.parametrize(("slower", "misses", "alike"), [(0.08, 1e4, True), (0.3, 1e4, False), (0.08, 5e4, False)])
def test_a_burst_on_one_rank_is_no_difference_if_all_counts_are_equal(make_experiment, slower, misses, alike):
    work = {"work": [0.04, 0.04, 0.04 + slower, 0.04]}
    counts = {"instructions": {"work": [1e8] * 4}, "l1_misses": {"work": [1e4, 1e4, misses, 1e4]}}
    made = make_experiment({**work, **{f"calm{number}": [0.1] * 4 for number in range(6)}}, **counts)
    times = Computing.comparing(made).compared(made)[1]
    assert (np.ptp(times) < 1e-9) == alike


def test_counts_do_not_hide_a_rank_that_is_slower_than_the_noise_of_the_run(make_experiment):
    calm = {f"calm{number}": [10.0, 10.1, 10.0, 9.9] for number in range(6)}
    counts = {name: [1e9] * 4 for name in ("work", *calm)}
    made = make_experiment({"work": [10.0, 10.0, 12.4, 10.0], **calm}, instructions=counts)
    assert Computing.comparing(made).compared(made)[1].tolist() == [10.0, 10.0, 12.4, 10.0]
