"""Read a C or C++ source file with libclang, including the headers that are found.

If the build's options are unknown, the file is read as if built with MPI, because the program ran with MPI. The parser
continues after a missing header; loops with parse errors are marked. A C++ header that cannot be parsed alone is parsed
again after headers that are usually included before it.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from ctypes import byref, c_char_p
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from ...errors import AutoanalyzerError, SourceError
from ...instrument.c_family.clang.library import FUNCTION_KINDS, UnsavedFile
from ...instrument.c_family.clang.stack import on_deep_stack
from ...instrument.syntax import UnreadError
from ...instrument.toolchain import Toolchain
from ..conditions import asks_for_mpi, defined_in, doubtful, settled
from ..nest import Declaration, Procedure, SourceFile, Structure
from ..options import Options
from ..preprocessor import decided
from .header import directives_of, masked
from .library import CursorKind, Places, children, lib
from .names import declared
from .statements import read_procedure

__all__ = ["read_c_family"]

_CXX: Final = re.compile(r"\.(cc|cp|cxx|cpp|c\+\+|hh|hpp|hxx|ipp|tpp|cu|cuh|C|H)$")
_HEADER: Final = re.compile(r"\.(h|hh|hpp|hxx|H|ipp|tpp|cuh)$")
_USUAL: Final = (b"cstddef", b"cstdlib", b"cmath", b"vector", b"string", b"map", b"iostream", b"algorithm")
_OF_CXX: Final = re.compile(
    rb"^\s*(template\s*<|namespace\b|class\s+\w+|using\s|#\s*include\s*<(vector|string|c\w+)>)", re.M
)
# Some pragmas make the parser crash or hang on purpose.
_NO_CRASH: Final = ("-Xclang", "-disable-pragma-debug-crash")
_QUIET: Final = (*_NO_CRASH, "-w", "-Wno-everything", "-ferror-limit=0", "-fno-spell-checking")
_FLAGS: Final = 0x02 | 0x200  # Incomplete and KeepGoing (after fatal errors), as in Index.h
_ERROR: Final = 3
_NEAR: Final = ("", "include", "inc", "src", "../include", "../inc", "../src", "..", "../common")
_OUTER: Final = frozenset(
    (
        CursorKind.NAMESPACE,
        CursorKind.LINKAGE_SPEC,
        CursorKind.STRUCT_DECL,
        CursorKind.UNION_DECL,
        CursorKind.CLASS_DECL,
        CursorKind.CLASS_TEMPLATE,
        CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
    )
)
_INCLUDED: Final = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.M)
_MOST_REMARKS: Final = 3
_MOST_BESIDE: Final = 40  # maximum number of folders, and of headers, to examine; real programs have fewer


def read_c_family(text: bytes, path: Path, built: Collection[int] = (), options: Options | None = None) -> SourceFile:
    """Read a C or C++ source file; see ``FrontEnd``.

    Raises:
        SourceError: The file cannot be parsed at all.
    """
    is_cxx = _CXX.search(path.name) or (path.suffix == ".h" and _OF_CXX.search(text))
    language = options.language if options else "c++" if is_cxx else "c"
    read = partial(_read_as_compiled, options=options) if options else _read
    try:
        return on_deep_stack(partial(read, text, path, language, built))
    except UnreadError as error:
        latin = text.decode("latin-1")
        line = latin.count("\n", 0, error.offset) + 1
        raise SourceError(str(path), line, 1, str(error)) from None
    except RecursionError:
        raise SourceError(str(path), 1, 1, "nested too deeply to be read") from None


def _read_as_compiled(text: bytes, path: Path, language: str, built: Collection[int], options: Options) -> SourceFile:
    """Read a file with its build options; search near the file for headers not found with these options."""
    given = map(os.fsencode, (*options.of_language, *options.preprocessing))
    words = [f"-x{language}".encode(), *map(str.encode, _QUIET), *given, *_folders(path, language)]
    text = settled(text, built)
    if doubtful(text):
        text = decided(text, path, options, words)
    found = _understood(text, path, language, words, openmp=options.openmp)
    return replace(found, doubtful=doubtful(text, options.macros.keys() - options.contested))


def _read(text: bytes, path: Path, language: str, built: Collection[int]) -> SourceFile:
    of_mpi = asks_for_mpi(text.decode("latin-1"))
    options = [*_QUIET, *(f"-D{each}=1" for each in of_mpi)]
    text = settled(text, built)
    doubts = doubtful(text, of_mpi)
    if doubts:
        doubts = doubtful(text, _known_macros(text, path, of_mpi))
    words = [f"-x{language}".encode(), *map(str.encode, options), *_folders(path, language)]
    return replace(_understood(text, path, language, words), doubtful=doubts)


def _understood(text: bytes, path: Path, language: str, words: Sequence[bytes], *, openmp: bool = True) -> SourceFile:
    """Parse a file; a header that cannot be parsed alone is parsed again after the usual headers."""
    found, problems = _parsed(text, path, language, words, openmp=openmp)
    if problems and language == "c++" and _HEADER.search(path.name):
        others = [word for each in _USUAL for word in (b"-include", each)]
        again, fewer = _parsed(text, path, language, [*words, *others], openmp=openmp)
        found = again if fewer < problems else found
    return found


def _known_macros(text: bytes, path: Path, told: Collection[str]) -> frozenset[str]:
    """Return the known macros and those defined in a file or in the program's headers that it includes."""
    known, pending, seen = frozenset(told), [(text, path)], {path}
    while pending and len(seen) <= _MOST_BESIDE:
        written, file = pending.pop()
        folders = [file.parent, *(path.parent / each for each in _NEAR)]
        for name in _INCLUDED.findall(written):
            with suppress(OSError):
                header = next((each for folder in folders if (each := folder / os.fsdecode(name)).is_file()), path)
                if header not in seen:
                    seen.add(header)
                    included = header.read_bytes()
                    known |= defined_in(included, known)
                    pending.append((included, header))
    return defined_in(text, known)


