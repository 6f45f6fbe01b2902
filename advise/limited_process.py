"""Run a function in a separate process with limited time and memory.

Sources are not trusted: a source may include a pipe, or a macro that expands to a hundred million words, and parsers
have no limits.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from ..errors import InputError

__all__ = ["Limits", "in_limited_process"]

_Result = TypeVar("_Result")
_ENDING: Final = (signal.SIGXCPU, signal.SIGALRM, signal.SIGINT, signal.SIGTERM)
_NO_MEMORY: Final = 3  # exit status if memory is exhausted
_STACK: Final = 512 << 20  # bytes of address space, of which a parser uses little
_TOLD, _RESULT = "told", "result"


@dataclass(frozen=True)
class Limits:
    """The limits of a process.

    Attributes:
        processor_seconds: CPU time; the sources of the largest tested program took 7 s.
        seconds: Elapsed time, including waiting for files.
        memory: Bytes, in addition to the memory at the process's start.
    """

    processor_seconds: int = 30
    seconds: int = 90
    memory: int = 2 << 30


def in_limited_process(
    function: Callable[[Callable[[str], object]], _Result], tell: Callable[[str], object], limits: Limits
) -> _Result:
    """Call a function in a copy of this process.

    Args:
        function: The function; its argument is a progress callback.
        tell: Progress callback in this process.
        limits: The limits.

    Returns:
        The function's result, which must be picklable.

    Raises:
        InputError: The process exceeded a limit or ended unexpectedly.
        OSError: No process could be started.
    """
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as pipe:
        try:
            with warnings.catch_warnings():
                # Python warns about forking a process with threads, but the other threads only show progress.
                warnings.simplefilter("ignore", DeprecationWarning)
                child = os.fork()
            if not child:
                _call(function, writer, limits)
        finally:
            os.close(writer)
        ended = False
        try:
            while True:
                kind, what = pickle.load(pipe)
                if kind == _RESULT:
                    return what  # type: ignore[no-any-return]
                tell(what)
        except (EOFError, pickle.UnpicklingError):
            ended = True
        finally:
            if not ended:
                os.kill(child, signal.SIGKILL)
            status = os.waitpid(child, 0)[1]
    raise InputError(_why(os.waitstatus_to_exitcode(status), limits))


def _call(function: Callable[[Callable[[str], object]], object], writer: int, limits: Limits) -> None:
    """Call a function, send its result, and exit without running the copied process's cleanup."""
    status = 1
    try:
        _limit(limits)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # parsers print crash reports to standard error
        with os.fdopen(writer, "wb") as pipe:

            def send(kind: str, what: object) -> None:
                pickle.dump((kind, what), pipe)
                pipe.flush()

            send(_RESULT, function(partial(send, _TOLD)))
        status = 0
    except MemoryError:
        status = _NO_MEMORY
    finally:
        os._exit(status)


def _limit(limits: Limits) -> None:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    most = pages * resource.getpagesize() + limits.memory + _STACK
    for limit, value in ((resource.RLIMIT_AS, most), (resource.RLIMIT_CPU, limits.processor_seconds)):
        soft, hard = resource.getrlimit(limit)
        known = [each for each in (value, soft, hard) if each != resource.RLIM_INFINITY]
        resource.setrlimit(limit, (min(known), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    for number in _ENDING:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    signal.alarm(limits.seconds)


def _why(status: int, limits: Limits) -> str:
    if status == -signal.SIGXCPU:
        return f"reading this file took more than {limits.processor_seconds} s of CPU time"
    if status == -signal.SIGALRM:
        return f"reading this file took more than {limits.seconds} s"
    if status == _NO_MEMORY:
        return f"reading this file took more than {limits.memory >> 20} MiB of memory"
    how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
    return f"the process that read this file {how}"
