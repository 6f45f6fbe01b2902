"""Writing an experiment as CUBE 4 (``.cubex``), which cubelib and CubeGUI open; laid out as ``cubex_layout`` says."""

from __future__ import annotations

import io
import struct
import tarfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...atomic_file import replacing
from ...errors import InputError
from ..experiment import Experiment
from .cubex_layout import ANCHOR, INDEX, LISTED, NOTHING, PACKED, numbered
from .head_writer import CUBE_4, MetricStorage, check_writable, cube_element, write_head
from .value_types import stored_rows, typed

__all__ = ["write_cubex"]

_Values = npt.NDArray[Any]

_BLOCK: Final = 512  # bytes, of a tar archive
_LARGEST: Final = (1 << 33) - 1  # bytes: what the header of a member can say that every reader knows


def write_cubex(experiment: Experiment, path: Path) -> None:
    """Write ``path`` whole or not at all; every value is read back bit for bit.

    Values that were read as inclusive ones are written as such: nothing is rounded on the way.

    Raises:
        InputError: The folder does not exist or cannot be written, a value is infinite, a metric has more than 8 GiB
            of values, a metric's name would be read back as another, or there are no locations.
    """
    check_writable(experiment, path)
    parents = [each.parent for each in experiment.call_paths]
    orders = {inclusive: numbered(parents, inclusive=inclusive) for inclusive in (False, True)}
    storage: dict[str, MetricStorage] = {}
    with replacing(path) as file, tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for number, metric in enumerate(experiment.metrics):
            inclusive = experiment.stored_inclusive(metric.name)
            severity = experiment.exclusive(metric.name) if inclusive is None else inclusive
            if np.isinf(severity).any():
                raise InputError(f"{path}: expected finite values of {metric.name}, found infinity")
            dtype, values = typed(severity[orders[inclusive is not None]], metric)
            nothing = NOTHING.get(metric.aggregation, 0.0)
            if nothing:
                values = np.where(np.isnan(values), nothing, values)
            storage[metric.name] = MetricStorage(dtype, "EXCLUSIVE" if inclusive is None else "INCLUSIVE")
            rows = stored_rows(values, nothing)
            if rows or nothing:  # without an index all is 0, even a minimum
                _add(archive, f"{number}.index", _index(rows), path)
                _add(archive, f"{number}.data", _packed(values[row] for row in rows), path)
        anchor = io.BytesIO()
        with cube_element(anchor, CUBE_4) as xml:
            write_head(xml, experiment, CUBE_4, storage)
        _add(archive, ANCHOR, anchor.getvalue(), path)


def _index(rows: Sequence[int]) -> bytes:
    return INDEX + struct.pack(f"<ihBi{len(rows)}i", 1, 0, LISTED, len(rows), *rows)


def _packed(rows: Iterable[_Values]) -> bytes:
    """Pack each row by itself: readers find a row by its place."""
    places: list[int] = []
    blocks: list[bytes] = []
    unpacked = packed = 0
    for row in rows:
        block = zlib.compress(row.astype(row.dtype.newbyteorder("<")).tobytes())
        places += (unpacked, packed, len(block))
        blocks.append(block)
        unpacked += row.nbytes
        packed += len(block)
    return b"".join((PACKED, struct.pack(f"<{1 + len(places)}q", len(blocks), *places), *blocks))


def _add(archive: tarfile.TarFile, name: str, content: bytes, path: Path) -> None:
    """Add a member. Behind one that ends with a block cubelib expects another block: it gets one byte more."""
    content += b"\n" * (len(content) % _BLOCK == 0)
    if len(content) > _LARGEST:
        raise InputError(f"{path}: expected at most {_LARGEST:,} bytes of {name}, found {len(content):,}")
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))
