"""Runs killed at random times; ``make kills`` tries more of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

TOOL = Path(__file__).parents[2] / "tools" / "kill_runs.py"


@pytest.mark.parametrize(
    ("mpi", "first", "runs"),
    [
        ("openmpi", 47, 3),
        *(pytest.param(mpi, 50, 10, marks=pytest.mark.nightly) for mpi in ("openmpi", "mpich")),
    ],
    indirect=["mpi"],
)
def test_whoever_is_killed_what_was_recorded_is_kept(mpi: tuple[str, str], first: int, runs: int) -> None:
    """The launcher, all processes, or one rank is killed; the launcher of MPICH only at night."""
    launcher, compiler = mpi
    words = [TOOL, "--runs", str(runs), "--first", str(first), "--launcher", launcher, "--compiler", compiler]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
