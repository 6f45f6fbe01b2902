from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment import Experiment

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="session")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the files of other tools, unpacked, by the names of their expected contents."""
    folder = tmp_path_factory.mktemp("foreign")
    found = {"example": DATA / "example.cube"}
    for name in ("profile.cube", "trace.cube", "summary.cubex"):
        file = folder / name
        file.write_bytes(gzip.decompress((DATA / f"{name}.gz").read_bytes()))
        found[file.stem] = file
    return found


@pytest.fixture(scope="session")
def assert_equal() -> Callable[[Experiment, Experiment], None]:
    """Return a function that asserts that two experiments are the same, with values equal bit for bit."""

    def compare(one: Experiment, other: Experiment) -> None:
        assert one.metrics == other.metrics
        assert one.call_paths == other.call_paths
        assert one.locations == other.locations
        assert one.topologies == other.topologies
        assert one.notes == other.notes
        for metric in one.metrics:
            found = [each.exclusive(metric.name).view(np.int64) for each in (one, other)]
            np.testing.assert_array_equal(*found, metric.name)

    return compare
