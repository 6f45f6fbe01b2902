"""A defective shard is reported with its defect, and never causes anything worse."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autoanalyzer.errors import InputError
from autoanalyzer.runtime.gather.shard_layout import (
    ALIGNMENT,
    COUNTERS,
    HEADER_LAYOUT,
    NODE_LAYOUT,
    NODE_RECORD,
    REGION_LAYOUT,
    REGION_RECORD,
    SAMPLE_COUNT_LAYOUT,
    SAMPLES_LAYOUT,
    SAMPLES_RECORD,
    THROTTLE_RECORD,
    VERSION,
)
from autoanalyzer.runtime.gather.shard_reader import read_shard

from .conftest import SAMPLED, Record


@pytest.fixture
def good(preloaded: Record) -> Path:
    (shard,) = preloaded("+main +f +g -g -f thread 2 +f -f ; new 20 -main")
    return shard.path


def find_record(data: bytes, kind: int, number: int = 0) -> int:
    """Return the offset of one of the records of a kind."""
    at, found = HEADER_LAYOUT.itemsize, []
    while at < len(data):
        record, lines = struct.unpack_from("=HH", data, at)
        if not lines:
            break
        if record == kind:
            found.append(at)
        at += lines * ALIGNMENT
    return found[number]


def patched(path: Path, offset: int, value: int, form: str = "=I") -> Path:
    data = bytearray(path.read_bytes())
    struct.pack_into(form, data, offset, value)
    path.write_bytes(data)
    return path


def header_offset(field: str) -> int:
    assert HEADER_LAYOUT.fields is not None
    return int(HEADER_LAYOUT.fields[field][1])


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_shard(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("content", "found"),
    [(b"", "an empty file"), (b"CUBE", "CUBE"), (b"AASHARD\0", "found 8"), (b"\0" * 4096, r"\x00")],
)
def test_a_file_that_is_no_shard_is_named(tmp_path: Path, content: bytes, found: str) -> None:
    path = tmp_path / "x.shard"
    path.write_bytes(content)
    assert found in refusal(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert "No such file" in refusal(tmp_path / "missing.shard")


def test_another_version_names_both(good: Path) -> None:
    assert f"expected a shard with version {VERSION}, found version 3" in refusal(
        patched(good, header_offset("version"), 3)
    )


def test_the_other_byte_order_is_told(good: Path) -> None:
    assert "byte order" in refusal(patched(good, header_offset("byte_order"), 0x04030201))


def test_records_of_another_size_are_told(good: Path) -> None:
    assert ", 256]" in refusal(patched(good, header_offset("node_size"), 256)).partition("found [")[2]


def test_a_cut_file_is_told(good: Path) -> None:
    used = int(np.frombuffer(good.read_bytes(), HEADER_LAYOUT, count=1)["used"][0])
    good.write_bytes(good.read_bytes()[: used - 1])
    assert f"{used} bytes in use, found {used - 1} bytes" in refusal(good)


@pytest.mark.parametrize("lines", [0, 0xFFFF])
def test_a_record_of_impossible_size_is_told(good: Path, lines: int) -> None:
    at = find_record(good.read_bytes(), NODE_RECORD, 3)
    assert f"a complete record at byte {at}, found" in refusal(patched(good, at + 2, lines, "=H"))


def test_a_sample_of_a_node_that_is_not_known_yet_is_left_out(preloaded: Record) -> None:
    (shard,) = preloaded("+main spin 60 -main", AUTOANALYZER_SAMPLE="1000")
    assert shard.samples and shard.samples.places
    at = find_record(shard.path.read_bytes(), SAMPLES_RECORD) + SAMPLES_LAYOUT.itemsize
    data = np.frombuffer(bytearray(shard.path.read_bytes()), np.uint8)
    counts = data[at:][: data[at:].size // 16 * 16].view(SAMPLE_COUNT_LAYOUT)
    room = int(np.frombuffer(data, SAMPLES_LAYOUT, count=1, offset=at - SAMPLES_LAYOUT.itemsize)[0]["room"])
    counts["node"][:room] = np.where(counts["node"][:room] > 0, 1 << 24, 0)
    shard.path.write_bytes(data.tobytes())
    later = read_shard(shard.path).samples
    assert later and (later.signals, later.places) == (shard.samples.signals, {})


def test_an_unknown_record_is_told(good: Path) -> None:
    at = find_record(good.read_bytes(), NODE_RECORD, 3)
    assert "found type 99" in refusal(patched(good, at, 99, "=H"))


@pytest.mark.parametrize("parent", [0, 1, 1 << 20, 0xFFFFFFFF])
def test_a_node_without_its_parent_is_told(good: Path, parent: int) -> None:
    at = find_record(good.read_bytes(), NODE_RECORD, 2)
    assert "a node without its parent" in refusal(patched(good, at + 8, parent))


def test_a_node_that_is_its_own_parent_is_told(good: Path) -> None:
    at = find_record(good.read_bytes(), NODE_RECORD, 2)
    assert "a node without its parent" in refusal(patched(good, at + 8, at // 64))


def test_an_unknown_region_is_told(good: Path) -> None:
    at = find_record(good.read_bytes(), NODE_RECORD, 2)
    assert "found 999" in refusal(patched(good, at + 12, 999))


def test_a_descriptor_of_another_version_is_told(good: Path) -> None:
    at = find_record(good.read_bytes(), REGION_RECORD)
    assert "version aa1" in refusal(patched(good, at + REGION_LAYOUT.size + 2, ord("2"), "=B"))


def test_counts_of_every_kind_come_back(linked: Record) -> None:
    (shard,) = linked("+main mpi 5 io 3 io 4 -main")
    main = shard.threads[0].nodes[1]
    names = ["visits", "mpi_calls", "mpi_sent", "mpi_received", "io_calls", "io_read", "io_written"]
    assert [int(main[name]) for name in names] == [1, 1, 5, 10, 2, 7, 14]
    assert [int(main[name]) for name in COUNTERS] == [0] * 13
    assert shard.sources == SAMPLED


def test_more_calls_than_32_bits_hold_come_back(good: Path) -> None:
    at = find_record(good.read_bytes(), NODE_RECORD, 1)
    assert NODE_LAYOUT.fields is not None
    patched(good, at + NODE_LAYOUT.fields["io_calls"][1], 5_000_000_000, "=Q")
    assert int(read_shard(good).threads[0].nodes["io_calls"][1]) == 5_000_000_000


@pytest.fixture
def throttled(preloaded: Record) -> Path:
    (shard,) = preloaded("+main times 40000 +f -f ; -main", AUTOANALYZER_MAX_OVERHEAD="0.001%")
    assert list(shard.threads[0].throttled) == [2]
    return shard.path


def test_a_throttled_node_that_is_none_is_told(throttled: Path) -> None:
    at = find_record(throttled.read_bytes(), THROTTLE_RECORD)
    assert "throttled nodes, found none at byte 64" in refusal(patched(throttled, at + 4, 1))


def test_a_throttled_base_is_told(throttled: Path) -> None:
    data = throttled.read_bytes()
    at, base = find_record(data, THROTTLE_RECORD), find_record(data, NODE_RECORD)
    assert f"throttled regions, found a base at byte {base}" in refusal(patched(throttled, at + 4, base // ALIGNMENT))


def test_more_visits_than_a_throttled_node_has_are_told(throttled: Path) -> None:
    at = find_record(throttled.read_bytes(), THROTTLE_RECORD)
    assert "at most 40000 visits, as many as the throttled node" in refusal(patched(throttled, at + 8, 40001))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), value=st.integers(0, 255))
def test_a_damaged_byte_is_read_or_told(good: Path, place: float, value: int) -> None:
    data = bytearray(good.read_bytes())
    used = int(np.frombuffer(data, HEADER_LAYOUT, count=1)["used"][0])
    data[int(place * used)] = value
    damaged = good.with_suffix(".damaged")
    damaged.write_bytes(data[:used])
    try:
        shard = read_shard(damaged)
    except InputError as error:
        assert str(damaged) in str(error)
    else:
        assert sum(len(thread.nodes) for thread in shard.threads) <= used // NODE_LAYOUT.itemsize
