"""Files changed at random: read and read back equal, or refused in one line; no crash, nothing left behind."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

FUZZ = Path(__file__).parents[2] / "tools" / "fuzz_experiments.py"
KINDS_OF_OTHERS = 11  # tests/data/foreign/


def test_a_hundred_mutations_make_no_trouble():
    done = subprocess.run([sys.executable, FUZZ, "--mutations", "100"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 failures in 100 mutations" in done.stdout


def test_a_hundred_mutations_of_each_kind_of_profile_of_other_tools_make_no_trouble():
    command = [sys.executable, FUZZ.with_name("fuzz_bridges.py"), "--mutations", "100", "--analyze-every", "5"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"0 failures in {100 * KINDS_OF_OTHERS} mutations" in done.stdout
