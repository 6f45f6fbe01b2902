"""Build and run benchmark programs in a temporary folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from ...errors import BuildError, InputError
from ...temporary_folder import owned_prefix
from ..c_compiler import compiled
from ..failure_reason import failure_reason
from ..session import end_session

__all__ = ["Workshop", "printed_prices", "workshop"]

_SOURCES: Final = Path(__file__).parent
_REQUESTS: Final = _SOURCES.parent / "probe"
# With these flags, the loops have exactly their stated number of instructions.
_FLAGS: Final = ("-std=gnu11", "-O2", "-fno-tree-vectorize", "-fno-unroll-loops", f"-I{_REQUESTS}")
_PATIENCE: Final = 300.0  # seconds, enough for a busy machine or a launcher that waits for nodes
# a launcher may print the rank in front of a line
_PRICE: Final = re.compile(r"\bprice (\w+) ([0-9.e+-]+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Workshop:
    """Builds and runs benchmark programs.

    Attributes:
        folder: A temporary folder for this calibration only.
        environment: The user's environment variables.
    """

    folder: Path
    environment: Mapping[str, str]

    def build(
        self, name: str, sources: Sequence[str], compilers: Sequence[Sequence[str]], *, flags: Sequence[str] = _FLAGS
    ) -> Path:
        """Build a program with the first compiler that succeeds.

        Args:
            name: The program's name.
            sources: Names of source files in this package's folder.
            compilers: Compiler commands, in order of preference.
            flags: Compiler flags.

        Raises:
            BuildError: No compiler succeeds.
        """
        program, said = self.folder / name, ""
        files = [str(_SOURCES / source) for source in sources]
        for compiler in compilers:
            done = compiled([*compiler, *flags, *files, "-o", str(program)], self.environment)
            if done.returncode == 0:
                return program
            said = said or failure_reason(done.stderr)
        raise BuildError(f"{shlex.join(compilers[0])} cannot build {name}.c: {said}")

    def run(
        self, words: Sequence[str | Path], more: Mapping[str, str] | None = None, *, patience: float = _PATIENCE
    ) -> str:
        """Run a program and return its output.

        Args:
            words: The program's command.
            more: Environment variables in addition to the user's.
            patience: Timeout in seconds.

        Raises:
            InputError: The program cannot be started, fails, or takes too long.
        """
        command = [str(word) for word in words]
        try:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env={**self.environment, **(more or {})},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise InputError(f"{command[0]}: cannot be started: {error.strerror}") from None
        try:
            printed, complained = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            raise InputError(f"{command[0]}: did not end within {patience:.0f} s") from None
        finally:
            if process.returncode is None:
                end_session(process)
        if process.returncode:
            said = failure_reason(f"{complained}\n{printed}") or f"exit status {process.returncode}"
            raise InputError(f"{command[0]}: {said}")
        return printed


@contextmanager
def workshop(folder: Path, environment: Mapping[str, str]) -> Iterator[Workshop]:
    """Yield a workshop in a temporary folder below ``folder``.

    Raises:
        InputError: The folder cannot be written.
    """
    try:
        made = TemporaryDirectory(prefix=owned_prefix("calibrate"), dir=folder, ignore_cleanup_errors=True)
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be written: {error.strerror}; choose another folder with --folder"
        ) from None
    with made as name:
        yield Workshop(Path(os.path.realpath(name)), environment)


def printed_prices(printed: str) -> dict[str, float]:
    """Return the prices in a program's output, in seconds by name; if processes print different prices, the lowest."""
    found: dict[str, float] = {}
    for name, value in _PRICE.findall(printed):
        found[name] = min(float(value), found.get(name, float(value)))
    return found
