"""Two starts of ``run`` in one folder, as of a job that is queued again while its first start still ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autoanalyzer.experiment import load

from ..conftest import BIN, Tool, left_by_run

PROGRAM = """#include <unistd.h>
static void work(int n) { usleep(n); }
int main(int argc, char **argv) { work(1000); return 0; }
"""

# autoanalyzer, which stops where a function is called until it may go on.
STOPPING = """
import sys, time
from importlib import import_module
from pathlib import Path
from autoanalyzer.cli.main import main
where, place, *words = sys.argv[1:]
module, _, name = where.rpartition(".")
module = import_module(module)
function = getattr(module, name)
def stop(*arguments, **options):
    Path(place, "stands").touch()
    while not Path(place, "may go on").exists():
        time.sleep(0.02)
    return function(*arguments, **options)
setattr(module, name, stop)
main(words)
"""

BEFORE_IT_GATHERS = "autoanalyzer.runtime.measure.gather_shards"
BEFORE_IT_MERGES = "autoanalyzer.runtime.gather.gather.merge"
BEFORE_IT_REMOVES = "autoanalyzer.runtime.gather.gather.fsync"


class Start:
    """One start, which goes as far as a function."""

    def __init__(self, tool: Tool, name: str, where: str) -> None:
        self.place = tool.folder / name
        self.place.mkdir()
        words = [where, str(self.place), "run", "-o", "out", "--", "./app", name]
        self.process = subprocess.Popen(
            [sys.executable, "-c", STOPPING, *words],
            cwd=tool.folder,
            env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"},
            stderr=subprocess.PIPE,
            text=True,
        )
        while not (self.place / "stands").exists():
            assert self.process.poll() is None
            time.sleep(0.02)

    def go_on(self) -> str:
        """Let it come to its end; give what it said."""
        (self.place / "may go on").touch()
        return self.process.communicate()[1]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tool = Tool(tmp_path_factory.mktemp("program"))
    tool.build(PROGRAM, compiler="gcc")
    return tool.folder / "app"


@pytest.mark.parametrize(
    ("where", "has_ended"),
    [
        *((where, True) for where in (BEFORE_IT_GATHERS, BEFORE_IT_MERGES, BEFORE_IT_REMOVES)),
        (BEFORE_IT_MERGES, False),
        *(pytest.param(where, False, marks=pytest.mark.nightly) for where in (BEFORE_IT_GATHERS, BEFORE_IT_REMOVES)),
    ],
)
def test_the_first_start_leaves_alone_what_the_second_has(
    tool: Tool, program: Path, where: str, has_ended: bool
) -> None:
    shutil.copy(program, tool.folder)
    first, second = Start(tool, "first", where), Start(tool, "second", BEFORE_IT_GATHERS)
    told = second.go_on() if has_ended else ""
    said = first.go_on()
    assert "out: a later run here, or another analysis, has taken this one's data" in said
    assert first.process.returncode == 2
    told = told or second.go_on()
    assert second.process.returncode == 0, told
    found = load(tool.folder / "out")
    assert (found.notes.command, len(found.locations), found.notes.remarks) == (("./app", "second"), 1, ())
    assert left_by_run(tool.folder / "out") == {"experiment.cube"}
