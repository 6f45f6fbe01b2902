"""Write a profile for pprof. Each sample contains a stack, the values of several metrics, and the rank as a label.

A file is one gzipped message. Concatenated messages form one message in which repeated fields are joined, so the file
can be written piece by piece.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...atomic_file import replacing
from ...errors import InputError
from ..experiment import Experiment, Location
from ..metric import Metric
from .call_stacks import CallStacks
from .part import Part, parts
from .weights import unit_of, whole_numbers

__all__ = ["write_pprof"]

_KEPT: Final = 1 << 14  # maximum number of stacks in the cache, enough for most programs
_PIECE: Final = 4096  # number of samples to write at a time, which take a few hundred KiB
_EFFORT: Final = 6  # compression level, gzip's default
_SAID: Final = "written by autoanalyzer; values are exclusive; missing values are 0"


def write_pprof(experiment: Experiment, path: Path, metrics: Sequence[Metric], *, together: bool) -> None:
    """Write a sample with the values of all metrics for each call path and location, unless all of them are 0.

    Args:
        experiment: The experiment to write.
        path: The file, which is replaced only when the new file is complete.
        metrics: The metrics; pprof shows the first one by default.
        together: Whether to add up all locations and omit the labels for rank and thread.

    Raises:
        InputError: protobuf is not installed, a value is too large, or the file cannot be written.
    """
    writer = _Writer(experiment, metrics)
    with replacing(path) as file, gzip.GzipFile("", "wb", compresslevel=_EFFORT, fileobj=file, mtime=0) as stream:
        for piece in writer.pieces(parts(experiment, together=together, metrics=len(metrics))):
            stream.write(piece)


class _Writer:
    def __init__(self, experiment: Experiment, metrics: Sequence[Metric]) -> None:
        self._profile = _profile_class()
        self._metrics = metrics
        self._stacks = CallStacks(experiment.call_paths)
        self._strings: dict[str, int] = {}
        self._leaf_first = lru_cache(_KEPT)(self._locations)

    def pieces(self, blocks: Iterable[Part]) -> Iterator[bytes]:
        """Yield the message in pieces: first the head, then the samples, and finally the strings."""
        yield self._head().SerializeToString()
        piece = self._profile()
        for part in blocks:
            values = np.stack([whole_numbers(part.read(metric.name), metric) for metric in self._metrics])
            for column, place in enumerate(part.whose):
                labels = self._labels(place)
                found = values[:, :, column].T
                shown = np.flatnonzero(found.any(axis=1))
                for path, each in zip(shown.tolist(), found[shown].tolist(), strict=True):
                    sample = piece.sample.add(location_id=self._leaf_first(path), value=each)
                    sample.label.extend(labels)
                    if len(piece.sample) == _PIECE:
                        yield piece.SerializeToString()
                        piece = self._profile()
        piece.string_table.extend(self._strings)
        yield piece.SerializeToString()

    def _string(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))

    def _head(self) -> Any:
        head = self._profile()
        self._string("")  # must be the first string
        for metric in self._metrics:
            head.sample_type.add(type=self._string(metric.name), unit=self._string(unit_of(metric)[0]))
        head.default_sample_type = self._string(self._metrics[0].name)
        head.comment.append(self._string(_SAID))
        for number, region in enumerate(self._stacks.frames, start=1):
            name, file = (self._string(_encodable(text)) for text in (region.name, region.file))
            line = max(region.first_line, 0)
            head.function.add(id=number, name=name, system_name=name, filename=file, start_line=line)
            head.location.add(id=number).line.add(function_id=number, line=line)
        return head

    def _locations(self, path: int) -> list[int]:
        return [frame + 1 for frame in reversed(self._stacks.frames_of(path))]

    def _labels(self, place: Location | None) -> Any:
        """Return rank, thread and node as labels. They are strings, because pprof treats the number 0 as missing."""
        holder = self._profile().sample.add()
        about = {"rank": place.process, "thread": place.thread, "node": place.node} if place else {}
        for key, value in about.items():
            holder.label.add(key=self._string(key), str=self._string(_encodable(value)))
        return holder.label


def _encodable(value: object) -> str:
    return str(value).encode(errors="replace").decode()


def _profile_class() -> Any:
    try:
        from .profile_proto import profile_class  # noqa: PLC0415 - protobuf may not be installed
    except ImportError:
        raise InputError("this export needs protobuf: pip install 'autoanalyzer[pprof]'") from None
    return profile_class()
