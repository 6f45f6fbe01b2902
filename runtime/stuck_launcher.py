"""Kill a launcher that hangs after it was asked to end."""

from __future__ import annotations

import subprocess
import time
import warnings
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any, Final

__all__ = ["StuckLauncher"]

_GRACE: Final = 10.0  # seconds for a launcher to notice the end of its ranks
_STEP: Final = 0.5  # seconds between two checks
_DEAD: Final = frozenset("ZX")


class StuckLauncher:
    """Kills a launcher that hangs after a request to end: all of its ranks are dead, and it does not collect them.

    On a busy machine, about every fortieth interrupt makes Open MPI 4's ``mpirun`` wait for a lock that it holds itself
    (PMIx's, in ``PMIx_server_finalize``), so that it ignores further requests. Its ranks have ended by then.
    """

    def __init__(self, process: subprocess.Popen[Any], grace: float = _GRACE) -> None:
        """Watch a launcher.

        Args:
            process: The launcher.
            grace: Seconds that the launcher may take to collect dead ranks.
        """
        self._process = process
        self._grace = grace
        self._watch: Thread | None = None

    def asked_to_end(self) -> None:
        """Begin to watch; may be called repeatedly, and by a signal handler."""
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
                warnings.warn("the launcher did not exit after its ranks had ended, so it was killed", stacklevel=1)
                self._process.kill()
                return
            time.sleep(_STEP)


def _dead_children(parent: int) -> frozenset[int]:
    """Return the dead children that a process has not waited for; empty if any child is alive."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, its_parent = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
            if int(its_parent) == parent:
                found[int(process.name)] = state
    return frozenset(found) if _DEAD.issuperset(found.values()) else frozenset()
