"""Change the metrics in time lines while the program runs: ``pursue`` or another program writes a policy file."""

from __future__ import annotations

import json
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from ..errors import UsageError
from ..own_modules import own_module_words
from ..runtime.folder import RunFolder
from ..view.units import many
from .options import RunOptions

__all__ = ["pursued", "steered"]

_PATIENCE: Final = 1e9  # seconds without samples; practically no limit, because a program may be busy for a day
_LAST_PERIOD: Final = 180  # seconds for the last period after the program has ended, enough for a busy machine
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
        try:
            _, complaint = process.communicate(timeout=_LAST_PERIOD)
        except subprocess.TimeoutExpired:
            complaint = f"the last period took longer than {_LAST_PERIOD} seconds"
        say(_outcome(folder.pursuit) if process.returncode == 0 else f"pursuit failed: {_last_line(complaint)}")
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()


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
