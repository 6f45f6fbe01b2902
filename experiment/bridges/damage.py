"""What a damaged file of another tool leads to, as one line that names the file; and packages that are not there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

from ...errors import InputError

__all__ = ["damaged_parts", "package"]


@contextmanager
def damaged_parts(path: Path, kind: str) -> Iterator[None]:
    """Name the file in errors of what is read in the block.

    Readers of other projects raise whatever a damaged file leads them to.

    Raises:
        InputError: Instead of that.
    """
    try:
        yield
    except InputError as error:
        text = str(error)
        raise InputError(text if text.startswith(f"{path}:") else f"{path}: {text}") from None
    except (MemoryError, OSError):
        raise
    except Exception as error:
        said = " ".join(str(error).split())[:200] or "no more is known"
        raise InputError(f"{path}: expected {kind}, found a damaged one ({type(error).__name__}: {said})") from None


def package(name: str, extra: str) -> ModuleType:
    """Import a package that reads a kind of file.

    Raises:
        InputError: It is not installed.
    """
    try:
        return import_module(name)
    except (ImportError, OSError) as error:
        raise InputError(
            f"expected the package {name} to read it with, found none ({error}): pip install 'autoanalyzer[{extra}]'"
        ) from None
