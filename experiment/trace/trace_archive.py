"""Read and write trace files: zips of numpy arrays, which ``numpy.load`` can also open.

``trace.json`` describes the trace: its kind and version, metrics, call paths, locations with their numbers of samples,
and further facts. The time lines of neighbouring locations form a block, with one member per array: ``7/begin.npy``,
``7/value-12.npy``. A time line can therefore be read without those in other blocks, and one array of a million samples
without the other arrays. Times are in whole nanoseconds. Integers take as few bytes as possible; if they are signed, -1
marks a value that was not recorded.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, Final

import numpy as np
import numpy.typing as npt

from ...atomic_file import replacing
from ...errors import InputError
from ..call_path import CallPath
from ..experiment import Location
from ..metric import Metric
from ..region import Region
from .time_line import TimeLine, Trace

__all__ = ["load_trace", "save_trace"]

_KIND: Final = "autoanalyzer trace"
_VERSION: Final = 3
_HEAD: Final = "trace.json"
_BLOCK: Final = 1 << 16  # maximum number of samples in a block, unless a single time line has more
_EFFORT: Final = 1  # compression level; level 6 makes files 10 % smaller, but takes three times as long
_RATIO: Final = 1100  # the largest plausible compression ratio; deflate can reach 1032
_EXACT: Final = 2.0**53
_NANO: Final = 1e9

_Array = npt.NDArray[Any]


def save_trace(trace: Trace, path: Path, lines: Iterable[TimeLine] | None = None) -> None:
    """Write a trace, one time line at a time.

    Args:
        trace: The trace to write.
        path: The file, which is replaced only when the new file is complete.
        lines: The trace's time lines; None to read them from ``trace``.

    Raises:
        InputError: The file cannot be written.
    """
    with replacing(path) as stream:
        _write(trace, stream, trace.lines() if lines is None else lines)


def _write(trace: Trace, stream: IO[bytes], lines: Iterable[TimeLine]) -> None:
    counts: list[int] = []
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=_EFFORT) as file:
        for number, block in enumerate(_together(lines)):
            counts += map(len, block)
            for name, values in _arrays(block, trace.metrics):
                member = BytesIO()
                np.lib.format.write_array(member, values, allow_pickle=False)
                _put(file, f"{number}/{name}.npy", member.getvalue())
        _put(file, _HEAD, json.dumps(_head(replace(trace, counts=counts))).encode())


def _put(file: zipfile.ZipFile, name: str, data: bytes) -> None:
    """Write a member with a fixed date, so that equal traces produce equal files."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    file.writestr(info, data, compresslevel=_EFFORT)


def _together(lines: Iterable[TimeLine]) -> Iterator[list[TimeLine]]:
    """Yield the time lines in blocks of limited size."""
    block: list[TimeLine] = []
    for line in lines:
        if block and sum(map(len, block)) + len(line) > _BLOCK:
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _blocks(counts: Sequence[int]) -> list[range]:
    """Divide locations into blocks whose time lines are written together."""
    blocks: list[range] = []
    start, samples = 0, 0
    for location, count in enumerate(counts):
        if location > start and samples + count > _BLOCK:
            blocks.append(range(start, location))
            start, samples = location, 0
        samples += count
    if start < len(counts):
        blocks.append(range(start, len(counts)))
    return blocks


def _arrays(lines: Sequence[TimeLine], metrics: Sequence[Metric]) -> Iterator[tuple[str, _Array]]:
    yield "begin", _nanoseconds(np.concatenate([line.begin for line in lines]))
    yield "end", _nanoseconds(np.concatenate([line.end for line in lines]))
    for number, metric in enumerate(metrics):
        values = np.concatenate([line.values[:, number] for line in lines])
        yield f"value-{number}", _nanoseconds(values) if metric.unit == "sec" else _compact(values)
    yield "parts", _compact(np.concatenate([np.diff(line.first) for line in lines]))
    yield "path", np.concatenate([line.paths for line in lines]).astype(np.int32)
    yield "visits", _compact(np.concatenate([line.visits for line in lines]))
    yield "seconds", _nanoseconds(np.concatenate([line.seconds for line in lines]))
    yield "computing", _nanoseconds(np.concatenate([line.computing for line in lines]))


def _nanoseconds(seconds: _Array) -> _Array:
    stored = _compact(np.rint(seconds * _NANO))
    return seconds.astype(np.float64) if stored.dtype.kind == "f" else stored


