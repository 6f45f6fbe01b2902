"""The server that runs commands for the tests: it ends them as Python does, and reports that they have ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import CommandServer


@pytest.mark.parametrize("code", ["'no such file'", "''", "None", "0", "3", "True"])
def test_a_command_ends_as_in_a_process_of_its_own(code: str) -> None:
    served = f"import command_server, sys; command_server.carry_out(lambda: sys.exit({code}))"
    ends = []
    for program in (f"import sys; sys.exit({code})", served):
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, check=False)
        ends.append((done.returncode, done.stdout, done.stderr))
    assert ends[0] == ends[1]


def test_a_server_that_has_ended_is_named(tmp_path: Path) -> None:
    server = CommandServer(CommandServer.COMPILER_MODULES)
    server._process.kill()
    with pytest.raises(RuntimeError, match="the command server ended"):
        server.run(["autoanalyzer", "--version"], tmp_path, {}, b"")
    server.close()