def _parsed(text: bytes, path: Path, language: str, words: Sequence[bytes], *, openmp: bool) -> tuple[SourceFile, int]:
    """Parse a file with the given options; also return the number of errors."""
    latin = text.decode("latin-1")
    name = os.fsencode(path)
    given = (c_char_p * len(words))(*words)
    file = UnsavedFile(name, text, len(text))
    index = lib.clang_createIndex(0, 0)
    unit = lib.clang_parseTranslationUnit(index, name, given, len(words), byref(file), 1, _FLAGS)
    try:
        if not unit:
            raise SourceError(str(path), 1, 1, "the parser crashed or ran out of memory")
        read = _Unit(unit, Places(unit, name, masked(latin)), latin if openmp else "")
        return read.source(language, str(path)), read.problems
    finally:
        lib.clang_disposeTranslationUnit(unit)
        lib.clang_disposeIndex(index)


class _Unit:
    def __init__(self, unit: Any, places: Places, text: str) -> None:
        self._unit, self._places = unit, places
        self._directives = directives_of(text, places.text)
        self._problems = list(_problems(unit, places))
        self._procedures: list[Procedure] = []
        self._declarations: dict[str, Declaration] = {}
        self._structures: dict[str, Structure] = {}

    @property
    def problems(self) -> int:
        """The number of errors in the file."""
        return len(self._problems)

    def source(self, language: str, path: str) -> SourceFile:
        self._look(lib.clang_getTranslationUnitCursor(self._unit))
        remarks = [f"line {line}: {said}" if line else said for line, said in self._problems]
        if len(remarks) > _MOST_REMARKS:
            remarks[_MOST_REMARKS:] = [f"and {len(remarks) - _MOST_REMARKS} more"]
        return SourceFile(
            language,
            path,
            tuple(sorted(self._procedures, key=lambda each: each.line)),
            tuple(self._declarations.values()),
            tuple(self._structures.values()),
            tuple(remarks),
        )

    def _look(self, outer: Any) -> None:
        for cursor in children(outer):
            line = self._places.start(cursor).line or self._places.at(lib.clang_getCursorLocation(cursor)).line
            if not line:
                continue
            if cursor.kind in FUNCTION_KINDS:
                self._look_at_function(cursor)
            elif cursor.kind in _OUTER:
                self._look(cursor)
            elif cursor.kind == CursorKind.VAR_DECL:
                made = declared(cursor, str(lib.clang_getCursorSpelling(cursor)), line, [], None)
                self._declare(replace(made, outlives=True))

    def _look_at_function(self, cursor: Any) -> None:
        if not any(each.kind in (CursorKind.COMPOUND_STMT, CursorKind.CXX_TRY_STMT) for each in children(cursor)):
            return
        wrong = [line for line, _ in self._problems if line]
        procedure, names = read_procedure(cursor, self._places, self._directives, wrong, self._structures)
        self._procedures.append(procedure)
        for each in names.others.values():
            self._declare(each)

    def _declare(self, declaration: Declaration) -> None:
        self._declarations.setdefault(declaration.name, declaration)


def _problems(unit: Any, places: Places) -> Iterator[tuple[int, str]]:
    """Yield the line and message of each error in the file; errors in other files are left out."""
    for number in range(lib.clang_getNumDiagnostics(unit)):
        problem = lib.clang_getDiagnostic(unit, number)
        if lib.clang_getDiagnosticSeverity(problem) >= _ERROR:
            line = places.at(lib.clang_getDiagnosticLocation(problem)).line
            if line:
                yield line, str(lib.clang_getDiagnosticSpelling(problem))
        lib.clang_disposeDiagnostic(problem)


def _folders(path: Path, language: str) -> Iterator[bytes]:
    """Yield options for include directories: first the directories near the file, then those of the MPI compiler."""
    near = [path.parent / each for each in _NEAR]
    for folder in dict.fromkeys(os.path.normpath(each) for each in (*near, *_beside(path.parent)) if each.is_dir()):
        yield b"-I" + os.fsencode(folder)
    named = os.environ.get("AUTOANALYZER_CXX" if language == "c++" else "AUTOANALYZER_CC", "")
    try:
        compiler = shlex.split(named) or ["mpicxx" if language == "c++" else "mpicc"]
        directories = Toolchain(compiler, language).directories
    except (AutoanalyzerError, ValueError):
        return
    yield from (b"-nostdinc", b"-nostdinc++")
    for folder_name in sorted(directories, key=_search_order):
        yield b"-isystem" + os.fsencode(folder_name)


def _beside(folder: Path) -> list[Path]:
    """Return the sibling folders of a folder that contain headers."""
    try:
        others = sorted(each for each in folder.resolve().parent.iterdir() if each.is_dir())[:_MOST_BESIDE]
        return [each for each in others if any(_HEADER.search(one.name) for one in each.iterdir())]
    except OSError:
        return []


def _search_order(folder: str) -> tuple[bool, bool, bool, str]:
    """Return a sort key that orders include directories as a compiler does.

    C++ headers must precede C headers, because they include C headers of the same name with ``#include_next``.
    """
    return ("c++" not in folder, "gcc" not in folder, folder == "/usr/include/", folder)
