"""Open archives with the optional package ``otf2``, and convert the errors that its reader prints."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any, Final

from ....errors import InputError

__all__ = ["name_of", "opened"]

# The arguments are userData, file, line, function, code, format and va_list.
_ErrorCallback: Final = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_uint64,
    ctypes.c_char_p,
    ctypes.c_int,
    ctypes.c_char_p,
    ctypes.c_void_p,
)
_QUIET: Final = _ErrorCallback(lambda *what: what[4])  # returns the code without printing; an exception follows anyway


def name_of(value: Any) -> str:
    """Return the name of an enumeration's value, such as ``POINT2POINT``."""
    return str(value).rpartition(".")[2]


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open an archive; errors of its reader, while opening or in the block, are raised as InputError.

    Args:
        path: The anchor file, ``traces.otf2``.

    Raises:
        InputError: The package is not installed, or the archive is damaged.
    """
    try:
        import _otf2  # noqa: PLC0415 - an optional dependency
        import otf2  # noqa: PLC0415
    except (ImportError, OSError) as error:
        raise InputError(
            f"{path}: reading this file needs the package otf2 ({error}): pip install 'autoanalyzer[otf2]'"
        ) from None
    _otf2.Config.conf.lib.OTF2_Error_RegisterCallback(_QUIET, None)
    said = StringIO()  # the reader prints exceptions in callbacks to standard error instead of raising them
    try:
        with redirect_stderr(said), otf2.reader.open(str(path)) as archive:
            yield archive
        if said.getvalue():
            raise ValueError(said.getvalue())
    except (_otf2.Error, otf2.error.Error, LookupError, ValueError, TypeError) as error:
        reason = (said.getvalue() or str(error) or type(error).__name__).strip().splitlines()[-1]
        raise InputError(f"{path}: expected an OTF2 archive, found a damaged one: {reason[:200]}") from None
