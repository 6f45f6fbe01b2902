"""Find the regions of sources whose build is unknown, with the names that probes would record.

Because no probes are inserted, sources may be read leniently. Headers are looked up in all folders of the sources,
macros are taken from makefiles there, missing headers count as empty, and a source that cannot be parsed has no
regions.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from ..errors import AutoanalyzerError, InputError
from ..experiment import Region
from .choice import DEFAULT_CHOICE
from .compiler import COMPILERS
from .reading import ReadSource, read_sources

__all__ = ["regions_of_unbuilt"]

_MOST_FILES: Final = 200
_MOST_FOLDERS: Final = 400
_MOST_MISSING: Final = 50  # maximum number of missing headers per source
_HEADER: Final = re.compile(r"\.(?:h|hh|hpp|hxx|h\+\+|H|tcc|inc|fh)$")
_MAKEFILE: Final = re.compile(
    r"^(?:[Mm]akefile|GNUmakefile|.*\.mk|make\.(?:def|inc)|flags\.make|compile_commands\.json)$"
)
_LARGEST: Final = 4 << 20  # maximum size in bytes of a makefile to read
_COMMENT: Final = re.compile(r"(?m)(?:^|\s)#.*$")
_MACRO: Final = re.compile(r"(?<![\w-])-D[A-Za-z_]\w*(?:=[\w.+-]+)?(?![\w$\"'\\(=])")
_ROOT: Final = 3  # minimum number of parts in a searched path, as in /home/name; others may own the folders above
_SYSTEM: Final = "/usr/"  # prefix of the names of system headers
_MISSING: Final = re.compile(r"(?:fatal error|Error): (?:Cannot open included file .|)([\w./+-]+)(?:.|): No such file")


def regions_of_unbuilt(
    files: Sequence[str], *, openmp: bool, environment: Mapping[str, str] = os.environ
) -> Iterator[Region]:
    """Yield the regions in all sources that can be read.

    Args:
        files: Sources and headers, the most important first.
        openmp: Whether OpenMP is enabled.
        environment: The environment variables, which name the compilers.
    """
    there = [file for file in files if not file.startswith(_SYSTEM) and _is_file(file)][:_MOST_FILES]
    folders = _folders(there)
    flags = [*(f"-I{folder}" for folder in folders), *_macros(folders), *(["-fopenmp"] if openmp else [])]
    c, cxx, fortran = (shlex.split(environment.get(variable, command)) for variable, command in COMPILERS.items())
    seen: set[str] = set()
    names = {os.path.realpath(file): file for file in there}
    with tempfile.TemporaryDirectory() as empty:
        for file in sorted(there, key=lambda file: bool(_HEADER.search(file))):  # sources include most headers
            if os.path.realpath(file) in seen:
                continue
            words = [*flags, "-idirafter", empty]
            read = partial(read_sources, c, cxx, fortran, [file], words, choice=DEFAULT_CHOICE, lenient=True)
            found = _regions(read, Path(empty))
            for each in found:
                place = os.path.realpath(each.file)
                seen.add(place)
                yield each._replace(file=names.get(place, each.file))


def _regions(read: Callable[[], Iterable[ReadSource]], empty: Path) -> list[Region]:
    """Return the regions of a source; each missing header is created as an empty file.

    Args:
        read: Reads the source.
        empty: The folder for empty headers, which the preprocessor searches.
    """
    for _ in range(_MOST_MISSING):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = [each.regions() for each in read()]
        except InputError as error:
            missing = _MISSING.search(str(error))
            header = empty / missing[1] if missing else None
            if header is None or header.exists() or not header.resolve().is_relative_to(empty.resolve()):
                return []
            header.parent.mkdir(parents=True, exist_ok=True)
            header.touch()
        except AutoanalyzerError:
            return []
        else:
            return [each.region for one in found for each in one.regions if not each.reason]
    return []


def _folders(files: Sequence[str]) -> list[str]:
    """Return the folders of sources, and folders below and beside them that contain headers or makefiles."""
    folders = list(dict.fromkeys(str(Path(file).resolve().parent) for file in files))
    # Only the folders of sources are used, because headers may belong to a compiler that is installed elsewhere.
    sources = [file for file in files if Path(file).suffix and not _HEADER.search(file)]
    found = dict.fromkeys(folders)
    for start in _roots(sources or files):
        for number, (folder, inner, names) in enumerate(os.walk(start)):
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            if number > _MOST_FOLDERS:
                break
            if any(_HEADER.search(name) or _MAKEFILE.search(name) for name in names):
                found[folder] = None
    return list(found)[:_MOST_FOLDERS]


def _roots(files: Iterable[str]) -> Iterator[Path]:
    """Yield the folders to search: the common folder of the files in each home or project, and its parent.

    Folders of the system are left out.
    """
    projects: dict[tuple[str, ...], list[Path]] = {}
    for file in files:
        folder = Path(file).resolve().parent
        if len(folder.parts) >= _ROOT:
            projects.setdefault(folder.parts[:_ROOT], []).append(folder)
    for folders in projects.values():
        top = Path(os.path.commonpath(folders))
        yield from (top, top.parent) if len(top.parts) > _ROOT else (top,)


def _macros(folders: Iterable[str]) -> list[str]:
    """Return the options in makefiles that define macros; for each macro, only the first option."""
    found: dict[str, str] = {}
    for folder in folders:
        for file in _makefiles(folder):
            try:
                text = file.read_text(errors="replace") if file.stat().st_size < _LARGEST else ""
            except OSError:  # the file belongs to another user
                continue
            for option in _MACRO.findall(_COMMENT.sub("", text)):
                found.setdefault(option.partition("=")[0], option)
    return list(found.values())


def _makefiles(folder: str) -> list[Path]:
    try:
        inner = sorted(Path(folder).iterdir())
    except OSError:
        return []
    return [file for file in inner if _MAKEFILE.search(file.name) and _is_file(file)]


def _is_file(file: str | Path) -> bool:
    return os.path.isfile(file)  # noqa: PTH113 - raises no error if the user has no access to a folder
