"""The kernel's data on a process: how long its thread waited for a core, and which resources it used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from autoanalyzer.runtime.gather import shard_layout

from .conftest import Record

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


# Touches 64 MiB, page by page, and then executes the program.
BECOMES = "import os, sys; memory = b'1' * (64 << 20); os.execvp(sys.argv[1], sys.argv[1:])"


def test_what_the_process_did_as_another_program_is_none_of_this_one(preloaded: Record) -> None:
    (shard,) = preloaded("+main -main", before=(sys.executable, "-c", BECOMES))
    system = dict(zip(shard_layout.SYSTEM_VALUES, shard.system, strict=True))
    assert 0 < system["minor_faults"] < 1000
    assert 0 < system["resident"] < 32 << 20
