"""Open a trace from any source: autoanalyzer's own file, a run's folder, an OTF2 archive, or CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ...errors import InputError
from ..run_folder import TRACE_FILE
from .csv_reader import read_trace
from .otf2 import OTF2_SUFFIX, read_otf2
from .samples import Samples
from .time_line import Trace
from .trace_archive import load_trace

__all__ = ["open_trace"]

_CSV: Final = ".csv"


def open_trace(path: Path) -> Samples | Trace:
    """Open a trace; the time lines of autoanalyzer's own traces are read on demand.

    Args:
        path: A ``.csv`` file, an ``.otf2`` archive, a trace of ``run --trace``, or the folder of such a run.

    Raises:
        InputError: There is no trace at this path, or it is damaged.
    """
    if path.is_dir():
        if not (path / TRACE_FILE).exists():
            raise InputError(f"{path}: expected {TRACE_FILE}, found none; run the program with --trace")
        return load_trace(path / TRACE_FILE)
    if path.suffix.lower() == OTF2_SUFFIX:
        return read_otf2(path)
    if path.suffix.lower() != _CSV:
        return load_trace(path)
    try:
        with path.open("rb") as stream:
            return read_trace(stream, str(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
