"""One-line errors for damaged files of other tools, and for missing packages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from ...errors import InputError

__all__ = ["damaged_parts", "is_installed", "missing_package", "package"]


@contextmanager
def damaged_parts(path: Path, kind: str) -> Iterator[None]:
    """Convert exceptions in the block, except for ``OSError`` and ``MemoryError``, to an error that names the file.

    Other projects' readers may raise any exception for a damaged file.

    Raises:
        InputError: The block raised such an exception.
    """
    try:
        yield
    except InputError as error:
        text = str(error)
        raise InputError(text if text.startswith(f"{path}:") else f"{path}: {text}") from None
    except (MemoryError, OSError):
        raise
    except Exception as error:
        said = " ".join(str(error).split())[:200] or "no reason given"
        raise InputError(f"{path}: expected {kind}, found a damaged one ({type(error).__name__}: {said})") from None


def package(name: str, extra: str) -> ModuleType:
    """Import an optional package.

    Raises:
        InputError: The package is not installed.
    """
    try:
        return import_module(name)
    except (ImportError, OSError) as error:
        raise missing_package(name, extra, str(error)) from None


def is_installed(name: str) -> bool:
    """Return whether a package is installed, without importing it."""
    try:
        return find_spec(name) is not None
    except ValueError:  # a module that is not a package was imported under this name
        return False


def missing_package(name: str, extra: str, reason: str) -> InputError:
    """Return the error for a package that is not installed."""
    return InputError(f"reading this file needs the package {name} ({reason}): pip install 'autoanalyzer[{extra}]'")
