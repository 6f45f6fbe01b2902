import os
import pty
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

import numpy as np
import pytest

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region, save

from ..conftest import BIN, command_server


@pytest.fixture
def written(tool) -> Callable[..., Path]:
    """Return a function that writes an experiment with the regions main, work and idle to the tool's folder.

    The three values of its metric are the same on all ranks.
    """

    def write(
        name: str,
        values: Sequence[float],
        *,
        ranks: int = 2,
        node: str = "n",
        metric: str = "wall_time",
        unit: str = "sec",
        work: Region | None = None,
        missing: tuple[int, ...] = (),
        notes: Notes | None = None,
        **about: str,
    ) -> Path:
        work = work or Region("function", "work", "a.c", "work", 0, 10, 19)
        main, idle = (
            Region("program", "main", "a.c", "main", 0, 1, 99),
            Region("function", "idle", "a.c", "idle", 0, 20, 29),
        )
        experiment = Experiment(
            metrics=[Metric(metric, unit, **about)],
            call_paths=[CallPath(main), CallPath(work, 0), CallPath(idle, 0)],
            locations=[Location("m", f"{node}{rank}", rank) for rank in range(ranks)],
            severities={metric: np.repeat(np.array(values, dtype=float)[:, None], ranks, axis=1)},
            notes=notes or Notes(program="app", missing=missing),
        )
        save(experiment, tool.folder / name)
        return tool.folder / name

    return write


@pytest.fixture
def files(tool, written):
    written("a.cube", [0.1, 2, 1])
    written("b.cube", [0.1, 1, 1.5])
    return tool


@pytest.fixture
def terminal(tool) -> Callable[..., str]:
    """Return a function that runs a command on a terminal with some columns, and returns what the terminal shows."""

    def run(columns: int, *words: str, **environment: str) -> str:
        own = {"PATH": f"{BIN}:{os.environ['PATH']}", "TERM": "xterm-256color", **environment}
        inherited = {name: value for name, value in os.environ.items() if name not in _TERMINAL}
        ours, theirs = pty.openpty()
        ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        streams = [theirs, os.dup(theirs), os.dup(theirs)]
        command = [str(BIN / words[0]), *words[1:]]
        status, pieces = command_server(command).carry_out(
            command, tool.folder, {**inherited, **own}, streams, lambda: _read_all(ours)
        )
        os.close(ours)
        shown = b"".join(pieces)
        assert status == 0, shown.decode()
        return shown.decode().replace("\r\n", "\n")

    return run


_TERMINAL = ("COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "TERM")


@pytest.fixture(autouse=True)
def _without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the variables by which the terminal that starts the tests would change the width and colours of output."""
    for name in _TERMINAL:
        if name != "TERM":
            monkeypatch.delenv(name, raising=False)


def _read_all(terminal: int) -> Iterator[bytes]:
    with suppress(OSError):  # closing a terminal raises an error
        while piece := os.read(terminal, 1 << 16):
            yield piece


def succeed(done):
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    return done


LOOKS = Path(__file__).parents[1] / "programs" / "looks.c"


def built_with_looks(tool, compiler: str, file: str, *flags: str) -> None:
    """Build ``app``, which runs until it has enough samples, even if a busy machine rarely takes one."""
    succeed(tool("gcc", "-O1", "-c", str(LOOKS), "-o", "looks.o"))
    succeed(tool(compiler, "-g", "-O1", file, "looks.o", "-o", "app", *flags))


def refused(done) -> str:
    """Assert that a command was refused with exit status 2 and one line of message, and return this line."""
    assert (done.returncode, done.stdout) == (2, b""), done.stderr.decode()
    (line,) = (each for each in done.stderr.decode().splitlines() if "building the probe library for" not in each)
    return line
