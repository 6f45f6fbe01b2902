"""Results kept on disk by a key of what they were made from."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from ..atomic_file import replacing
from ..cache_place import cache_place
from ..errors import InputError, UsageError

__all__ = ["Store", "digest", "open_store"]

_LIMIT: Final = "AUTOANALYZER_CACHE_LIMIT"
_DEFAULT: Final = "1G"
_SIZE: Final = re.compile(r"(\d+)([KMG]?)$")
_UNITS: Final = {"": 0, "K": 10, "M": 20, "G": 30}
_FOLDERS: Final = "0123456789abcdef"  # the first digit of a key
_ROOM_MADE: Final = 0.8  # of a full folder this much stays
_CHECKSUM: Final = 16  # bytes
_ABANDONED: Final = 3600.0  # seconds after which nobody writes a file any more


class Store:
    """Keep results, the latest used ones within a limit.

    Processes may use one store at a time: a result is whole or not there at all. Where the folder cannot be written
    nothing is kept, and nothing is said.

    Args:
        folder: Where it lies.
        limit: Bytes that it may take.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder = folder
        self._share = limit // len(_FOLDERS)

    @property
    def keeps(self) -> bool:
        """Whether there is any room."""
        return self._share > 0

    def get(self, key: str) -> bytes | None:
        """Give a result; None if there is none, or a damaged one, which is removed."""
        path = self._path(key)
        if not self.keeps:
            return None
        try:
            kept = path.read_bytes()
        except OSError:
            return None
        content = kept[_CHECKSUM:]
        with suppress(OSError):
            if _checksum(content) != kept[:_CHECKSUM]:
                path.unlink()
                return None
            os.utime(path)
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep a result, unless it is larger than the store."""
        if len(content) + _CHECKSUM > self._share:
            return
        path = self._path(key)
        with suppress(OSError, InputError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as stream:
                stream.write(_checksum(content) + content)
            self._make_room(path.parent)

    def _path(self, key: str) -> Path:
        return self._folder / key[0] / key

    def _make_room(self, folder: Path) -> None:
        """Remove what was not used for longest once a folder is full, and what a killed process left."""
        found = []
        for entry in os.scandir(folder):
            status = entry.stat()
            if not entry.name.startswith("."):
                found.append((status.st_mtime_ns, status.st_size, entry.path))
            elif time.time() - status.st_mtime > _ABANDONED:
                Path(entry.path).unlink(missing_ok=True)
        used = sum(size for _, size, _ in found)
        if used <= self._share:
            return
        for _, size, path in sorted(found):
            if used <= _ROOM_MADE * self._share:
                return
            Path(path).unlink(missing_ok=True)
            used -= size


def open_store(environment: Mapping[str, str] = os.environ) -> Store:
    """Give the store in the cache folder, ``AUTOANALYZER_CACHE_LIMIT`` bytes large.

    Raises:
        UsageError: The limit is no size.
    """
    text = environment.get(_LIMIT) or _DEFAULT
    match = _SIZE.match(text)
    if not match:
        raise UsageError(f"{_LIMIT}: expected a size such as 512M, or 0 to keep nothing, found {text!r}")
    return Store(cache_place(environment) / "compiled", int(match[1]) << _UNITS[match[2]])


def digest(*parts: bytes | str) -> str:
    """Make a key of parts; where one ends and the next begins is part of it."""
    found = hashlib.blake2b(digest_size=20)
    for part in parts:
        content = os.fsencode(part) if isinstance(part, str) else part
        found.update(b"%d:" % len(content))
        found.update(content)
    return found.hexdigest()


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_CHECKSUM).digest()
