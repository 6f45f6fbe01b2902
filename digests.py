"""What tells a text from others.

A compile that is known is answered in the time that Python takes to start: this module imports little.
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
    """Make a key of parts; where one ends and the next begins is part of it."""
    found = blake2b(digest_size=20)
    for part in parts:
        content = os.fsencode(part) if isinstance(part, str) else part
        found.update(b"%d:" % len(content))
        found.update(content)
    return found.hexdigest()


def content_of(path: str) -> bytes:
    """Read a file.

    Raises:
        OSError: It cannot be read.
    """
    with open(path, "rb", buffering=0) as stream:
        return stream.read()


def text_of(file: str) -> str:
    """Return what tells a source's text from others, as ``Region.text`` does; empty if it cannot be read."""
    try:
        return digest(content_of(file))[:_DIGITS] if os.path.isfile(file) else ""
    except (OSError, ValueError):
        return ""
