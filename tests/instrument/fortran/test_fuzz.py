"""Sources changed at random: no traceback, no hang, and what the compiler takes it takes with probes."""

import subprocess
import sys
from pathlib import Path

FUZZ = Path(__file__).parents[3] / "tools" / "fuzz.py"


def test_two_hundred_mutations_make_no_trouble():
    done = subprocess.run([sys.executable, FUZZ, "--mutations", "200"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 failures in 200 mutations" in done.stdout
