"""The critical path agrees, node by node, with the one computed from a log of all messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoanalyzer.runtime.gather import shard_layout as layout

from ..conftest import run
from .conftest import PROGRAMS, compiled
from .path_log import Found, logged, worst
from .path_shapes import SHAPES

EXACT = 1e-9  # as a share of the length
# Allowed difference of delays as a share of all waiting, because chains have limited room for entries.
NOBODY = 0.02


def assert_path_is_equal(found: Found, expected: Found) -> None:
    assert found.length == pytest.approx(expected.length, rel=EXACT)
    assert sum(found.path.values()) == pytest.approx(found.length, rel=EXACT)
    assert worst(found.path, expected.path) < EXACT * expected.length


def assert_waiting_is_equal(found: Found, expected: Found) -> None:
    waiting = sum(expected.wait.values())
    assert worst(found.wait, expected.wait) < EXACT * waiting
    assert worst(found.delay, expected.delay) < NOBODY * waiting
    assert sum(expected.delay.values()) == pytest.approx(waiting, rel=EXACT)


@pytest.mark.parametrize("ranks", [4, pytest.param(2, marks=pytest.mark.nightly)])
def test_the_path_of_each_shape_is_that_of_its_messages(ranks: int, tmp_path: Path) -> None:
    """The shape with a non-blocking collective is excluded, because its chain may arrive with the next collective."""
    program = compiled("mpicc.openmpi", "path_shapes.c", tmp_path)
    command = ["timeout", "1200", "mpirun.openmpi", "--oversubscribe", "-n", str(ranks), str(program)]
    shapes = ["master", *(name for name in SHAPES if name != "begun")]
    found, expected = logged([*command, *shapes], tmp_path, "mpicc.openmpi")
    assert_path_is_equal(found, expected)
    assert_waiting_is_equal(found, expected)


def test_chains_that_leave_segments_behind_are_put_together(tmp_path: Path) -> None:
    """In delays, time in the segments left behind belongs to no rank."""
    words = ["mpicc.openmpi", "-O1", "-g", str(PROGRAMS / "path_segments.c"), "-o", "app"]
    run(["autoanalyzer", "compile", "--", *words], tmp_path).check_returncode()
    command = ["timeout", "1200", "mpirun.openmpi", "--oversubscribe", "-n", "5", str(tmp_path / "app")]
    found, expected = logged(command, tmp_path, "mpicc.openmpi")
    assert len(expected.path) > layout.PATH_ENTRIES
    assert_path_is_equal(found, expected)
