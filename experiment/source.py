"""Read a file at any offset, plain or gzipped."""

from __future__ import annotations

import os
import weakref
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ..errors import InputError

__all__ = ["MAX_UNPACKED", "Source", "open_source"]

MAX_UNPACKED: Final = 1 << 36  # maximum size in bytes after unpacking, enough for about 3e9 values
_GZIP: Final = b"\x1f\x8b"
_BLOCK: Final = 1 << 18
_CHECKPOINTS: Final = 256  # maximum number of checkpoints, which take about 50 kB each


class Source:
    """A plain file. It stays open, so it remains readable even if another file replaces it.

    Raises:
        InputError: The file is missing or cannot be read.
    """

    packed = False

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: expected an experiment file, found a folder, a pipe or a device")
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from None
        weakref.finalize(self, os.close, self._file)

    def end(self) -> int:
        """Return the size of the content in bytes; finding it requires unpacking a gzipped file.

        Raises:
            InputError: The unpacked data are cut off, broken or too large.
        """
        return os.fstat(self._file).st_size

    def read(self, offset: int, size: int) -> bytes:
        """Return ``size`` bytes, starting at ``offset``; fewer if the file ends earlier.

        Raises:
            InputError: The file cannot be read, or its unpacked data are broken or too large.
        """
        return self._packed(offset, size)

    def _packed(self, offset: int, size: int) -> bytes:
        parts = []
        try:
            while size > 0 and (part := os.pread(self._file, size, offset)):
                parts.append(part)
                offset += len(part)
                size -= len(part)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror}") from None
        return b"".join(parts)


@dataclass(frozen=True, slots=True)
class _State:
    """The decompressor's state after ``packed`` bytes of input, before byte ``unpacked`` of output."""

    unpacked: int
    packed: int
    tail: bytes
    engine: Any


class _GzipSource(Source):
    """A gzipped file, unpacked from the last checkpoint before an offset, so that memory stays bounded."""

    packed = True

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        start = _State(0, 0, b"", zlib.decompressobj(wbits=31))
        self._states = [start]
        self._spacing = 1 << 22
        self._now = replace(start, engine=start.engine.copy())
        self._block = b""  # the unpacked bytes that end at self._now.unpacked

    def end(self) -> int:
        while self._advance():
            pass
        return self._now.unpacked

    def read(self, offset: int, size: int) -> bytes:
        parts = []
        while size > 0:
            first = self._now.unpacked - len(self._block)
            if not first <= offset < self._now.unpacked:
                if offset < first:
                    self._rewind(offset)
                if not self._advance():
                    break
                continue
            part = self._block[offset - first : offset - first + size]
            parts.append(part)
            offset += len(part)
            size -= len(part)
        return b"".join(parts)

    def _rewind(self, offset: int) -> None:
        state = max((each for each in self._states if each.unpacked <= offset), key=lambda each: each.unpacked)
        self._now = replace(state, engine=state.engine.copy())
        self._block = b""

    def _advance(self) -> bool:
        """Unpack one more block; return False at the end."""
        now = self._now
        engine, packed, tail = now.engine, now.packed, now.tail
        while True:
            if not tail:
                tail = self._packed(packed, _BLOCK)
                packed += len(tail)
            if not tail:
                if engine is None:
                    return False
                raise InputError(f"{self.path}: the compressed data end too soon, because the file is truncated")
            try:
                engine = engine or zlib.decompressobj(wbits=31)
                block = engine.decompress(tail, _BLOCK)
            except zlib.error as error:
                raise InputError(f"{self.path}: broken gzip data: {error}") from None
            tail = engine.unconsumed_tail
            if engine.eof:
                tail, engine = engine.unused_data.lstrip(b"\0"), None
            if block:
                break
        self._block = block
        self._now = _State(now.unpacked + len(block), packed, tail, engine)
        if self._now.unpacked > MAX_UNPACKED:
            raise InputError(f"{self.path}: expected at most {MAX_UNPACKED >> 30} GiB unpacked, found more")
        self._remember()
        return True

    def _remember(self) -> None:
        now = self._now
        if now.engine is None or now.unpacked < self._states[-1].unpacked + self._spacing:
            return
        self._states.append(replace(now, engine=now.engine.copy()))
        if len(self._states) > _CHECKPOINTS:
            self._states = self._states[::2]
            self._spacing *= 2


def open_source(path: Path) -> Source:
    """Open a file; its first bytes show whether it is gzipped.

    Raises:
        InputError: The file is missing, empty or cannot be read.
    """
    plain = Source(path)
    start = plain.read(0, len(_GZIP))
    if not start:
        raise InputError(f"{path}: expected an experiment, found an empty file")
    return _GzipSource(path) if start == _GZIP else plain
