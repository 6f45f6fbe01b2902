"""Standard streams that the user has closed: nothing that we open may come to stand in their place."""

from __future__ import annotations

import os
import sys

__all__ = ["hold_closed_streams"]


def hold_closed_streams() -> None:
    """Put ``/dev/null`` in the place of each standard stream that is closed.

    Programs that this process starts, or becomes, find it closed, as the user wanted.
    """
    while (place := os.open(os.devnull, os.O_RDWR)) <= 2:  # which no other program inherits
        pass
    os.close(place)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115 - open as long as we run
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115
