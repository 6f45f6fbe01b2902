"""One compiler command carried out: preprocess, instrument, compile, and as it was if that fails."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ..errors import SourceError
from .c.source import instrument_text
from .compiler import Argument, CompilerCommand
from .dependencies import dependency_words
from .steps import Headers, compile_words, preprocess, run, untouched_words
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

    def run(self) -> int:
        """Compile, and give the compiler's status."""
        with workspace() as folder:
            return self._run(folder)

    def _run(self, folder: Path) -> int:
        silent = self._instrument(folder)
        if silent is None or not self.instrumented:
            return self._ended(run(self.command.words).status)
        words = compile_words(self.command, self.instrumented)
        compiled = run(words, messages=True)
        if compiled.status == 0 and silent and not compiled.messages:
            return self._ended(0)
        # The user's messages are those of the untouched command: guards change what flow analysis sees, and
        # preprocessed text where a macro is blamed.
        if status := self._untouched(folder / "untouched"):
            return status
        if compiled.status and run([*words, "-w"], messages=True).status:
            names = ", ".join(source.words[0] for source in self.instrumented)
            self.warnings.append(f"{names}: not instrumented: {_first_error(compiled.messages)}; compiled as it is")
            return self._ended(run(self.command.words, messages=True).status)
        return self._ended(0)

    def _instrument(self, folder: Path) -> bool | None:
        """Write the instrumented text of each source; tell whether the preprocessor was silent, None if it failed."""
        headers = Headers(self.command.compiler)
        dependencies = dependency_words(self.command)
        silent = True
        for number, source in enumerate(self.command.sources):
            done = preprocess(self.command, source, dependencies.get(source, []))
            if done.status:
                return None
            silent = silent and not done.messages
            # Sources may share a base name, and the names of outputs follow from it.
            path = folder / str(number) / f"{Path(source.words[0]).stem}.i"
            self._instrument_one(source, done.output, headers, path)
        return silent

    def _instrument_one(self, source: Argument, text: bytes, headers: Headers, path: Path) -> None:
        try:
            result = instrument_text(text, source.words[0], headers.directories())
        except SourceError as error:
            place = f"{error.file}:{error.line}:{error.column}"
            self.warnings.append(f"{place}: not instrumented: {error.message}; compiled as it is")
            return
        except Exception as error:  # a build must never fail because of us
            name = source.words[0]
            self.warnings.append(f"{name}: not instrumented: {type(error).__name__}: {error}; compiled as it is")
            return
        self.warnings.extend(str(problem) for problem in result.found.problems)
        if any(not found.reason for found in result.found.regions):
            path.parent.mkdir()
            path.write_bytes(result.text)
            self.instrumented[source] = str(path)

    def _untouched(self, folder: Path) -> int:
        """Carry the untouched command out with its outputs put aside, for its messages; give its status."""
        folder.mkdir()
        for number, words in enumerate(untouched_words(self.command)):
            if status := run([*words, "-o", str(folder / str(number))]).status:
                return status
        return 0

    def _ended(self, status: int) -> int:
        """Warn, unless the compiler has more to say."""
        if status == 0:
            sys.stderr.writelines(f"autoanalyzer: {warning}\n" for warning in self.warnings)
        return status


def _first_error(messages: bytes) -> str:
    lines = os.fsdecode(messages).splitlines()
    return next((line for line in lines if "error" in line), "the instrumented text does not compile")
