"""What a user sees while something long goes on: a line that moves on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

__all__ = ["progress"]

_FIRST: Final = 60.0  # seconds until the first line; each next one takes twice as long


@contextmanager
def progress(what: str, *, first: float = _FIRST) -> Iterator[None]:
    """Tell on standard error that something goes on, until the block ends."""
    console = Console(stderr=True)
    if console.is_terminal:
        with Progress(
            SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), console=console, transient=True
        ) as bar:
            bar.add_task(what, total=None)
            yield
        return
    ended = threading.Event()
    teller = threading.Thread(target=_tell, args=(what, first, ended), daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def _tell(what: str, pause: float, ended: threading.Event) -> None:
    start = monotonic()
    while not ended.wait(pause):
        sys.stderr.write(f"autoanalyzer: {what}: {(monotonic() - start) / 60:.0f} min so far\n")
        sys.stderr.flush()
        pause *= 2
