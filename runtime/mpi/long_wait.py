"""Print a message if a process of an MPI job waits a long time for the others."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["said_if_long"]


@contextmanager
def said_if_long(text: str, patience: float) -> Iterator[None]:
    """Print a line on standard error, once, if the block takes longer than ``patience``.

    A separate process prints it, because mpi4py holds the interpreter's lock while MPI is initialised.

    Args:
        text: The line to print.
        patience: Seconds until the line is printed.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(writing)
            if not select.select([reading], [], [], patience)[0]:
                os.write(2, f"{text}\n".encode())
        finally:
            os._exit(0)
    os.close(reading)
    try:
        yield
    finally:
        os.close(writing)
        os.waitpid(child, 0)