def _compact(values: _Array) -> _Array:
    """Return non-negative integers in the smallest integer type, with -1 for NaN, and all other values as floats."""
    known = values[~np.isnan(values)]
    most = known.max(initial=0)
    if most >= _EXACT or known.min(initial=0) < 0 or (known != np.rint(known)).any():
        return values.astype(np.float64)
    if len(known) == len(values):
        return values.astype(np.min_scalar_type(int(most)))
    return np.where(np.isnan(values), -1, values).astype(np.min_scalar_type(-int(most) - 1))


def _head(trace: Trace) -> dict[str, Any]:
    return {
        "kind": _KIND,
        "version": _VERSION,
        "facts": dict(trace.facts),
        "metrics": [
            {
                "name": metric.name,
                "unit": metric.unit,
                "parent": metric.parent,
                "description": metric.description,
                "source": metric.source,
                "additive": metric.additive,
            }
            for metric in trace.metrics
        ],
        "call_paths": [[path.region.descriptor, path.parent] for path in trace.call_paths],
        "locations": [[each.machine, each.node, each.process, each.thread] for each in trace.locations],
        "samples": list(trace.counts),
    }


def load_trace(path: Path) -> Trace:
    """Open a trace; its time lines are read on demand.

    Raises:
        InputError: The file cannot be read, is not a trace, has another version, or is damaged. Reading the time lines
            later may also raise InputError.
    """
    return _Archive(path).trace()


