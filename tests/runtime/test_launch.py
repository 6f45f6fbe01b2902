"""Starting a program: what it receives, and the message if it cannot be started."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.runtime import launch as launching
from autoanalyzer.runtime.launch import launch


def once_handled(name: str) -> str:
    """Return a shell command that waits until the shell's parent handles a signal."""
    caught = "$((0x$(sed -n 's/^SigCgt:.//p' /proc/$PPID/status)"
    return f"until test {caught} >> {signal.Signals[f'SIG{name}'] - 1} & 1)) = 1; do sleep 0.01; done"


@pytest.mark.parametrize("name", ["TERM", "HUP"])
def test_requests_to_end_are_handed_on(name: str, signals_heard: None) -> None:
    text = f"{once_handled(name)}; kill -{name} $PPID; exec sleep 1000"
    assert launch(["sh", "-c", text], os.environ) == -signal.SIGTERM
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_DFL


@pytest.mark.parametrize(
    ("name", "text", "status"), [("TERM", "exec sleep 1000", -signal.SIGTERM), ("INT", "sleep 1; exit 3", 3)]
)
def test_a_signal_that_comes_while_the_program_starts_is_not_lost(
    monkeypatch: pytest.MonkeyPatch, signals_heard: None, name: str, text: str, status: int
) -> None:
    start = launching._start
    heard: list[int] = []

    def start_late(*given: Any) -> subprocess.Popen[bytes]:
        process = start(*given)
        os.kill(os.getpid(), signal.Signals[f"SIG{name}"])
        return process

    monkeypatch.setattr(launching, "_start", start_late)
    assert launch(["sh", "-c", text], os.environ, signalled=heard.append) == status
    assert heard == [signal.Signals[f"SIG{name}"]]


def test_a_signal_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert launch(["sh", "-c", f"{once_handled('TERM')}; kill -HUP $PPID; sleep 1; exit 3"], os.environ) == 3
    finally:
        signal.signal(signal.SIGHUP, before)


def test_what_cannot_be_started_and_what_cannot_be_written_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="/none: cannot be started: No such file"):
        launch([str(tmp_path / "none")], os.environ)
    with pytest.raises(InputError, match=f"{tmp_path}: cannot be written: Is a directory"):
        launch(["true"], os.environ, log=tmp_path)
