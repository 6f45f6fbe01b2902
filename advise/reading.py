"""Read source files for advice, each once, if it exists, is unchanged since the run, and can be parsed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ..errors import InputError
from ..experiment.compiled import Compiled
from .nest import SourceFile
from .options import options_of

__all__ = ["Found", "Reading", "is_cxx", "is_readable"]

_FORTRAN: Final = re.compile(r"\.(f|for|ftn|fpp|f\d\d)$", re.I)
_C_FAMILY: Final = re.compile(r"\.(c|cc|cp|cxx|cpp|c\+\+|h|hh|hpp|hxx|inl|ipp|tpp|cu|cuh)$", re.I)
_CXX: Final = re.compile(r"\.(cc|cp|cxx|cpp|c\+\+|hh|hpp|hxx|inl|ipp|tpp|cu|cuh|C|H)$")
_INCLUDED: Final = re.compile(r"\.(inc|fi)$", re.I)  # included files, which may be in any language
_LIKE_FORTRAN: Final = re.compile(rb"^[ \t\d]*(end\b|(recursive |pure )*subroutine\b|.*\bfunction\b)", re.I | re.M)
_COMMENT: Final = re.compile(rb"^[cC*][^\w=(]", re.M)  # a comment of fixed form, which begins in the first column
_LARGEST: Final = 1 << 20  # bytes, about 30,000 lines; larger files are generated


@dataclass(frozen=True)
class Found:
    """The result of a search for a file of the program.

    Attributes:
        path: The file's path; None if it was not found.
        why_not: Why the file cannot be used: it does not exist or was changed after the run; empty if it can be used.
    """

    path: Path | None
    why_not: str = ""


class Reading:
    """Reads files by their names on the compiler's command line.

    Args:
        find: Finds a file by its name.
        built: File → lines that are known to have been compiled, because code regions begin there.
        compiled: How files were compiled, as far as known.

    Attributes:
        remarks: Warnings about files with no advice or incomplete advice.
        lacking: File → the first warning about it in ``remarks``.
    """

    def __init__(
        self, find: Callable[[str], Found], built: Mapping[str, Collection[int]], compiled: Iterable[Compiled] = ()
    ) -> None:
        self._find = find
        self._built = built
        self._compiled = tuple(compiled)
        self._read: dict[str, SourceFile | None] = {}
        self._doubted: set[str] = set()
        self.remarks: list[str] = []
        self.lacking: dict[str, str] = {}

    def read(self, name: str) -> SourceFile | None:
        """Read a file; return None and record a warning if it cannot be used."""
        if name not in self._read:
            self._read[name] = None
            try:
                source = self._read[name] = self._file(name)
                if source and source.remarks:
                    self.lacking[name] = f"advice on {name} may be missing: {source.remarks[0]}"
                    self.remarks += [f"{name}: {each}" for each in source.remarks]
            except (InputError, OSError, RecursionError) as error:
                self.give_up(name, str(error) or type(error).__name__)
        return self._read[name]

    def give_up(self, name: str, why: str) -> None:
        """Exclude a file and record why."""
        self.lacking[name] = f"no advice on {name}: {why}"
        self.remarks.append(self.lacking[name])

    def doubt(self, name: str, line: int) -> None:
        """Record, once per file, that advice on a line is omitted because the line may not have been compiled."""
        if name not in self._doubted:
            self._doubted.add(name)
            said = f"advice on {name} may be missing: it is unknown whether line {line} was compiled"
            self.lacking.setdefault(name, said)
            self.remarks.append(said)

    @property
    def sources(self) -> dict[str, SourceFile]:
        """All files that were read, by name."""
        return {name: source for name, source in self._read.items() if source is not None}

    def _file(self, name: str) -> SourceFile | None:
        """Read a file; return None if its language is not supported.

        Raises:
            InputError: The file cannot be read or has changed since the run.
        """
        if not is_readable(name):
            return None
        found = self._find(name)
        if found.path is None or found.why_not:
            raise InputError(found.why_not or "the file was not found")
        text = found.path.read_bytes()
        if len(text) > _LARGEST:
            raise InputError(f"the file has {len(text) >> 10} KiB, more than the limit of {_LARGEST >> 10} KiB")
        built = self._built.get(name, ())
        options = options_of(self._compiled, name, found.path)
        if _FORTRAN.search(name) or (_INCLUDED.search(name) and _LIKE_FORTRAN.search(text)):
            from .fortran import read_fortran  # noqa: PLC0415 - each front end is imported only for its language

            form = ".f" if _COMMENT.search(text) else ".f90"
            path = found.path if _FORTRAN.search(name) else found.path.with_suffix(form)
            source = read_fortran(text, path, built, options)
        else:
            from ..instrument.c_family.reader import why_no_libclang  # noqa: PLC0415

            if problem := why_no_libclang():
                raise InputError(f"libclang, which reads this file, cannot be loaded: {problem}")
            from .c_family import read_c_family  # noqa: PLC0415

            source = read_c_family(text, found.path, built, options)
        return replace(source, path=name)  # the experiment uses this name for the file


def is_readable(name: str) -> bool:
    """Return whether a file is in a supported language."""
    return any(each.search(name) for each in (_FORTRAN, _C_FAMILY, _INCLUDED))


def is_cxx(name: str) -> bool:
    """Return whether a file's name indicates C++."""
    return bool(_CXX.search(name))
