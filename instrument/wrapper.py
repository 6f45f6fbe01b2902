"""Compile as the user's command says, with probes in."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

from ..errors import UsageError
from .compiler import Argument, CompilerCommand, no_compiler

__all__ = ["compile_instrumented"]

_INSIDE: Final = "AUTOANALYZER_INSIDE"
_SWITCH: Final = "AUTOANALYZER"
# Sources by which a build system asks what the compiler can do: autoconf, CMake, Meson.
_PROBING: Final = re.compile(
    r"/conftest\.[ci]$|/CMakeFiles/(?:CMakeTmp|CMakeScratch|[\d.]+(?:-\w+)?/CompilerIdC)/|/meson-private/"
)
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def compile_instrumented(words: list[str]) -> int:
    """Carry out a compiler command, its C sources instrumented on the way.

    Gives the compiler's status; a command with nothing to instrument takes this process's place.

    Raises:
        UsageError: The compiler does not exist, or is this wrapper.
    """
    if os.environ.get(_INSIDE):
        raise UsageError(
            f"the compiler that was called has called {words[0]} again; let AUTOANALYZER_CC (and OMPI_CC, "
            "MPICH_CC) name a real compiler"
        )
    os.environ[_INSIDE] = "1"
    if os.environ.get(_SWITCH) == "off":
        _become(words)
    command = CompilerCommand(words)
    if command.asks or not command.sources or any(_is_probe(source) for source in command.sources):
        _become(words)
    from .build import Build

    with _workspace() as folder:
        return Build(command, folder).run()


def _is_probe(source: Argument) -> bool:
    return bool(_PROBING.search(os.path.abspath(source.words[0])))


def _become(words: list[str]) -> NoReturn:
    """Let the real command take the place of this process."""
    try:
        os.execvp(words[0], words)
    except OSError as error:
        raise no_compiler(words[0], error) from None


@contextmanager
def _workspace() -> Iterator[str]:
    """Give a temporary directory that no signal leaves behind."""
    import tempfile

    before = {number: signal.getsignal(number) for number in _SIGNALS}
    ours = [number for number, handler in before.items() if handler != signal.SIG_IGN]
    for number in ours:
        signal.signal(number, _stop)
    try:
        with tempfile.TemporaryDirectory(prefix="autoanalyzer-") as folder:
            yield folder
    except _StopError as stopped:
        signal.signal(stopped.number, signal.SIG_DFL)
        os.kill(os.getpid(), stopped.number)
    finally:
        for number in ours:
            signal.signal(number, before[number])


class _StopError(BaseException):
    """Carry a signal to the end of the workspace."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    for other in _SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise _StopError(number)
