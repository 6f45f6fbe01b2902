"""Read sources by name, for commands that analyse them without compiling."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..errors import InputError
from .choice import Choice
from .code_region import CodeRegions, Instrumented
from .compiler import Argument, CompilerCommand
from .front_end import FORTRAN_STUB, FrontEnd, front_end
from .source_text import SourceTexts

__all__ = ["ReadSource", "read_sources"]

_FATAL: Final = b"fatal error"
_CXX_HEADERS: Final = (".hpp", ".hh", ".hxx", ".h++", ".H", ".tcc")


class ReadSource:
    """A preprocessed source, and the front end for its language."""

    def __init__(self, source: Argument, text: bytes, language: FrontEnd) -> None:
        self._source = source
        self._text = text
        self._language = language

    @property
    def name(self) -> str:
        """The name of the source on the command line."""
        return self._source.words[0]

    @property
    def output(self) -> str:
        """A file name for the instrumented text."""
        return Path(self.name).stem + self._language.suffix(self._source)

    @property
    def stub(self) -> Path | None:
        """The C source that a program of instrumented texts needs in addition; None if each text contains the stub."""
        return FORTRAN_STUB if self._source.is_fortran else None

    def instrument(self) -> Instrumented:
        """Return the source's text with probes, and its regions."""
        return self._language.instrument(self._source, self._text)

    def regions(self) -> CodeRegions:
        """Return the source's regions."""
        return self._language.regions(self._source, self._text)


def read_sources(
    c: list[str],
    cxx: list[str],
    fortran: list[str],
    sources: list[str],
    flags: list[str],
    *,
    choice: Choice | None = None,
    lenient: bool = False,
) -> Iterator[ReadSource]:
    """Yield C, C++ and Fortran sources, preprocessed one by one.

    Args:
        c: The C compiler command, which may contain flags.
        cxx: The C++ compiler command.
        fortran: The Fortran compiler command.
        sources: Paths of the sources.
        flags: Compiler flags of the user: directories, macros, the language standard.
        choice: The requested regions; None for the choice in environment variables.
        lenient: Whether to ignore errors after which the preprocessor continues, such as ``#error``.

    Raises:
        InputError: A source does not exist, is in another language, or the preprocessor rejects it.
    """
    for path in sources:
        if not Path(path).is_file():
            raise InputError(
                f"{path}: expected a C, C++ or Fortran source, found {'a folder' if Path(path).is_dir() else 'nothing'}"
            )
        words = [*flags, *(["-x", "c++"] if path.endswith(_CXX_HEADERS) else []), path]
        found = [source for source in CompilerCommand(["", *words]).sources if source.words == (path,)]
        if not found:
            raise InputError(f"{path}: expected a C, C++ or Fortran source, found another kind of file")
        source = found[-1]
        command = CompilerCommand([*(fortran if source.is_fortran else cxx if source.is_cxx else c), *words])
        language = front_end(command, source, choice)
        done = SourceTexts(command).read(source)
        if done.status and not (lenient and done.output and _FATAL not in done.messages):
            raise InputError(f"{path}: rejected by the preprocessor: {done.reason('no reason given')}")
        yield ReadSource(source, done.output, language)
