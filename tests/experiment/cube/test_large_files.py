"""CUBE 4 files with many locations: a table beside the XML contains these; rows are packed only if this saves much."""

from __future__ import annotations

import io
import struct
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pycubexr import CubexParser

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Region, Topology, load, save
from autoanalyzer.experiment.cube import cubex_writer, location_table
from autoanalyzer.experiment.cube.location_table import LocationTable

TABLE = "autoanalyzer.locations"
RANKS = 1000


@pytest.fixture
def many() -> Experiment:
    """Return an experiment with a grid, many locations, and values of which only some are worth packing."""
    chance = np.random.default_rng(1)
    times = chance.random((3, 2 * RANKS))
    times[1] = 0
    return Experiment(
        metrics=[
            Metric("time", "sec"),
            Metric("calls", "occ", dtype="INTEGER"),
            Metric("least", "sec", dtype="MINDOUBLE"),
        ],
        call_paths=[
            CallPath(Region("function", name, "a.c", name), parent)
            for name, parent in zip("fgh", (None, 0, 0), strict=True)
        ],
        locations=[
            Location("the <machine>", f"node & {rank // 64}", rank, thread)
            for rank in range(RANKS)
            for thread in (0, 1)
        ],
        severities={
            "time": times,
            "calls": np.full((3, 2 * RANKS), 7.0),
            "least": np.where(chance.random((3, 2 * RANKS)) < 0.5, np.nan, times),
        },
        topologies=[Topology("grid", (("x", RANKS, False),), {(rank, 0): (rank,) for rank in range(RANKS)})],
    )


@pytest.fixture
def file(many: Experiment, tmp_path: Path) -> Path:
    save(many, tmp_path / "e.cubex")
    return tmp_path / "e.cubex"


def members(file: Path) -> dict[str, bytes]:
    with tarfile.open(file) as archive:
        return {each.name: archive.extractfile(each).read() for each in archive}


def changed(file: Path, **contents: bytes | None) -> Path:
    """Rewrite the archive with other members."""
    found = members(file)
    other = file.with_name("other.cubex")
    with tarfile.open(other, "w") as archive:
        for name, content in (found | {name.replace("__", "."): each for name, each in contents.items()}).items():
            if content is not None:
                archive.addfile(_member(name, content), io.BytesIO(content))
    return other


def _member(name: str, content: bytes) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    return member


def test_the_table_says_what_the_xml_says(many, file, assert_equal):
    assert_equal(load(file), many)
    without = changed(file, autoanalyzer__locations=None)
    assert TABLE not in members(without)
    assert_equal(load(without), many)


def test_few_locations_need_no_table(many, tmp_path, monkeypatch):
    monkeypatch.setattr(cubex_writer, "_MANY", 2 * RANKS + 1)
    save(many, tmp_path / "e.cubex")
    assert TABLE not in members(tmp_path / "e.cubex")


def test_rows_are_plain_where_packing_gains_little(file):
    found = members(file)
    assert found["0.data"].startswith(b"CUBEX.DATA")
    assert found["1.data"].startswith(b"ZCUBEX.DATA")
    assert len(found["0.data"]) == len(b"CUBEX.DATA") + 2 * 2 * RANKS * 8  # the row of zeros is not written


def test_another_reader_finds_the_same_values(many, file):
    with CubexParser(file) as other:
        assert len(other.get_locations()) == 2 * RANKS
        for metric in other.all_metrics():
            values, ours = other.get_metric_values(metric), many.exclusive(metric.name)
            for path in range(3):
                row = values.cnode_values(other.get_cnode(path)).astype(float)
                np.testing.assert_array_equal(np.where(np.isnan(ours[path]), row, ours[path]), row, metric.name)


@pytest.mark.parametrize("limit", [1, 1 << 16, 1 << 30])
def test_blocks_of_any_size_make_the_same_file(limit, many, file, tmp_path, monkeypatch):
    monkeypatch.setattr(cubex_writer, "_EXCHANGED", limit)
    save(many, tmp_path / "again.cubex")
    assert (tmp_path / "again.cubex").read_bytes() == file.read_bytes()


def test_a_value_that_is_none_of_the_type_in_a_late_block_changes_the_whole_metric(many, tmp_path, monkeypatch):
    monkeypatch.setattr(cubex_writer, "_EXCHANGED", 1)
    calls = many.exclusive("calls").copy()
    calls[2, -1] = 0.5
    odd = many.replaced(severities={**{each.name: many.exclusive(each.name) for each in many.metrics}, "calls": calls})
    save(odd, tmp_path / "e.cubex")
    assert load(tmp_path / "e.cubex").exclusive("calls").tolist() == calls.tolist()


