"""Store arrays in a temporary file if they are large, so that enough memory is left for the experiment."""

from __future__ import annotations

import os
import tempfile
from io import BytesIO
from typing import IO, Any, Final

import numpy as np
import numpy.typing as npt

from ...errors import InputError

__all__ = ["Spill"]

_IN_MEMORY: Final = 256 << 20
_WORD: Final = 8


class Spill:
    """Stores arrays of 8-byte words; anything beyond a quarter of a gigabyte goes to an unnamed file."""

    def __init__(self) -> None:
        self._stream: IO[bytes] = BytesIO()
        self._words = 0
        self._ended = False

    def take(self, array: npt.NDArray[Any]) -> int:
        """Store an array; return the index of its first word.

        Raises:
            InputError: The folder of temporary files is full.
        """
        place = self._words
        self._words += array.nbytes // _WORD
        try:
            self._stream.write(np.ascontiguousarray(array).view("u1").data)
            if isinstance(self._stream, BytesIO) and self._stream.tell() > _IN_MEMORY:
                file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the last array on it
                file.write(self._stream.getbuffer())
                self._stream = file
        except OSError as error:
            raise _full(error) from None
        return place

    def part(self, place: int, words: int) -> npt.NDArray[np.float64]:
        """Return words as ``float64[word]``, starting at an index; afterwards, no array can be added.

        Raises:
            InputError: The folder of temporary files is full.
        """
        if isinstance(self._stream, BytesIO):
            return np.frombuffer(self._stream.getbuffer(), np.float64, words, place * _WORD)
        if not self._ended:
            try:
                self._stream.flush()
            except OSError as error:
                raise _full(error) from None
            self._ended = True
        return np.frombuffer(os.pread(self._stream.fileno(), words * _WORD, place * _WORD))


def _full(error: OSError) -> InputError:
    return InputError(
        f"{tempfile.gettempdir()}: cannot hold the data of all processes: {error.strerror}; set TMPDIR to a folder "
        "with enough space"
    )
