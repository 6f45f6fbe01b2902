"""Make the libpapi in the Python package python_papi loadable by any program."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ..errors import BuildError
from .c_compiler import c_compilers, compiled
from .cache import built_in, cache_folder, kept, locked, note_use
from .papi.library import PACKAGE, PACKAGED_VARIABLE, PAPI_VARIABLE, papi_place

__all__ = ["packaged_papi", "papi_variables"]

_LIBRARY: Final = "libaapapi.so"
_PURPOSE: Final = f"the library that is needed to load {PACKAGE}"
_LINKING: Final = ("-shared", "-fPIC", "-Wl,--no-as-needed")
_OF_PYTHON: Final = re.compile(rb"(?<=\0)_?Py[A-Z_]\w*(?=\0)")
_MOST: Final = 64  # bytes per placeholder: more than any Python variable that the package refers to


def papi_variables(chosen: str | None = None, *, counters: str = "papi") -> dict[str, str]:
    """Return the environment variables that select the libpapi for the ranks.

    Args:
        chosen: The library that the user chose, as ``named_papi`` returns it; None to leave the variable as it is.
        counters: The source of counts; only ``auto`` and PAPI need a library. A failure to provide one causes a warning
            only for PAPI.
    """
    if counters != "auto" and not counters.startswith("papi"):
        return {}
    found = {PAPI_VARIABLE: chosen} if chosen else {}
    try:
        library = packaged_papi()
    except (BuildError, OSError) as error:
        if counters != "auto":
            warnings.warn(f"{PACKAGE} is not used: {error}", stacklevel=2)
        return found
    return {**found, PACKAGED_VARIABLE: str(library)} if library else found


def packaged_papi(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the package's libpapi in a form that any program can load; build it if no cache contains it.

    The package's file is an extension of Python, which refers to functions and variables of the interpreter. Counting
    uses none of them, but without them the file cannot be loaded. A library that defines them and depends on the file
    can be loaded.

    Returns:
        The library; None if the package is not installed.

    Raises:
        BuildError: There is no compiler, the compiler fails, or the cache cannot be written.
    """
    place = papi_place()
    if place is None:
        return None
    status = place.stat()
    made_of = f"{place} {status.st_size} {status.st_mtime_ns} {_LINKING} {_OF_PYTHON.pattern!r}"
    key = hashlib.sha256(made_of.encode()).hexdigest()[:20]
    name = f"papi-{key}/{_LIBRARY}"
    if library := kept(name, environment):
        note_use(library.parent)
        return library
    cache = cache_folder(environment)
    with locked(cache):
        if not (cache / name).exists():
            _build(place, cache / name, environment)
    return built_in(cache, name)


def _build(place: Path, library: Path, environment: Mapping[str, str]) -> None:
    compiler = c_compilers(environment, _PURPOSE)[0]
    names = sorted(set(_OF_PYTHON.findall(place.read_bytes())))
    with tempfile.TemporaryDirectory(prefix="build-", dir=library.parents[1]) as folder:
        source, made = Path(folder, "python.c"), Path(folder, _LIBRARY)
        source.write_text("".join(f"char {name.decode()}[{_MOST}];\n" for name in names))
        done = compiled([*compiler, *_LINKING, str(source), str(place), "-o", str(made)], environment)
        if done.returncode != 0:
            raise BuildError(f"{compiler[0]} cannot build {_PURPOSE}: {done.stderr.strip()}")
        library.parent.mkdir(0o775, exist_ok=True)
        made.chmod(0o775 & made.stat().st_mode)
        made.replace(library)
