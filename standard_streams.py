"""Keep this process from using standard streams and descriptors that belong to the program under study."""

from __future__ import annotations

import os
import sys

__all__ = ["hand_streams_over", "hold_closed_streams"]


def hold_closed_streams() -> None:
    """Open ``/dev/null`` in place of each closed standard stream.

    Programs that this process starts, or executes in its place, still find the stream closed, as the user wanted.
    """
    while (place := os.open(os.devnull, os.O_RDWR)) <= 2:  # Python opens descriptors as not inheritable
        pass
    os.close(place)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115 - stays open as long as this process runs
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


def hand_streams_over() -> None:
    """Replace standard input and output by ``/dev/null``, and close other inherited descriptors except standard error.

    Processes at the other ends of the program's pipes then notice at once when the program ends, even if this process
    continues to run.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    for number in map(int, os.listdir("/proc/self/fd")):
        if number > 2 and _is_inherited(number):
            os.close(number)


def _is_inherited(number: int) -> bool:
    """Return whether child processes inherit a descriptor; those that this process has opened are not inherited."""
    try:
        return os.get_inheritable(number)
    except OSError:
        return False
