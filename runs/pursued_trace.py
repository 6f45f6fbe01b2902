"""Read the traces that ``pursue`` accepts, complete or growing: CSV, ``.npz``, OTF2, or a run in progress."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from ..errors import InputError
from ..experiment.run_folder import TRACE_FILE
from ..experiment.trace import Samples, Trace, TraceReader, open_trace, read_trace, samples_of
from ..experiment.trace.otf2 import OTF2_SUFFIX
from ..runtime.folder import RunFolder
from ..runtime.gather.live_samples import LiveSamples

__all__ = ["is_trace", "trace_pieces"]

_CSV: Final = ".csv"
_LINES: Final = (".npz", OTF2_SUFFIX)
_PIECE: Final = 2**16
_PAUSE: Final = 0.1  # seconds between checks of a growing file
_STEPS: Final = 100  # maximum number of steps into which the time lines of a window are divided
_LOOKS: Final = 10  # number of times that a run in progress is read per window


def is_trace(path: Path) -> bool:
    """Return whether a path names a trace file or standard input; False for a run's folder."""
    return str(path) == "-" or path.suffix.lower() in (_CSV, *_LINES)


def trace_pieces(path: Path, window: float | None, patience: float | None) -> Iterator[Samples]:
    """Yield the samples of a trace: all at once if the trace is complete, or else as they arrive.

    Args:
        path: A file, a run's folder, or ``-`` for standard input.
        window: Length of a window in seconds; None for the whole trace. Time lines are divided into steps of a
            hundredth of this length, or of the sampling interval if that is longer.
        patience: Seconds without new samples after which a growing trace counts as ended; None for a complete trace.

    Raises:
        InputError: There is no trace, the trace is damaged, or no sample arrived.
    """
    if path.is_dir() and patience is not None:
        yield from _of_running(RunFolder(path), window, patience)
    elif path.is_dir() or path.suffix.lower() in _LINES:
        yield _of_file(path / TRACE_FILE if path.is_dir() else path, window)
    else:
        yield from _of_csv(path, patience)


def _of_file(file: Path, window: float | None) -> Samples:
    if not file.exists():
        raise InputError(f"{file}: expected a trace, found none; run the program with --trace")
    trace = open_trace(file)
    assert isinstance(trace, Trace), "CSV is read by another function"
    interval = trace.facts.get("interval")
    shortest = interval if isinstance(interval, float) and interval > 0 else 0.0
    if window is not None and window < 2 * shortest:
        raise InputError(
            f"{file}: expected a --window of at least {2 * shortest:g} s, twice the sampling interval, found {window:g}"
        )
    span = max((float(line.end[-1]) for line in trace.lines() if len(line)), default=0.0)
    if not (step := max(shortest, min(window or 0.0, span) / _STEPS)):
        raise InputError(f"{file}: the trace does not contain its sampling interval, so choose a --window")
    return samples_of(trace, step)


def _of_running(folder: RunFolder, window: float | None, patience: float) -> Iterator[Samples]:
    live = LiveSamples(folder, (window or 0.0) / _STEPS)
    last, came = time.monotonic(), False
    while True:
        ended = live.ended  # checked before reading, so that the last samples are read, too
        samples = live.new()
        if len(samples.times):
            last, came = time.monotonic(), True
            yield samples
        if ended or time.monotonic() - last > patience:
            break
        time.sleep((window or patience) / _LOOKS)
    if not came:
        raise InputError(f"{folder.path}: expected samples from a program running with --trace, but none arrived")


def _of_csv(path: Path, patience: float | None) -> Iterator[Samples]:
    name = "standard input" if str(path) == "-" else str(path)
    with _opened(path) as stream:
        if patience is None:
            yield read_trace(stream, name)
            return
        reader = TraceReader(name)
        for piece in _pieces(stream, name, patience):
            yield reader.feed(piece, last=not piece)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if str(path) == "-":
        if sys.stdin is None:
            raise InputError("standard input: expected a trace, but it is closed")
        yield sys.stdin.buffer
        return
    with path.open("rb") as stream:
        yield stream


def _pieces(stream: BinaryIO, name: str, patience: float) -> Iterator[bytes]:
    """Yield the content of a file and all data that are appended to it later; finally, yield an empty piece.

    A file ends after ``patience`` seconds without new data; a pipe ends when its writer closes it.
    """
    descriptor = stream.fileno()
    grows = stat.S_ISREG(os.fstat(descriptor).st_mode)
    size, last = 0, time.monotonic()
    while True:
        if piece := os.read(descriptor, _PIECE):
            size, last = size + len(piece), time.monotonic()
            yield piece
        elif not grows or time.monotonic() - last > patience:
            yield b""
            return
        elif os.fstat(descriptor).st_size < size:
            raise InputError(f"{name}: expected a growing trace, but it was truncated; run pursue again")
        else:
            time.sleep(_PAUSE)
