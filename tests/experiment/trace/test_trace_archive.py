"""Trace files: they are read back line by line as written, and damage is reported in one line."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import CallPath, Location, Metric, Region
from autoanalyzer.experiment.metric import SYSTEM_METRICS
from autoanalyzer.experiment.trace import TimeLine, Trace, load_trace, save_trace

METRICS = [
    Metric("visits", "occ"),
    Metric("wall_time", "sec"),
    Metric("mpi_bytes", "bytes"),
    *SYSTEM_METRICS[-1:],
]
MAIN = Region("function", "main", "a.c", "main", 0, 1, 9)
LOOP = Region("loop", "loop@3", "a.c", "main", 0, 3, 5)


def line(chance: np.random.Generator, samples: int, *, missing: bool = False) -> TimeLine:
    end = np.round(np.cumsum(chance.random(samples)), 9)
    counts = chance.integers(0, 4, samples)
    first = np.concatenate([[0], np.cumsum(counts)])
    parts = int(first[-1])
    values = np.column_stack(
        [
            chance.integers(0, 300, samples),
            np.round(chance.random(samples), 9),
            chance.integers(0, 1 << 40, samples),
            chance.integers(0, 1 << 30, samples),
        ]
    ).astype(float)
    if missing and samples:
        values[0, 3] = np.nan
    return TimeLine(
        begin=np.concatenate([[0.0], end[:-1]]) if samples else end,
        end=end,
        values=values,
        first=first,
        paths=chance.integers(-1, 2, parts),
        visits=chance.integers(0, 1 << 20, parts),
        seconds=np.round(1 + chance.random(parts), 9),
        computing=np.round(chance.random(parts), 9),
    )


def a_trace(counts: list[int], seed: int = 7) -> tuple[Trace, list[TimeLine]]:
    chance = np.random.default_rng(seed)
    lines = [line(chance, count, missing=not number) for number, count in enumerate(counts)]
    locations = [Location("m", f"n{rank // 2}", rank) for rank in range(len(counts))]
    return Trace(METRICS, [CallPath(MAIN), CallPath(LOOP, 0)], locations, counts, lines.__getitem__, {"a": 1}), lines


def assert_equal(found: TimeLine, wanted: TimeLine) -> None:
    for name in ("begin", "end", "values", "first", "paths", "visits", "seconds"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=0, atol=5e-10, err_msg=name)


@pytest.mark.parametrize("counts", [[], [0], [1], [5, 0, 3], [40_000, 30_000, 10, 70_000, 1]])
def test_what_is_read_is_what_was_written(tmp_path: Path, counts: list[int]) -> None:
    trace, lines = a_trace(counts)
    save_trace(trace, tmp_path / "trace.npz")
    found = load_trace(tmp_path / "trace.npz")
    assert list(found.metrics) == METRICS
    assert list(found.call_paths) == list(trace.call_paths)
    assert list(found.locations) == list(trace.locations)
    assert list(found.counts) == counts
    assert found.facts == {"a": 1}
    for place in reversed(range(len(counts))):
        assert_equal(found.line(place), lines[place])


def test_what_was_not_recorded_takes_no_more_room(tmp_path: Path) -> None:
    trace, (whole,) = a_trace([10_000])
    values = whole.values.copy()
    values[2_000:9_000, :3] = np.nan
    lacking = replace(whole, values=values)
    save_trace(trace, tmp_path / "whole.npz")
    save_trace(trace, tmp_path / "lacking.npz", [lacking])
    assert_equal(load_trace(tmp_path / "lacking.npz").line(0), lacking)
    assert (tmp_path / "lacking.npz").stat().st_size < (tmp_path / "whole.npz").stat().st_size


def test_the_same_trace_makes_the_same_file(tmp_path: Path) -> None:
    for name in ("one", "two"):
        save_trace(a_trace([100, 20])[0], tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_numpy_opens_it(tmp_path: Path) -> None:
    trace, lines = a_trace([10, 20])
    save_trace(trace, tmp_path / "trace.npz")
    with np.load(tmp_path / "trace.npz") as arrays:
        assert arrays["0/end"].tolist() == np.rint(np.concatenate([each.end for each in lines]) * 1e9).tolist()


def test_a_line_is_read_without_the_others(tmp_path: Path) -> None:
    trace, lines = a_trace([60_000, 60_000, 60_000])
    path = tmp_path / "trace.npz"
    save_trace(trace, path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, b"" if name.startswith(("0/", "2/")) else data)
    found = load_trace(path)
    assert_equal(found.line(1), lines[1])
    with pytest.raises(InputError, match="expected a trace with an array in 0/begin"):
        found.line(0)


def read_all(path: Path) -> None:
    for _ in load_trace(path).lines():
        pass


@pytest.mark.parametrize("data", [b"", b"PK", b"time,process,thread,x\n", b"\0" * 100])
def test_what_is_no_trace_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "trace.npz"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"trace\.npz: expected a trace with a zip of numpy arrays"):
        read_all(path)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_all(tmp_path / "none.npz")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"version": 3', '"version": 4', "version 3, found version 4"),
        ('"kind": "autoanalyzer trace"', '"kind": "x"', 'the kind "autoanalyzer trace", found x'),
        ('[["aa1', '[["aa9', "metrics, call paths"),
        (', 0]]', ', 1]]', "a parent before call path 1"),
        ('"samples": [3, 4]', '"samples": [3]', "samples of 2 different locations"),
        ('"samples": [3, 4]', '"samples": [3, 5]', "8 numbers in 0/begin.npy"),
        ('"name": "visits"', '"name": "mpi_bytes"', "metrics with different names"),
        ('"unit": "occ"', '"unit": 3', "names that are text"),
        ('"additive": true', '"additive": [1]', "valid parents and additivity"),
        ('"samples": [3, 4]', '"samples": [3, Infinity]', "metrics, call paths, locations and samples"),
    ],
)  # fmt: skip
def test_a_head_that_cannot_be_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "trace.npz"
    save_trace(a_trace([3, 4])[0], path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    text = members["trace.json"].decode()
    assert old in text
    members["trace.json"] = text.replace(old, new, 1).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(InputError) as refusal:
        read_all(path)
    assert said in str(refusal.value)


def test_damaged_files_are_refused_in_a_line(tmp_path: Path) -> None:
    """The bytes are shortened, cut, repeated or changed, also with corrected zip checksums."""
    path = tmp_path / "trace.npz"
    save_trace(a_trace([30, 20, 9])[0], path)
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    chance = Random(5)
    for trial in range(1000):
        path.unlink()  # replacing a file would wait for the disk
        if trial % 2:
            path.write_bytes(mutated(whole, chance))
        else:
            broken = chance.choice([*members])
            with zipfile.ZipFile(path, "w") as archive:
                for name, data in members.items():
                    archive.writestr(name, mutated(data, chance) if name == broken else data)
        try:
            read_all(path)
        except InputError as error:
            assert "\n" not in str(error)
            assert str(error).startswith(f"{path}: ")


def mutated(data: bytes, chance: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(4):
            case 0:
                del changed[at:]
            case 1:
                changed[at:at] = changed[: chance.randrange(50)]
            case 2:
                del changed[at : at + chance.randrange(20)]
            case _:
                changed[at : at + 1] = bytes([chance.randrange(256)])
        if not changed:
            break
    return bytes(changed)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"begin": [0.5, 0.0, 0.3]}, "consecutive samples"),
        ({"values": [[1, 1, np.inf, 1]] * 3}, "finite numbers in 0/value-2.npy, found infinity"),
    ],
)
def test_samples_that_cannot_be_are_refused(tmp_path: Path, change: dict[str, object], said: str) -> None:
    trace, (line,) = a_trace([3])
    broken = {name: np.array(values, dtype=float) for name, values in change.items()}
    save_trace(trace, tmp_path / "trace.npz", [replace(line, end=np.array([1.0, 0.2, 0.5]), **broken)])
    with pytest.raises(InputError, match=said):
        read_all(tmp_path / "trace.npz")


def test_what_was_packed_otherwise_is_refused(tmp_path: Path) -> None:
    save_trace(a_trace([3])[0], tmp_path / "trace.npz")
    with (
        zipfile.ZipFile(tmp_path / "trace.npz") as archive,
        zipfile.ZipFile(tmp_path / "b.npz", "w", zipfile.ZIP_LZMA) as other,
    ):
        for name in archive.namelist():
            other.writestr(name, archive.read(name))
    with pytest.raises(InputError, match=r"a member trace.json that was deflated, found compression type 14"):
        read_all(tmp_path / "b.npz")
