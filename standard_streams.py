"""What the user has opened, or closed, for the program under study: streams and other descriptors are its alone."""

from __future__ import annotations

import os
import sys

__all__ = ["hand_streams_over", "hold_closed_streams"]


def hold_closed_streams() -> None:
    """Put ``/dev/null`` in the place of each standard stream that is closed.

    Programs that this process starts, or becomes, find it closed, as the user wanted.
    """
    while (place := os.open(os.devnull, os.O_RDWR)) <= 2:  # which no other program inherits
        pass
    os.close(place)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115 - open as long as we run
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


def hand_streams_over() -> None:
    """Close all inherited descriptors except standard error.

    Who reads its pipes, or writes to its standard input, learns of its end when it ends, however long we go on.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    for number in map(int, os.listdir("/proc/self/fd")):
        if number > 2 and _is_inherited(number):
            os.close(number)


def _is_inherited(number: int) -> bool:
    """Return whether other programs would inherit a descriptor, in contrast to those that this process has opened."""
    try:
        return os.get_inheritable(number)
    except OSError:
        return False