def _of_the_head(change: Callable[[list[int]], None]) -> Callable[[bytes], bytes]:
    """Return a change of the numbers in the table's head that also corrects the checksum."""

    def changed(table: bytes) -> bytes:
        numbers = list(struct.unpack_from("<4Q", table, 16))
        change(numbers)
        body = struct.pack("<4Q", *numbers) + table[48:]
        return table[:12] + struct.pack("<I", zlib.crc32(body)) + body

    return changed


def _set(place: int, value: int) -> Callable[[list[int]], None]:
    return lambda numbers: numbers.__setitem__(place, value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table[:-9], r"expected \d+ bytes for 2000 locations, found \d+ bytes$"),
        (lambda table: table[:100] + b"?" + table[101:], "expected the checksum"),
        (lambda table: b"BBLOCATIONS1" + table[12:], "expected AALOCATIONS1 and a header"),
        (lambda table: table[:20], "expected AALOCATIONS1 and a header"),
        (_of_the_head(_set(0, 1 << 60)), r"expected \d+ bytes for \d+ locations, found \d+ bytes$"),
        (_of_the_head(_set(1, 10)), "expected the complete system in bytes 10 to"),
        (_of_the_head(_set(1, 1 << 62)), "expected the complete system in bytes"),
        (_of_the_head(_set(2, 1 << 62)), "expected the complete system in bytes"),
    ],
)
def test_a_table_that_is_broken_is_refused_in_one_line(change, message, file):
    broken = changed(file, autoanalyzer__locations=change(members(file)[TABLE].rstrip(b"\n")))
    with pytest.raises(InputError, match=message) as error:
        load(broken)
    assert str(error.value).startswith(f"{broken}: {TABLE}: ")
    assert "\n" not in str(error.value)


def test_a_table_beside_the_xml_of_another_program_is_refused(file):
    anchor = members(file)["anchor.xml"].rstrip(b"\n") + b"\n"
    other = anchor.replace(b'"autoanalyzer"', b'"someanalyzer"', 1)
    with pytest.raises(
        InputError, match=r"written by autoanalyzer beside this file, found one written by another tool"
    ):
        load(changed(file, anchor__xml=other))


def test_a_table_with_fewer_locations_than_the_xml_is_refused(file):
    table = members(file)[TABLE].rstrip(b"\n")
    count, *_, length = struct.unpack_from("<4Q", table, 16)
    columns, at = [], 48 + length
    for size in (4, 4, 8, 8):
        columns.append(table[at : at + size * (count - 2)])
        at += size * count
    body = struct.pack("<Q", count - 2) + table[24 : 48 + length] + b"".join(columns)
    shorter = table[:12] + struct.pack("<I", zlib.crc32(body)) + body
    with pytest.raises(InputError, match=r"expected 2000 locations as in anchor\.xml, found 1998"):
        load(changed(file, autoanalyzer__locations=shorter))


def test_a_table_with_ranks_in_another_order_than_the_xml_is_refused(many, file):
    table = members(file)[TABLE]
    _, start, end, _ = struct.unpack_from("<4Q", table, 16)
    swapped = [*many.locations]
    swapped[6], swapped[100] = swapped[100], swapped[6]
    other = changed(file, autoanalyzer__locations=LocationTable(swapped, (start, end)).to_bytes())
    with pytest.raises(InputError, match=r"order in anchor\.xml, found location 100 instead of 6"):
        load(other)


@pytest.mark.parametrize("size", [60, 61, 97])
def test_a_table_agrees_with_xml_that_is_read_in_pieces(size, many, file, monkeypatch, assert_equal):
    monkeypatch.setattr(location_table, "_PIECE", size)
    assert_equal(load(file), many)


def test_a_metric_that_takes_less_as_another_type_leaves_nothing_behind_the_archive(tmp_path, monkeypatch):
    """Whole numbers gain little by packing, so they begin unpacked; the last value is a fraction, so all are packed."""
    monkeypatch.setattr(cubex_writer, "_EXCHANGED", 1 << 20)
    values = np.floor(np.random.default_rng(1).random((200, 3000)) * 60)
    values[-1, -1] = 0.5
    made = Experiment(
        metrics=[Metric("calls", "occ", dtype="UINT32")],
        call_paths=[CallPath(Region("function", "f", "a.c", "f"), path - 1 if path else None) for path in range(200)],
        locations=[Location("machine", "node", rank) for rank in range(3000)],
        severities={"calls": values},
    )
    save(made, tmp_path / "e.cubex")
    assert load(tmp_path / "e.cubex").exclusive("calls").tobytes() == values.tobytes()
