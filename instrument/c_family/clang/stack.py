"""Provide a large stack for very deeply nested text, which only generators write."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

__all__ = ["on_deep_stack"]

# Stack sizes to try, in bytes. GCC uses a stack of 64 MiB if allowed, and needs less stack per nesting level than
# libclang.
_SIZES: Final = (512 << 20, 64 << 20)
_NO_THREADS: Final = "LIBCLANG_NOTHREADS"
_Result = TypeVar("_Result")


def on_deep_stack(function: Callable[[], _Result]) -> _Result:
    """Call a parsing function on a stack that is large enough for thousands of levels, and return its result.

    libclang itself would parse in a thread with a stack of 8 MiB, whose overflow ends the process. Memory is allocated
    only when it is used. If a limit forbids a large stack, the current thread calls the function.

    Args:
        function: The function to call.
    """
    results: list[_Result] = []
    failures: list[BaseException] = []

    def call() -> None:
        try:
            results.append(function())
        except BaseException as error:  # raised again in the waiting thread
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
    """Start and return a thread with a stack as large as possible; None if the system allows no large stack."""
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
