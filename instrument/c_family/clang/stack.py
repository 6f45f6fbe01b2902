"""A stack for text that is nested as deep as only generators write it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

__all__ = ["on_deep_stack"]

_SIZES: Final = (512 << 20, 64 << 20)  # bytes; GCC takes 64 MiB where it may, and needs less for each level
_NO_THREADS: Final = "LIBCLANG_NOTHREADS"
_Result = TypeVar("_Result")


def on_deep_stack(function: Callable[[], _Result]) -> _Result:
    """Call a function that parses, on a stack that is not exhausted by thousands of levels.

    The library would parse in a thread of its own, with 8 MiB; what overflows there ends the process. Memory is taken
    as it is used. Where a limit allows no large stack, the thread at hand does it.

    Args:
        function: What to call.
    """
    results: list[_Result] = []
    failures: list[BaseException] = []

    def call() -> None:
        try:
            results.append(function())
        except BaseException as error:  # raised again by the thread that waits
            failures.append(error)

    was_set = os.environ.get(_NO_THREADS)
    os.environ[_NO_THREADS] = "1"
    try:
        if thread := _started(call):
            thread.join()
        else:
            call()
    finally:
        if was_set is None:
            del os.environ[_NO_THREADS]
    if failures:
        raise failures[0]
    return results[0]


def _started(call: Callable[[], None]) -> threading.Thread | None:
    """Start a thread with the largest stack that can be had; None if there is none."""
    for size in _SIZES:
        usual = threading.stack_size(size)
        try:
            thread = threading.Thread(target=call, daemon=True)
            with suppress(RuntimeError):
                thread.start()
                return thread
        finally:
            threading.stack_size(usual)
    return None
