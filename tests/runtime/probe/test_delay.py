"""How long a thread waited for a processor, as the kernel tells it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from autoanalyzer.runtime.gather import shard_layout

PROGRAM = Path(__file__).parents[1] / "programs" / "run_delay.c"
PROBE = Path(shard_layout.__file__).parents[1] / "probe"


def test_a_kernel_that_does_not_count_tells_nothing(tmp_path: Path) -> None:
    program = tmp_path / "delay"
    subprocess.run(["gcc", "-std=gnu11", f"-I{PROBE}", str(PROGRAM), "-o", str(program)], check=True)
    texts = ("0 1794449 1\n", "5300000 0 12\n", "0 0 0\n")
    assert subprocess.run([str(program), *texts], check=True, capture_output=True).stdout.split() == [
        b"1794449",
        b"0",
        b"-1",
    ]
