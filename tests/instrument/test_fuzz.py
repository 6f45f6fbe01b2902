"""Randomly changed sources: no traceback, no hang, and whatever the compiler accepts, it accepts with probes."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.mark.parametrize(
    ("tool", "count"),
    [
        *(("fuzz.py --language fortran", 16), ("fuzz.py --language c++", 5), ("fuzz_plans.py", 4)),
        *(
            pytest.param(tool, 2000, marks=pytest.mark.nightly)
            for tool in ("fuzz.py --language fortran", "fuzz.py --language c++", "fuzz_plans.py")
        ),
    ],
)
def test_mutations_make_no_trouble(tool, count):
    """Slow kinds of changes are tried less often; ``make fuzz`` tries thousands."""
    name, *words = tool.split()
    command = [sys.executable, TOOLS / name, *words, "--mutations", str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"0 failures in {count} " in done.stdout
