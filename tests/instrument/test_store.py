"""The store between compilations: results are found, limited in size and checked; failures do no harm."""

import os
import time

import pytest

from autoanalyzer.digests import digest
from autoanalyzer.errors import UsageError
from autoanalyzer.instrument.store import Store, open_store

KEYS = [f"0{number:039d}" for number in range(20)]


def test_what_was_put_is_found_and_nothing_else(tmp_path):
    store = Store(tmp_path, 1 << 20)
    store.put(KEYS[0], b"object")
    assert store.get(KEYS[0]) == b"object"
    assert store.get(KEYS[1]) is None


def test_a_damaged_result_is_none_and_makes_room_for_a_whole_one(tmp_path):
    store = Store(tmp_path, 1 << 20)
    for damage in (lambda content: content[:-1], lambda content: content[:-1] + b"?", lambda _: b""):
        store.put(KEYS[0], b"object")
        (path,) = (tmp_path / "0").iterdir()
        path.write_bytes(damage(path.read_bytes()))
        assert store.get(KEYS[0]) is None
        store.put(KEYS[0], b"object")
        assert store.get(KEYS[0]) == b"object"


def test_a_damaged_result_is_none_where_it_cannot_be_removed(tmp_path):
    (tmp_path / "result").write_bytes(b"")
    with (tmp_path / "result").open("rb") as stream:
        key = str(stream.fileno())
        (tmp_path / key[0]).symlink_to("/proc/self/fd")  # nobody can remove a file there
        assert Store(tmp_path, 1 << 20).get(key) is None


def test_what_was_not_used_for_longest_goes_once_the_limit_is_reached(tmp_path):
    store = Store(tmp_path, 16 * 1000)
    for age, key in enumerate(KEYS[:3]):
        store.put(key, bytes(200))
        os.utime(tmp_path / "0" / key, (age, age))
    assert store.get(KEYS[0])  # this is now the most recently used one
    for key in KEYS[3:6]:
        store.put(key, bytes(200))
    assert store.get(KEYS[0])
    assert store.get(KEYS[1]) is None
    assert sum(path.stat().st_size for path in (tmp_path / "0").iterdir()) <= 1000
    store.put(KEYS[7], bytes(2000))
    assert store.get(KEYS[7]) is None


def test_files_of_a_killed_process_go_in_time(tmp_path):
    store = Store(tmp_path, 1 << 20)
    store.put(KEYS[0], b"object")
    for name, age in ((".new", 0), (".old", 7200)):
        (tmp_path / "0" / name).touch()
        os.utime(tmp_path / "0" / name, (time.time() - age,) * 2)
    store.put(KEYS[1], b"object")
    assert not (tmp_path / "0/.old").exists()
    assert (tmp_path / "0/.new").exists()


def test_a_folder_that_cannot_be_written_keeps_nothing_and_says_nothing(tmp_path):
    (tmp_path / "file").touch()
    store = Store(tmp_path / "file", 1 << 20)
    store.put(KEYS[0], b"object")
    assert store.get(KEYS[0]) is None


def test_the_limit_is_read_and_nothing_else_taken_for_one(tmp_path):
    store = open_store({"AUTOANALYZER_CACHE": str(tmp_path), "AUTOANALYZER_CACHE_LIMIT": "0"})
    store.put(KEYS[0], b"object")
    assert store.get(KEYS[0]) is None
    for wrong in ("lots", "-1", "1T", "1.5G"):
        with pytest.raises(UsageError, match="expected a size such as 512M"):
            open_store({"AUTOANALYZER_CACHE_LIMIT": wrong})


def test_a_key_tells_where_parts_end():
    assert digest("ab", "c") != digest("a", "bc")
    assert digest(b"ab") == digest("ab")
