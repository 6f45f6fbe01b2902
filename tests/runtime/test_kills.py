"""Runs killed at random moments; ``make kills`` tries more of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

TOOL = Path(__file__).parents[2] / "tools" / "kill_runs.py"


def test_whoever_is_killed_what_was_recorded_is_kept(mpi: tuple[str, str]) -> None:
    launcher, compiler = mpi
    words = [TOOL, "--runs", "3", "--first", "47", "--launcher", launcher, "--compiler", compiler]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
