"""One-line errors for broken files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lxml import etree

from ...errors import InputError

__all__ = ["broken_parts"]


@contextmanager
def broken_parts(path: Path, kind: str) -> Iterator[None]:
    """Convert exceptions in the block that a broken file can cause to an error that names the file.

    Raises:
        InputError: The block raised such an exception.
    """
    try:
        yield
    except etree.XMLSyntaxError as error:
        raise InputError(f"{path}:{error.lineno or 1}: broken XML: {' '.join(str(error.msg).split())}") from None
    except InputError as error:
        text = str(error)
        raise InputError(text if text.startswith(f"{path}:") else f"{path}: {text}") from None
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"{path}: expected {kind}, but an element is broken or missing ({error!s:.200})") from None
