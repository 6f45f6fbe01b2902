"""Digests of texts and files.

This module imports little, because a compilation whose result is cached must take hardly longer than starting Python.
"""

from __future__ import annotations

import os

try:
    from _blake2 import blake2b  # hashlib loads OpenSSL as well
except ImportError:
    from hashlib import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

__all__ = ["content_of", "digest", "text_of"]

_DIGITS: Final = 16


def digest(*parts: bytes | str) -> str:
    """Return a hexadecimal digest of all parts and their lengths, so that ``ab, c`` differs from ``a, bc``."""
    found = blake2b(digest_size=20)
    for part in parts:
        content = os.fsencode(part) if isinstance(part, str) else part
        found.update(b"%d:" % len(content))
        found.update(content)
    return found.hexdigest()


def content_of(path: str) -> bytes:
    """Return the bytes of a file.

    Raises:
        OSError: The file cannot be read.
    """
    with open(path, "rb", buffering=0) as stream:
        return stream.read()


def text_of(file: str) -> str:
    """Return the digest of a source file, as stored in ``Region.text``; empty if the file cannot be read."""
    try:
        return digest(content_of(file))[:_DIGITS] if os.path.isfile(file) else ""
    except (OSError, ValueError):
        return ""
