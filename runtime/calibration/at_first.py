"""Calibrate automatically before the first run on a machine: instructions, cache misses and files, in about 1 s."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic, time
from typing import Final

from ...cache_place import cache_name
from ...errors import AutoanalyzerError
from ..command import find_program
from ..mpi.detection import Mpi, find_mpi
from .kept import keep, kept_calibration
from .measuring import machine_alone

__all__ = ["calibrate_at_first"]

_REFUSED: Final = "off"
_PATIENT: Final = "wait"
# architectures on which the number of instructions in the loops is known without counting
_KNOWN: Final = ("x86_64", "AMD64")
_PATIENCE: Final = 3.0  # seconds; if the calibration takes longer, the machine is too busy to be measured
_ALL_PATIENCE: Final = 600.0  # seconds, if the user requested a calibration
_ROUNDS: Final = 2
_TRIED: Final = "calibration-tried"
_AGAIN: Final = 86400.0  # seconds between two attempts


def calibrate_at_first(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str] = os.environ,
    *,
    say: Callable[[str], object],
) -> None:
    """Measure instructions, cache misses and file I/O, and cache the times, unless they are cached; ignore failures.

    Args:
        command: The launcher and the program of the run that follows.
        folder: The folder in which files are read and written.
        environment: The user's variables: ``AUTOANALYZER_CALIBRATE=off`` disables calibration; ``wait`` also measures a
            busy machine.
        say: Callback that shows the user a message.
    """
    asked = environment.get("AUTOANALYZER_CALIBRATE", "").strip().lower()
    if asked == _REFUSED or platform.machine() not in _KNOWN:
        return
    patience = _ALL_PATIENCE if asked == _PATIENT else _PATIENCE
    cache = Path(cache_name(environment))
    with suppress(AutoanalyzerError, OSError, ArithmeticError, ValueError):
        if kept_calibration(Mpi(None), environment) or not _can_be_written(cache) or _was_tried(cache):
            return
        find_program(command, find_mpi(command, environment).launcher)  # a command that cannot run needs no calibration
        start = monotonic()
        folder.mkdir(parents=True, exist_ok=True)
        (cache / _TRIED).touch()
        keep(machine_alone(folder, environment, rounds=_ROUNDS, patience=patience), Mpi(None), environment)
        say(
            f"benchmarked instructions, cache misses and file I/O on this machine in {monotonic() - start:.1f} s "
            "(done only once); to measure messages, too, run autoanalyzer calibrate"
        )


def _was_tried(cache: Path) -> bool:
    """Return whether calibrating was tried in the last 24 hours, so that a busy machine is not measured at each run."""
    with suppress(OSError):
        return time() - (cache / _TRIED).stat().st_mtime < _AGAIN
    return False


def _can_be_written(cache: Path) -> bool:
    cache.mkdir(parents=True, exist_ok=True)
    return os.access(cache, os.W_OK | os.X_OK)
