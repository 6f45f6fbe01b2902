"""A copy of a working directory, in which a program may overwrite what it likes."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ..errors import InputError

__all__ = ["scratch_copy"]

_LARGEST: Final = 4 << 30  # bytes; whoever has more in a folder will not want it copied unasked
_GIB: Final = 1 << 30


@contextmanager
def scratch_copy(folder: Path, leave_out: Path) -> Iterator[Path]:
    """Give a copy of a folder for the block, and remove it afterwards.

    Files behind links are copied, for a program would write through the link. Folders behind links are not: they
    stay links. Sockets and pipes are left out.

    Args:
        folder: What is copied.
        leave_out: A file or folder in it that is not.

    Raises:
        InputError: It is too large for a copy, or cannot be copied.
    """
    size = sum(path.stat().st_size for path in _files(folder, leave_out))
    if size > _LARGEST:
        raise InputError(
            f"{folder}: up to {_LARGEST // _GIB} GiB wanted for a copy to count in, found {size / _GIB:.1f}; "
            "name a prepared folder by --counting-dir"
        )
    with tempfile.TemporaryDirectory(prefix="autoanalyzer-counting-") as name:
        copy = Path(name, folder.resolve().name or "root")
        try:
            _copy(folder, copy, leave_out)
        except OSError as error:
            raise InputError(f"{folder}: cannot be copied to count in: {error}; name one by --counting-dir") from None
        yield copy


def _copy(folder: Path, copy: Path, leave_out: Path) -> None:
    copy.mkdir()
    for entry in os.scandir(folder):
        path, target = Path(entry.path), copy / entry.name
        if path == leave_out:
            continue
        if entry.is_symlink() and not entry.is_file():
            target.symlink_to(path.resolve())
        elif entry.is_dir():
            _copy(path, target, leave_out)
        elif _is_regular(path):
            shutil.copy2(path, target)


def _files(folder: Path, leave_out: Path) -> Iterator[Path]:
    """Walk through the files that are copied."""
    for entry in os.scandir(folder):
        path = Path(entry.path)
        if path == leave_out:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _files(path, leave_out)
        elif _is_regular(path):
            yield path


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False  # a link to nothing
