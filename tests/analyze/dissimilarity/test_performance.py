import numpy as np
import pytest

from autoanalyzer.analyze.compute_time import shared_out_by_bytes


def test_io_time_follows_the_bytes_of_each_rank():
    time = np.array([[0.1, 0.3, 0.2]])
    assert shared_out_by_bytes(time, np.array([[100.0, 100.0, 100.0]]))[0] == pytest.approx([0.2, 0.2, 0.2])
    assert shared_out_by_bytes(time, np.array([[400.0, 100.0, 100.0]]))[0] == pytest.approx([0.4, 0.1, 0.1])


def test_ranks_that_moved_no_bytes_keep_the_time_they_took():
    assert shared_out_by_bytes(np.array([[0.0, 9.0]]), np.array([[1.0, 0.0]]))[0].tolist() == [0.0, 9.0]
    assert shared_out_by_bytes(np.array([[0.0, 9.0]]), np.zeros((1, 2)))[0].tolist() == [0.0, 9.0]
