"""Randomly changed files are read correctly, or refused in one line; nothing crashes, and no files remain."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

FUZZ = Path(__file__).parents[2] / "tools" / "fuzz_experiments.py"
KINDS_OF_OTHERS = 11  # other tools' formats in tests/data/foreign/


@pytest.mark.parametrize("mutations", [10, pytest.param(1000, marks=pytest.mark.nightly)])
def test_mutations_make_no_trouble(mutations):
    done = subprocess.run(
        [sys.executable, FUZZ, "--mutations", str(mutations)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"0 failures in {mutations} mutations" in done.stdout


@pytest.mark.parametrize("mutations", [1, pytest.param(400, marks=pytest.mark.nightly)])
def test_mutations_of_each_kind_of_profile_of_other_tools_make_no_trouble(mutations):
    words = ["--mutations", str(mutations), "--analyze-every", "5"]
    command = [sys.executable, FUZZ.with_name("fuzz_bridges.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"0 failures in {mutations * KINDS_OF_OTHERS} mutations" in done.stdout
