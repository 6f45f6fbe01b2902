"""Two starts of ``run`` in one folder, as for a job that is requeued while its first start still ends."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from autoanalyzer.experiment import load

from ..conftest import BIN, Tool, left_by_run

PROGRAM = """#include <unistd.h>
static void work(int n) { usleep(n); }
int main(int argc, char **argv) { work(1000); return 0; }
"""

# The tool runs in forks of one process; each stops at the call of a function until it may continue. A process in
# between records how it ended.
STOPPING = """
import json, os, sys, time
from importlib import import_module
from pathlib import Path
from autoanalyzer.cli.main import main
import autoanalyzer.cli.run, autoanalyzer.runtime.gather.gather, autoanalyzer.runtime.measure
def run(where, place, words):
    module, _, name = where.rpartition(".")
    module = import_module(module)
    function = getattr(module, name)
    def stop(*arguments, **options):
        Path(place, "stands").touch()
        while not Path(place, "may go on").exists():
            time.sleep(0.02)
        return function(*arguments, **options)
    setattr(module, name, stop)
    os.chdir(Path(place).parent)
    os.dup2(os.open(Path(place, "said"), os.O_CREAT | os.O_WRONLY), 2)
    main(words)
places = []
for line in sys.stdin:
    place = json.loads(line)[1]
    places.append(Path(place))
    if os.fork() == 0:
        start = os.fork()
        if start == 0:
            run(*json.loads(line))
        status = os.waitstatus_to_exitcode(os.waitpid(start, 0)[1])
        Path(place, "status").write_text(str(status))
        Path(place, "status").rename(Path(place, "ended"))
        os._exit(0)
for place in filter(Path.exists, places):  # of a test that has failed
    (place / "may go on").touch()
try:
    while os.wait():
        pass
except ChildProcessError:
    pass
"""

BEFORE_IT_GATHERS = "autoanalyzer.runtime.measure.gather_shards"
BEFORE_IT_MERGES = "autoanalyzer.runtime.gather.gather.merge"
BEFORE_IT_REMOVES = "autoanalyzer.runtime.gather.gather.fsync"


class Start:
    """A start of ``run`` that stops at a function."""

    def __init__(self, starter: IO[str], tool: Tool, name: str, where: str) -> None:
        self.place = tool.folder / name
        self.place.mkdir()
        words = ["run", "--no-analyze", "-o", "out", "--", "./app", name]
        starter.write(f"{json.dumps([where, str(self.place), words])}\n")
        starter.flush()
        self._wait_for("stands")

    def go_on(self) -> str:
        """Continue until the end; return the output."""
        (self.place / "may go on").touch()
        self._wait_for("ended")
        return (self.place / "said").read_text()

    @property
    def status(self) -> int:
        """The exit status."""
        return int((self.place / "ended").read_text())

    def _wait_for(self, file: str) -> None:
        while not (self.place / file).exists():
            assert file == "ended" or not (self.place / "ended").exists(), (self.place / "said").read_text()
            time.sleep(0.02)


@pytest.fixture(scope="module")
def starter() -> Iterator[IO[str]]:
    """Yield the stream to the process that forks a start for each line."""
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    with subprocess.Popen([sys.executable, "-c", STOPPING], env=environment, stdin=subprocess.PIPE, text=True) as made:
        assert made.stdin is not None
        yield made.stdin
        made.stdin.close()


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
    starter: IO[str], tool: Tool, program: Path, where: str, has_ended: bool
) -> None:
    shutil.copy(program, tool.folder)
    first, second = Start(starter, tool, "first", where), Start(starter, tool, "second", BEFORE_IT_GATHERS)
    told = second.go_on() if has_ended else ""
    said = first.go_on()
    assert "out: a later run in this folder, or another analysis, has collected this run's data" in said
    assert first.status == 2
    told = told or second.go_on()
    assert second.status == 0, told
    found = load(tool.folder / "out")
    assert (found.notes.command, len(found.locations), found.notes.remarks) == (("./app", "second"), 1, ())
    assert left_by_run(tool.folder / "out") == {"experiment.cube"}
