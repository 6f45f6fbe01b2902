import struct

from autoanalyzer.runtime.gather import shard_layout as layout
from autoanalyzer.runtime.gather.shard_records import RecordPlaces


def shard(regions: int) -> bytes:
    """Return a shard with an empty header and records of one alignment unit each."""
    record = struct.pack("=I", layout.REGION_RECORD | 1 << 16).ljust(layout.ALIGNMENT, b"\0")
    return bytes(layout.HEADER_LAYOUT.itemsize) + regions * record


def test_records_are_found_in_shards_of_any_sizes_and_few_are_kept() -> None:
    places = RecordPlaces()
    for regions in (*range(1, 200), *range(1, 200)):
        found = places.of(shard(regions), len(shard(regions)))
        assert found.wrong is None
        assert len(found.offsets(layout.REGION_RECORD)) == regions
    assert len(places._known) < 100


def test_records_that_stand_where_those_before_stood_are_the_same() -> None:
    places = RecordPlaces()
    assert places.of(shard(3), len(shard(3))) is places.of(shard(3), len(shard(3)))
