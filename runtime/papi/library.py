"""Choose the libpapi that counts: the one that the user names, the system's, or that of the package python_papi."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ...errors import UsageError

__all__ = ["PACKAGE", "PACKAGED_VARIABLE", "PAPI_VARIABLE", "WAY_TO_ONE", "named_papi", "papi_place"]

PACKAGE: Final = "python_papi"  # the same as in runtime/probe/papi.c
PAPI_VARIABLE: Final = "AUTOANALYZER_PAPI"  # the same as in runtime/probe/papi.c
PACKAGED_VARIABLE: Final = "AUTOANALYZER_PACKAGED_PAPI"  # the same as in runtime/probe/papi.c
WAY_TO_ONE: Final = "install PAPI (Debian: libpapi-dev), or pip install 'autoanalyzer[papi]'"

_MODULE: Final = "pypapi"


def papi_place() -> Path | None:
    """Return the package's file with a libpapi; None if the package is not installed."""
    package = find_spec(_MODULE)
    folders = package.submodule_search_locations if package else None
    return next((file.resolve() for folder in folders or () for file in sorted(Path(folder).glob("_papi*.so"))), None)


def named_papi(text: str) -> str:
    """Return the library that ``--papi`` names, for programs in any folder: a path, a library's name, or the package.

    Raises:
        UsageError: There is no such file, or the package is not installed.
    """
    if text == PACKAGE:
        if papi_place() is None:
            raise UsageError(f"{PACKAGE} is not installed: pip install 'autoanalyzer[papi]'")
        return text
    if os.sep not in text:
        return text
    if not Path(text).is_file():
        raise UsageError(f"expected a libpapi or {PACKAGE}, but there is no file {text}")
    return str(Path(text).resolve())
