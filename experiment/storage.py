"""Load and save experiments; the format of a file is recognised by its content."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..errors import InputError
from .cube.reader import read_cube
from .experiment import Experiment
from .run_folder import EXPERIMENT_FILE, LARGE_EXPERIMENT_FILE, experiment_of
from .source import open_source

__all__ = ["LARGE", "WRITTEN", "check_name", "load", "save", "save_of_run"]

WRITTEN: Final = (".cube", ".cube.gz", ".xml", ".cubex")

# A metric with more values takes seconds to write as XML, but only tenths of a second as CUBE 4.
LARGE: Final = 1 << 17
_TAR: Final = (257, b"ustar")
_DATABASE: Final = b"<!DOCTYPE HPCToolkitExperiment"  # occurs at the top of HPCToolkit's files: XML, but not CUBE
_BOM: Final = b"\xef\xbb\xbf"


def load(path: Path | str) -> Experiment:
    """Read an experiment: CUBE 3 XML, plain or gzipped, CUBE 4, or a profile of another tool.

    The content determines the format. If ``path`` is a run's folder, its ``experiment.cube`` or ``experiment.cubex`` is
    read. Severities are read when a metric is used. The file stays open, so it may be replaced.

    Raises:
        InputError: The file is missing or broken, or has another format or version.
    """
    file = _file_of(Path(path))
    if file.is_dir():
        from .bridges import is_foreign_folder, read_foreign_folder  # noqa: PLC0415 - most paths are files

        if is_foreign_folder(file):
            return read_foreign_folder(file)
    source = open_source(file)
    place, magic = _TAR
    start = source.read(0, place + len(magic))
    if start[place:] == magic or (source.path.suffix == ".cubex" and not start.lstrip().startswith(b"<")):
        if source.packed:
            raise InputError(
                f"{path}: expected a plain CUBE 4 archive, found a file compressed with gzip; run gunzip first"
            )
        from .cube.cubex_reader import read_cubex  # noqa: PLC0415 - most files are CUBE 3

        return read_cubex(source)
    if not start.removeprefix(_BOM).lstrip().startswith(b"<") or _DATABASE in start:
        from .bridges import read_foreign  # noqa: PLC0415 - most files are CUBE

        if (found := read_foreign(source)) is not None:
            return found
    return read_cube(source)


def _file_of(path: Path) -> Path:
    file = experiment_of(path)
    return file if path.is_dir() and file.exists() else path


def save_of_run(experiment: Experiment, folder: Path) -> Path:
    """Write a run's experiment to its folder, replacing an older one, and return the file. A large one becomes CUBE 4.

    Raises:
        InputError: The folder does not exist or cannot be written, or a value is infinite.
    """
    is_large = len(experiment.call_paths) * len(experiment.locations) > LARGE
    names = (LARGE_EXPERIMENT_FILE, EXPERIMENT_FILE) if is_large else (EXPERIMENT_FILE, LARGE_EXPERIMENT_FILE)
    file, other = (folder / name for name in names)
    save(experiment, file)
    other.unlink(missing_ok=True)
    return file


def save(experiment: Experiment, path: Path | str) -> None:
    """Write an experiment, completely or not at all; every value reads back bit for bit.

    Args:
        experiment: The experiment to write.
        path: The file. Its ending decides the format: ``.cubex`` for CUBE 4, any other of ``WRITTEN`` for CUBE 3 XML.

    Raises:
        InputError: The ending is not in ``WRITTEN``, the folder does not exist or cannot be written, a value is
            infinite, or there are no locations.
    """
    check_name(Path(path))
    if Path(path).suffix == ".cubex":
        from .cube.cubex_writer import write_cubex as write  # noqa: PLC0415 - most commands only read
    else:
        from .cube.writer import write_cube as write  # noqa: PLC0415
    write(experiment, Path(path))


def check_name(path: Path) -> None:
    """Check that an experiment can be written to a path, before any work is lost.

    Raises:
        InputError: The path ends in none of ``WRITTEN`` or is a folder, or its folder does not exist.
    """
    if not path.name.endswith(WRITTEN):
        raise InputError(f"{path}: expected a name that ends in {', '.join(WRITTEN[:-1])} or {WRITTEN[-1]}")
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"{path}: cannot be written: expected a file in an existing folder")
