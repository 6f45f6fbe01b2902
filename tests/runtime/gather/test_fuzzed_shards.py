"""Randomly changed shards; ``make fuzz`` tries more of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

TOOL = Path(__file__).parents[3] / "tools" / "fuzz_shards.py"


@pytest.mark.parametrize("mutations", [1, pytest.param(1000, marks=[pytest.mark.nightly, pytest.mark.timeout(0)])])
def test_whatever_becomes_of_shards_the_others_are_kept(mutations: int) -> None:
    done = subprocess.run(
        [sys.executable, TOOL, "--mutations", str(mutations)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
