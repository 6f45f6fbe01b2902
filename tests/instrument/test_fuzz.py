"""Sources changed at random: no traceback, no hang, and what the compiler takes it takes with probes."""

import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parents[2] / "tools" / "fuzz.py"


@pytest.mark.parametrize("language", ["fortran", "c++"])
def test_two_hundred_mutations_make_no_trouble(language):
    command = [sys.executable, FUZZ, "--language", language, "--mutations", "200"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 failures in 200 mutations" in done.stdout


def test_two_hundred_plans_leave_programs_what_they_are():
    command = [sys.executable, FUZZ.with_name("fuzz_plans.py"), "--mutations", "200"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 failures in 200 plans" in done.stdout
