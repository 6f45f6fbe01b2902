"""Cache results on disk, under keys derived from their inputs.

Cached compiles should take hardly longer than starting Python, so this module imports little.
"""

from __future__ import annotations

import os
import time

from ..atomic_file import replacing
from ..cache_place import cache_name
from ..digests import content_of
from ..errors import InputError, UsageError

try:
    from _blake2 import blake2b  # a smaller module than hashlib, which also loads OpenSSL
except ImportError:
    from hashlib import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from typing import Final

__all__ = ["Store", "joined", "open_store", "parts_of"]

_LIMIT: Final = "AUTOANALYZER_CACHE_LIMIT"
_DEFAULT: Final = "1G"
_UNITS: Final = {"K": 10, "M": 20, "G": 30}
_FOLDERS: Final = "0123456789abcdef"  # names of folders, each for the keys that begin with its digit
_ROOM_MADE: Final = 0.8  # the fraction of a full folder's size that is kept when old results are removed
_CHECKSUM: Final = 16  # size of a checksum in bytes
_ABANDONED: Final = 3600.0  # seconds after which a temporary file counts as abandoned


class Store:
    """Caches results; if they exceed a limit, the least recently used results are removed.

    Several processes may use one store at the same time: a result is either complete or absent. If the folder cannot be
    written, nothing is cached, and no error is raised.

    Args:
        folder: The store's folder.
        limit: Maximum size of all results together, in bytes.
    """

    def __init__(self, folder: Path | str, limit: int) -> None:
        self._folder = str(folder)
        self._share = limit // len(_FOLDERS)

    @property
    def keeps(self) -> bool:
        """Whether the limit permits caching anything."""
        return self._share > 0

    def get(self, key: str) -> bytes | None:
        """Return the result with a key, or None if it is missing or damaged. A damaged result is removed."""
        path = self._path(key)
        if not self.keeps:
            return None
        try:
            kept = content_of(path)
        except OSError:
            return None
        content = kept[_CHECKSUM:]
        is_whole = _checksum(content) == kept[:_CHECKSUM]
        try:
            if is_whole:
                os.utime(path)
            else:
                os.unlink(path)
        except OSError:
            pass  # the file belongs to another user
        return content if is_whole else None

    def put(self, key: str, content: bytes) -> None:
        """Cache a result, unless it is larger than a sixteenth of the limit: results are spread over 16 folders."""
        if len(content) + _CHECKSUM > self._share:
            return
        path = self._path(key)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with replacing(path) as stream:
                stream.write(_checksum(content) + content)
            self._make_room(os.path.dirname(path))
        except (OSError, InputError):
            return

    def _path(self, key: str) -> str:
        return os.path.join(self._folder, key[0], key)

    def _make_room(self, folder: str) -> None:
        """Remove the least recently used results of a full folder, and files left by killed processes."""
        found = []
        for entry in os.scandir(folder):
            status = entry.stat()
            if not entry.name.startswith("."):
                found.append((status.st_mtime_ns, status.st_size, entry.path))
            elif time.time() - status.st_mtime > _ABANDONED:
                _remove(entry.path)
        used = sum(size for _, size, _ in found)
        if used <= self._share:
            return
        for _, size, path in sorted(found):
            if used <= _ROOM_MADE * self._share:
                return
            _remove(path)
            used -= size


def open_store(environment: Mapping[str, str] = os.environ) -> Store:
    """Return the store in the cache folder, with the limit in ``AUTOANALYZER_CACHE_LIMIT``.

    Raises:
        UsageError: The limit is not a size.
    """
    text = environment.get(_LIMIT) or _DEFAULT
    number = text[:-1] if text[-1] in _UNITS else text
    if not (number.isascii() and number.isdigit()):
        raise UsageError(f"{_LIMIT}: expected a size such as 512M, or 0 to store nothing, found {text!r}")
    return Store(os.path.join(cache_name(environment), "compiled"), int(number) << _UNITS.get(text[-1], 0))


def joined(parts: Iterable[bytes]) -> bytes:
    """Join byte strings into one, from which ``parts_of`` can recover them."""
    held = list(parts)
    return b"%b\n%b" % (b" ".join(b"%d" % len(part) for part in held), b"".join(held))


def parts_of(content: bytes) -> list[bytes]:
    """Return the byte strings that ``joined`` has joined.

    Raises:
        ValueError: ``content`` was not returned by ``joined``.
    """
    head, _, rest = content.partition(b"\n")
    parts = []
    offset = 0
    for size in map(int, head.split()):
        parts.append(rest[offset : offset + size])
        offset += size
    if offset != len(rest):
        raise ValueError("expected the content of several parts")
    return parts


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def _checksum(content: bytes) -> bytes:
    return blake2b(content, digest_size=_CHECKSUM).digest()