class _Archive:
    """An open trace file and its head."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise self._defect("a zip of numpy arrays", error) from None
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
        self._head = self._read_head()
        self._block = lru_cache(maxsize=2)(self._read_block)

    def _defect(self, expected: str, found: object) -> InputError:
        return InputError(f"{self._path}: expected a trace with {expected}, found {str(found)[:200]}")

    def _member(self, name: str) -> bytes:
        try:
            info = self._file.getinfo(name)
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise self._defect(f"a member {name} that was deflated", f"compression type {info.compress_type}")
            if info.file_size > _RATIO * (info.compress_size + 1):
                raise self._defect(f"a member {name} that was deflated", f"{info.file_size} bytes")
            return self._file.read(info)
        except KeyError:
            raise self._defect(f"a member {name}", "none") from None
        except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, RuntimeError, EOFError) as error:
            raise self._defect(f"a complete member {name}", error) from None
        except OSError as error:
            raise InputError(f"{self._path}: cannot be read: {error.strerror or error}") from None

    def _read_head(self) -> dict[str, Any]:
        try:
            head = json.loads(self._member(_HEAD))
        except (ValueError, RecursionError):
            raise self._defect(f"JSON in {_HEAD}", "something else") from None
        if not isinstance(head, dict) or head.get("kind") != _KIND:
            raise self._defect(f'the kind "{_KIND}"', head.get("kind") if isinstance(head, dict) else "no object")
        if head.get("version") != _VERSION:
            raise self._defect(f"version {_VERSION}", f"version {head.get('version')}")
        return head

    def trace(self) -> Trace:
        head = self._head
        try:
            metrics = [Metric(**each) for each in head["metrics"]]
            call_paths = [CallPath(Region.from_descriptor(text), parent) for text, parent in head["call_paths"]]
            locations = [Location(*each) for each in head["locations"]]
            counts = [int(each) for each in head["samples"]]
            facts = dict(head["facts"])
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError, InputError) as error:
            raise self._defect("metrics, call paths, locations and samples", repr(error)) from None
        self._check(metrics, call_paths, locations, counts)
        blocks = _blocks(counts)
        place = {location: number for number, block in enumerate(blocks) for location in block}
        starts = [0, *accumulate(counts)]

        def read(location: int) -> TimeLine:
            block = blocks[place[location]]
            start = starts[location] - starts[block.start]
            samples = starts[block.stop] - starts[block.start]
            arrays = self._block(place[location], len(metrics), samples, len(call_paths))
            return self._line(arrays, metrics, slice(start, start + counts[location]))

        return Trace(metrics, call_paths, locations, counts, read, facts)

    def _check(
        self,
        metrics: Sequence[Metric],
        call_paths: Sequence[CallPath],
        locations: Sequence[Location],
        counts: Sequence[int],
    ) -> None:
        texts = [text for each in metrics for text in (each.name, each.unit, each.description, each.source)]
        texts += [text for each in locations for text in (each.machine, each.node)]
        if not all(isinstance(text, str) for text in texts):
            raise self._defect("names that are text", next(text for text in texts if not isinstance(text, str)))
        if not all(isinstance(each.additive, bool) and isinstance(each.parent, str | None) for each in metrics):
            raise self._defect("metrics with valid parents and additivity", "other values")
        if len({each.name for each in metrics}) != len(metrics):
            raise self._defect("metrics with different names", [each.name for each in metrics])
        for number, path in enumerate(call_paths):
            if path.parent is not None and not (isinstance(path.parent, int) and 0 <= path.parent < number):
                raise self._defect(f"a parent before call path {number}", path.parent)
        if not all(isinstance(each, int) and each >= 0 for at in locations for each in (at.process, at.thread)):
            raise self._defect("numbers of processes and threads", "other values")
        if len(counts) != len(locations) or min(counts, default=0) < 0 or len(set(locations)) != len(locations):
            raise self._defect(f"samples of {len(locations)} different locations", counts[:20])

    def _read_block(self, number: int, metrics: int, samples: int, paths: int) -> dict[str, _Array]:
        names = ["begin", "end", *(f"value-{each}" for each in range(metrics)), "parts"]
        arrays = {name: self._array(f"{number}/{name}.npy", samples) for name in names}
        parts = arrays["parts"]
        if not (np.isfinite(parts).all() and (parts >= 0).all() and (parts < _EXACT).all()):
            raise self._defect("integer part counts", parts[:20])
        count = int(parts.sum())
        of_parts = ("path", "visits", "seconds", "computing")
        arrays |= {name: self._array(f"{number}/{name}.npy", count) for name in of_parts}
        path = arrays["path"]
        if not (np.isfinite(path).all() and (path >= -1).all() and (path < paths).all()):
            raise self._defect(f"call paths 0 to {paths - 1}", "other numbers")
        for name in ("begin", "end", *of_parts[1:]):
            if not np.isfinite(arrays[name]).all():
                raise self._defect(f"finite numbers in {number}/{name}.npy", "infinity or NaN")
        for name in (f"value-{each}" for each in range(metrics)):
            if np.isinf(arrays[name]).any():
                raise self._defect(f"finite numbers in {number}/{name}.npy", "infinity")
        begin, end = arrays["begin"], arrays["end"]
        if (begin > end).any():
            raise self._defect("samples that do not end before they begin", "a sample that does")
        arrays["first"] = np.concatenate([[0], np.cumsum(parts.astype(np.intp))])
        return arrays

    def _array(self, name: str, length: int) -> _Array:
        data = self._member(name)
        stream = BytesIO(data)
        try:
            version = np.lib.format.read_magic(stream)
            if version != (1, 0):
                raise ValueError(f"version {version} of its format")
            shape, _, kind = np.lib.format.read_array_header_1_0(stream)
        except (ValueError, TypeError, SyntaxError, TokenError, EOFError, MemoryError, RecursionError) as error:
            raise self._defect(f"an array in {name}", error) from None
        if shape != (length,) or kind.kind not in "fiu" or len(data) - stream.tell() != length * kind.itemsize:
            raise self._defect(f"{length} numbers in {name}", f"{shape} of type {kind}")
        return np.frombuffer(data, kind, offset=stream.tell())

    def _line(self, arrays: dict[str, _Array], metrics: Sequence[Metric], samples: slice) -> TimeLine:
        begin, end = (_seconds(arrays[name][samples]) for name in ("begin", "end"))
        if (begin[1:] < end[:-1]).any():
            raise self._defect("consecutive samples", "samples that overlap")
        first = arrays["first"][samples.start : samples.stop + 1]
        parts = slice(int(first[0]), int(first[-1]))
        columns = [_values(arrays[f"value-{number}"][samples], metric.unit) for number, metric in enumerate(metrics)]
        count = samples.stop - samples.start
        return TimeLine(
            begin=begin,
            end=end,
            values=np.column_stack(columns).astype(np.float64) if columns else np.empty((count, 0)),
            first=(first - first[0]).astype(np.intp),
            paths=arrays["path"][parts].astype(np.intp),
            visits=arrays["visits"][parts].astype(np.int64),
            seconds=_seconds(arrays["seconds"][parts]),
            computing=_seconds(arrays["computing"][parts]),
        )


def _values(stored: _Array, unit: str) -> npt.NDArray[np.float64]:
    values = _seconds(stored) if unit == "sec" else stored.astype(np.float64)
    return np.where(stored == -1, np.nan, values) if stored.dtype.kind == "i" else values


def _seconds(stored: _Array) -> npt.NDArray[np.float64]:
    return stored.astype(np.float64) if stored.dtype.kind == "f" else stored / _NANO
