import numpy as np
import pytest

from autoanalyzer.analyze.compute_time import Computing


@pytest.fixture
def compared(make_experiment):
    """Give what is compared of two ranks or three: time in I/O calls, and bytes."""

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
