"""Shards changed at random; ``make fuzz`` tries more of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

TOOL = Path(__file__).parents[3] / "tools" / "fuzz_shards.py"


def test_whatever_becomes_of_shards_the_others_are_kept() -> None:
    done = subprocess.run(
        [sys.executable, TOOL, "--mutations", "40"], capture_output=True, text=True, check=False, timeout=280
    )
    assert done.returncode == 0, done.stdout + done.stderr
