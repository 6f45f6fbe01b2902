"""The end of a launcher that was asked to end and never will."""

from __future__ import annotations

import subprocess
import time
import warnings
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any, Final

__all__ = ["StuckLauncher"]

_GRACE: Final = 10.0  # seconds in which a launcher may take note of the end of its ranks
_STEP: Final = 0.5  # seconds between two looks
_DEAD: Final = frozenset("ZX")


class StuckLauncher:
    """Kills a launcher, once it was asked to end, if it leaves ranks dead for long and has no other.

    Open MPI 4's ``mpirun`` that is interrupted waits, about once in forty times on a busy machine, for a lock that it
    holds itself (PMIx's, in ``PMIx_server_finalize``), and hears no further request. Its ranks have ended by then.
    """

    def __init__(self, process: subprocess.Popen[Any], grace: float = _GRACE) -> None:
        """Take the launcher, and how many seconds dead ranks are to be left."""
        self._process = process
        self._grace = grace
        self._watch: Thread | None = None

    def asked_to_end(self) -> None:
        """Begin to watch; a handler of signals may call it, and again."""
        if self._watch is None:
            self._watch = Thread(target=self._end, daemon=True)
            self._watch.start()

    def _end(self) -> None:
        left: frozenset[int] = frozenset()
        since = time.monotonic()
        while self._process.returncode is None:
            dead = _dead_children(self._process.pid)
            if dead != left or not dead:
                left, since = dead, time.monotonic()
            elif time.monotonic() - since > self._grace:
                warnings.warn("the launcher did not end after its ranks: it was killed", stacklevel=1)
                self._process.kill()
                return
            time.sleep(_STEP)


def _dead_children(parent: int) -> frozenset[int]:
    """Return the children of a process that it has not waited for, if all are dead."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, its_parent = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
            if int(its_parent) == parent:
                found[int(process.name)] = state
    return frozenset(found) if _DEAD.issuperset(found.values()) else frozenset()
