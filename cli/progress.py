"""What a user sees while something long goes on: a line that moves on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

__all__ = ["counted", "progress"]

_SHORT: Final = 1.0  # seconds for which nobody needs to be told anything
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


@contextmanager
def counted(what: str, *, first: float = _FIRST / 6) -> Iterator[Callable[[int, int], None]]:
    """Give what takes how much is done and of how much; it is shown from the first time on until the block ends."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=console, transient=True)
    due: list[float] = []

    def tell(done: int, total: int) -> None:
        if not due:
            due[:] = monotonic() + (_SHORT if console.is_terminal else first), first
        elif monotonic() < due[0]:
            return
        elif console.is_terminal:
            bar.start()
            task = bar.task_ids[0] if bar.task_ids else bar.add_task(what)
            bar.update(task, completed=done, total=total)
        else:
            sys.stderr.write(f"autoanalyzer: {what}: {done:,} of {total:,}\n")
            sys.stderr.flush()
            due[:] = monotonic() + 2 * due[1], 2 * due[1]

    try:
        yield tell
    finally:
        if bar.live.is_started:  # a stop alone prints an empty line
            bar.stop()


def _tell(what: str, pause: float, ended: threading.Event) -> None:
    start = monotonic()
    while not ended.wait(pause):
        sys.stderr.write(f"autoanalyzer: {what}: {(monotonic() - start) / 60:.0f} min so far\n")
        sys.stderr.flush()
        pause *= 2
