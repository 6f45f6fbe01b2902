"""Cached calibrations: one per processor model, MPI library and launcher."""

from __future__ import annotations

import json
import os
import platform
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from ...atomic_file import replacing
from ...cache_place import cache_names
from ...errors import InputError
from ..cache import cache_folder
from ..mpi.detection import Mpi
from .calibration import Calibration

__all__ = ["keep", "kept_calibration", "processor_model"]

_PROCESSORS: Final = Path("/proc/cpuinfo")
_MODELS: Final = ("model name", "cpu model", "cpu")  # the keys on x86, MIPS and POWER


def processor_model(description: Path = _PROCESSORS) -> str:
    """Return the model of this machine's processors."""
    with suppress(OSError):
        lines = (line.partition(":") for line in description.read_text().splitlines())
        told = {name.strip(): value.strip() for name, _, value in lines}
        for name in _MODELS:
            if told.get(name):
                return told[name]
    return platform.machine()


def kept_calibration(mpi: Mpi, environment: Mapping[str, str] = os.environ) -> Calibration | None:
    """Return the calibration for a run on this machine; None if there is none.

    If there is none for this MPI library and launcher, the latest calibration of the same processor model is used,
    without the prices of messages.
    """
    processor = processor_model()
    for folder in map(Path, cache_names(environment)):
        with suppress(OSError, InputError):
            return Calibration.read((folder / _file_name(processor, mpi, environment)).read_bytes())
    for file in _of_processor(processor, environment):
        with suppress(OSError, InputError):
            return Calibration.read(file.read_bytes()).without_mpi()
    return None


def keep(found: Calibration, mpi: Mpi, environment: Mapping[str, str] = os.environ) -> Path:
    """Cache a calibration of this machine, supplemented by the prices that only the replaced calibration has.

    Returns:
        The file.

    Raises:
        BuildError: There is no cache folder.
        InputError: The file cannot be written.
    """
    file = cache_folder(environment) / _file_name(processor_model(), mpi, environment)
    with suppress(OSError, InputError):
        found = found.beside(Calibration.read(file.read_bytes()))
    with replacing(file) as stream:
        stream.write(f"{json.dumps(found.document(), indent=1, ensure_ascii=False)}\n".encode())
    return file


def _of_processor(processor: str, environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield the files of a processor model for any MPI library and launcher, latest first."""
    dated: list[tuple[float, Path]] = []
    for folder in map(Path, cache_names(environment)):
        for file in folder.glob(f"calibration-{_digest(processor)}-*.json"):
            with suppress(OSError):
                dated.append((file.stat().st_mtime, file))
    return (file for _, file in sorted(dated, reverse=True))


def _file_name(processor: str, mpi: Mpi, environment: Mapping[str, str]) -> str:
    library = str(mpi.library.path) if mpi.library else ""
    return f"calibration-{_digest(processor)}-{_digest(library, _launcher(mpi.launcher, environment))}.json"


def _launcher(word: str, environment: Mapping[str, str]) -> str:
    """Return the name of a launcher's file, with links resolved: ``mpirun`` and ``mpiexec`` are often the same file."""
    return Path(os.path.realpath(shutil.which(word, path=environment.get("PATH")) or word)).name if word else ""


def _digest(*words: str) -> str:
    return sha256("\0".join(words).encode()).hexdigest()[:12]
