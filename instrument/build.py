"""One compiler command carried out: preprocess, instrument, compile, and as it was if that fails."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ..errors import SourceError
from .compiler import Argument, CompilerCommand
from .dependencies import dependency_words
from .source import instrument_text
from .steps import Finished, Headers, compile_words, preprocess, run
from .workspace import workspace

__all__ = ["Build"]


class Build:
    """Carry out a command that has C sources.

    Args:
        command: The user's command.
    """

    def __init__(self, command: CompilerCommand) -> None:
        self.command = command
        self.instrumented: dict[Argument, str] = {}
        self.warnings: list[str] = []
        self.colours = ["-fdiagnostics-color=always"] if sys.stderr.isatty() else []

    def run(self) -> int:
        """Compile, and give the compiler's status; its messages appear once, as without instrumentation."""
        with workspace() as folder:
            return self._run(folder)

    def _run(self, folder: Path) -> int:
        messages = self._instrument(folder)
        if messages is None or not self.instrumented:
            return self._as_it_is()
        compiled = run(compile_words(self.command, self.instrumented, self.colours), messages=True)
        if compiled.status:
            return self._as_it_is(because=compiled)
        _forward(messages, compiled.messages)
        self._warn()
        return 0

    def _instrument(self, folder: Path) -> bytes | None:
        """Write the instrumented text of each source, and give the preprocessor's messages; None if it fails."""
        headers = Headers(self.command.compiler)
        dependencies = dependency_words(self.command)
        messages = b""
        for number, source in enumerate(self.command.sources):
            done = preprocess(self.command, source, [*self.colours, *dependencies.get(source, [])])
            if done.status:
                return None
            messages += done.messages
            # Sources may share a base name, and the names of outputs follow from it.
            path = folder / str(number) / f"{Path(source.words[0]).stem}.i"
            self._instrument_one(source, done.output, headers, path)
        return messages

    def _instrument_one(self, source: Argument, text: bytes, headers: Headers, path: Path) -> None:
        try:
            result = instrument_text(text, source.words[0], headers.directories())
        except SourceError as error:
            place = f"{error.file}:{error.line}:{error.column}"
            self.warnings.append(f"{place}: not instrumented: {error.message}; compiled as it is")
            return
        self.warnings.extend(str(problem) for problem in result.found.problems)
        if any(not found.reason for found in result.found.regions):
            path.parent.mkdir()
            path.write_bytes(result.text)
            self.instrumented[source] = str(path)

    def _as_it_is(self, because: Finished | None = None) -> int:
        status = run(self.command.words).status
        if status == 0 and because is not None:
            names = ", ".join(source.words[0] for source in self.instrumented)
            self.warnings.append(f"{names}: not instrumented: {_first_error(because.messages)}; compiled as it is")
        if status == 0:
            self._warn()
        return status

    def _warn(self) -> None:
        for warning in self.warnings:
            sys.stderr.write(f"autoanalyzer: {warning}\n")


def _first_error(messages: bytes) -> str:
    lines = os.fsdecode(messages).splitlines()
    return next((line for line in lines if "error" in line), "the instrumented text does not compile")


def _forward(preprocessing: bytes, compiling: bytes) -> None:
    """Pass messages on; what the compiler's driver says in both steps, once."""
    again = set(compiling.splitlines())
    kept = [line for line in preprocessing.splitlines(keepends=True) if line.rstrip(b"\r\n") not in again]
    sys.stderr.buffer.write(b"".join(kept) + compiling)
    sys.stderr.flush()
