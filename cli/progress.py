"""Show progress on standard error: on a terminal, a line that is updated; otherwise, a new line from time to time."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final

from ..view.terminal import on_terminal

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["SHORT", "SLOW", "counted", "progress", "stages"]

SHORT: Final = 1.0  # seconds; a terminal shows no progress of shorter activities
SLOW: Final = 10.0  # seconds until the first line if there is no terminal, for activities that take seconds
_LOOK: Final = 0.1  # seconds between updates on a terminal
_FIRST: Final = 60.0  # seconds until the first line for activities that take minutes; the time doubles with each line


@contextmanager
def progress(what: str, *, first: float = _FIRST) -> Iterator[None]:
    """Show an activity until the block ends.

    Args:
        what: The activity.
        first: Seconds until the first line if standard error is not a terminal.
    """
    if on_terminal(sys.stderr):
        with _bar(counted=False) as bar:
            bar.add_task(what, total=None)
            yield
        return
    ended = threading.Event()
    teller = threading.Thread(target=_tell, args=([what], first, ended), daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


@contextmanager
def counted(what: str, *, first: float = SLOW) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback that takes the amount done and the total, and shows them until the block ends.

    Args:
        what: The activity.
        first: Seconds until the first line if standard error is not a terminal.
    """
    terminal = on_terminal(sys.stderr)
    bars: list[Progress] = []
    due: list[float] = []

    def tell(done: int, total: int) -> None:
        if not due:
            due[:] = monotonic() + (SHORT if terminal else first), first
        elif monotonic() < due[0]:
            return
        elif terminal:
            if not bars:
                bars.append(_bar(counted=True))
                bars[0].add_task(what)
                bars[0].start()
            bars[0].update(bars[0].task_ids[0], completed=done, total=total)
        else:
            sys.stderr.write(f"autoanalyzer: {what}: {done:,} of {total:,}\n")
            sys.stderr.flush()
            due[:] = monotonic() + 2 * due[1], 2 * due[1]

    try:
        yield tell
    finally:
        for bar in bars:
            bar.stop()


@contextmanager
def stages(*, first: float = _FIRST / 4, after: float = 0.0) -> Iterator[Callable[[str], None]]:
    """Yield a callback that takes the name of the current activity; the name is shown until the block ends.

    Args:
        first: Seconds until the first line if standard error is not a terminal.
        after: Seconds until progress is shown on a terminal.
    """
    now = [""]
    ended = threading.Event()
    teller = (_move, (now, after, ended)) if on_terminal(sys.stderr) else (_tell, (now, first, ended))
    thread = threading.Thread(target=teller[0], args=teller[1], daemon=True)
    thread.start()
    try:
        yield lambda what: now.__setitem__(0, what)
    finally:
        ended.set()
        thread.join()


def _bar(*, counted: bool) -> Progress:
    """Return the progress line for a terminal, with a bar if amounts are counted."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    said, time = TextColumn("{task.description}"), TimeElapsedColumn()
    columns = (said, BarColumn(), MofNCompleteColumn(), time) if counted else (SpinnerColumn(), said, time)
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _move(now: Sequence[str], pause: float, ended: threading.Event) -> None:
    if ended.wait(pause):
        return
    with _bar(counted=False) as bar:
        task = bar.add_task(now[0], total=None)
        while not ended.wait(_LOOK):
            bar.update(task, description=now[0])


def _tell(now: Sequence[str], pause: float, ended: threading.Event) -> None:
    start = monotonic()
    while not ended.wait(pause):
        passed = monotonic() - start
        time = f"{passed / 60:.0f} min" if passed >= _FIRST else f"{passed:.0f} s"
        said = ": ".join(filter(None, ("autoanalyzer", now[0], time)))
        sys.stderr.write(f"{said} so far\n")
        sys.stderr.flush()
        pause *= 2
