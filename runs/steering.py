"""Change the metrics in time lines while the program runs: ``pursue`` or another program writes a policy file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any, Final

from ..errors import UsageError
from ..own_modules import own_module_words
from ..runtime.folder import RunFolder
from ..view.units import many
from .options import RunOptions

__all__ = ["pursued", "steered"]

_PATIENCE: Final = 1e9  # seconds without samples; practically no limit, because a program may be busy for a day
_LAST_PERIOD: Final = 180  # seconds of CPU time for the periods that are left after the program has ended
_STUCK: Final = 180  # seconds after which the pursuit is stuck if it used less than this share of them as CPU time
_LEAST: Final = 0.01  # more than for waiting, and less than a process gets on a machine with 100 others per core
_PAUSE: Final = 0.2  # seconds between two looks at the pursuit
_NAMED: Final = 3


def steered(options: RunOptions) -> dict[str, str]:
    """Return the environment variable, if there is a policy, that passes the policy file's path to the processes.

    Raises:
        UsageError: No time lines are recorded, or there are two policies.
    """
    for option, value in ("pursue", options.pursue), ("policy", options.policy):
        if value is not None and options.trace is None:
            raise UsageError(f"--{option} needs --trace")
    if options.pursue is not None and options.policy is not None:
        raise UsageError("--pursue cannot be combined with --policy, because --pursue writes its own policy")
    if options.policy is not None:
        return {"AUTOANALYZER_POLICY": str(options.policy.absolute())}
    if options.pursue is not None:
        return {"AUTOANALYZER_POLICY": str(RunFolder(options.output).policy.absolute())}
    return {}


@contextmanager
def pursued(options: RunOptions, say: Callable[[str], object]) -> Iterator[None]:
    """Run ``autoanalyzer pursue`` during the block if ``--pursue`` was given, and print its result."""
    if options.pursue is None:
        yield
        return
    folder = RunFolder(options.output)
    process = subprocess.Popen(
        [*_command(folder, options.pursue)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield
        complaint = _last_words(process)
        say(_outcome(folder.pursuit) if process.returncode == 0 else f"pursuit failed: {_last_line(complaint)}")
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()


def _last_words(process: subprocess.Popen[str]) -> str:
    """Wait until the pursuit ends; return what it printed to standard error, or why it takes too long.

    The limit is a CPU time, because on a busy machine the pursuit is behind the program when that ends.
    """
    before = used = _cpu_time(process.pid)
    last = monotonic()
    while used - before <= _LAST_PERIOD and monotonic() - last <= _STUCK:
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=_PAUSE)[1]
        if (now := _cpu_time(process.pid)) - used >= _LEAST * _STUCK:
            used, last = now, monotonic()
    if used - before > _LAST_PERIOD:
        return f"the last periods took more than {_LAST_PERIOD} seconds of CPU time"
    return f"it was stuck for {_STUCK} seconds"


def _cpu_time(pid: int) -> float:
    """Return the CPU time in seconds of a process that has not been waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _command(folder: RunFolder, window: float) -> Iterator[str]:
    yield from (*own_module_words("autoanalyzer"), "pursue", str(folder.path))
    yield from ("--follow", f"{_PATIENCE:g}", "--window", f"{window:g}")
    yield from ("--policy", str(folder.policy), "--json", str(folder.pursuit))


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it ended without a message"])[-1].removeprefix("autoanalyzer: ")


def _outcome(file: Path) -> str:
    """Return a message that names the metrics recorded most often."""
    found: dict[str, Any] = json.loads(file.read_text())
    periods = found["periods"]
    worth = [period for period in periods if period["status"] in ("converged", "stopped")]
    best = Counter(metric for period in worth for metric in period["metrics"]).most_common(_NAMED)
    named = ", ".join(f"{metric} ({count})" for metric, count in best)
    return (
        f"pursued {many(len(found['metrics']), 'metric')} in {many(len(periods), 'period')}, {len(worth)} of which "
        f"show structure; recorded most often: {named or 'none'}; all choices are listed in {file}"
    )
