"""Opening a file reads its structure only; each metric is read alone, when it is needed."""

import gzip
import os

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Builder, Experiment, load, save
from autoanalyzer.experiment import source as source_module
from autoanalyzer.experiment.severities import Kept, LazySeverities
from autoanalyzer.experiment.source import Source, open_source


def made(locations: int = 3) -> Experiment:
    builder = Builder()
    path = builder.call_path("main")
    for rank in range(locations):
        builder.location(rank)
    for number, name in enumerate(("a", "b", "c")):
        builder.metric(name)
        builder.row(name, path, [number + rank / 7 for rank in range(locations)])
    return builder.experiment()


@pytest.mark.parametrize("name", ["e.cube", "e.cube.gz"])
def test_a_metric_that_is_broken_does_not_matter_to_the_others(name, tmp_path):
    save(made(), tmp_path / "whole.cube")
    text = (tmp_path / "whole.cube").read_bytes()
    at = text.index(b"</row>", text.index(b'metricId="1"'))
    text = text[:at] + b" x" + text[at:]
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    found = load(tmp_path / name)
    assert found.exclusive("c").tolist() == made().exclusive("c").tolist()
    assert found.exclusive("a").tolist() == made().exclusive("a").tolist()
    with pytest.raises(InputError, match="expected numbers in b of call path 0"):
        found.exclusive("b")


def test_opening_reads_the_head_and_the_end_alone(tmp_path, monkeypatch):
    save(made(locations=20_000), tmp_path / "e.cube")
    read: list[int] = []
    plain = Source.read

    def counted(self: Source, offset: int, size: int) -> bytes:
        found = plain(self, offset, size)
        read.append(len(found))
        return found

    text = (tmp_path / "e.cube").read_bytes()
    head = text.index(b"<severity>")
    monkeypatch.setattr(Source, "read", counted)
    load(tmp_path / "e.cube")
    assert sum(read) < head + 200_000 < len(text)


def test_the_file_may_be_replaced_while_it_is_open(tmp_path):
    file = tmp_path / "e.cube"
    save(made(), file)
    found = load(file)
    save(made(locations=9), file)
    assert found.exclusive("b").tolist() == made().exclusive("b").tolist()


def test_an_experiment_may_be_written_over_its_own_file(tmp_path, assert_equal):
    file = tmp_path / "e.cube"
    save(made(), file)
    save(load(file), file)
    assert_equal(load(file), made())


def test_values_that_were_asked_for_are_kept_up_to_a_limit():
    asked: list[str] = []

    def read(name: str) -> np.ndarray:
        asked.append(name)
        return np.ones((1, 10))

    severities = LazySeverities("abc", read, kept=Kept(160))
    for name in "abaca":
        assert severities[name].sum() == 10
    assert asked == ["a", "b", "c"]
    assert severities["b"].sum() == 10
    assert asked[3:] == ["b"]
    assert "d" not in severities
    with pytest.raises(KeyError):
        severities["d"]


def test_experiments_share_what_is_kept_and_leave_it_when_they_go():
    kept = Kept(160)
    asked: list[str] = []

    def read(name: str) -> np.ndarray:
        asked.append(name)
        return np.ones((1, 10))

    one, other = LazySeverities("a", read, kept=kept), LazySeverities("bc", read, kept=kept)
    for _ in range(2):
        assert [one["a"].sum(), other["b"].sum()] == [10, 10]
    assert asked == ["a", "b"]
    del one
    assert [other["c"].sum(), other["b"].sum()] == [10, 10]
    assert asked == ["a", "b", "c"]
    assert LazySeverities("b", lambda _: np.zeros((1, 1)), kept=kept)["b"].sum() == 0


def test_what_is_read_is_not_to_be_changed(tmp_path):
    save(made(), tmp_path / "e.cube")
    with pytest.raises(ValueError, match="read-only"):
        load(tmp_path / "e.cube").exclusive("a")[0, 0] = 1


def test_what_others_give_stays_theirs_to_change():
    array = np.ones((1, 1))
    severities = LazySeverities("a", lambda _: array)
    assert not severities["a"].flags.writeable
    array[0, 0] = 2


def test_a_packed_file_is_read_from_any_place(tmp_path, monkeypatch):
    content = os.urandom(1 << 16) * 200
    packed = gzip.compress(content[: 1 << 20]) + gzip.compress(content[1 << 20 :])
    (tmp_path / "x.gz").write_bytes(packed)
    monkeypatch.setattr(source_module, "_CHECKPOINTS", 2)
    source = open_source(tmp_path / "x.gz")
    for offset in (12_000_000, 5, 8_000_000, (1 << 20) - 7, 100, 4_200_000, 13_000_000):
        assert source.read(offset, 70_000) == content[offset : offset + 70_000]
    assert source.read(0, 1 << 30) == content


@pytest.mark.parametrize(("name", "kept"), [("e.cube", 0.9), *(("e.cube.gz", part) for part in (0.01, 0.5, 0.9999))])
def test_a_file_that_is_cut_off_is_refused_when_it_is_opened(name, kept, tmp_path):
    save(made(locations=10_000), tmp_path / name)
    text = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(text[: int(kept * len(text))])
    with pytest.raises(InputError, match="truncated"):
        load(tmp_path / name)


@pytest.mark.parametrize("lacking", range(1, 32))
def test_a_file_whose_last_bytes_are_missing_is_refused_when_it_is_opened(lacking, tmp_path):
    save(made(), tmp_path / "e.cube")
    text = (tmp_path / "e.cube").read_bytes().rstrip()
    (tmp_path / "e.cube").write_bytes(text)
    load(tmp_path / "e.cube")
    (tmp_path / "e.cube").write_bytes(text[:-lacking])
    with pytest.raises(InputError, match="truncated"):
        load(tmp_path / "e.cube")


@pytest.mark.parametrize("name", ["e.cube", "e.cube.gz"])
def test_a_file_may_end_in_white_space_and_comments(name, tmp_path):
    save(made(), tmp_path / name)
    wanted = load(tmp_path / name).exclusive("b").copy()
    text = (tmp_path / name).read_bytes()
    text = gzip.decompress(text) if name.endswith(".gz") else text
    text = text.replace(b"</severity>", b"</severity >\n<!-- <matrix -->") + b" " * 700_000 + b"<!-- end -->\n"
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    np.testing.assert_array_equal(load(tmp_path / name).exclusive("b"), wanted)
    (tmp_path / name).write_bytes(text + b" " * (1 << 20))
    with pytest.raises(InputError, match="in the last 1024 KiB; is the file truncated"):
        load(tmp_path / name)


def test_a_file_that_is_packed_whole_but_cut_off_is_refused_when_it_is_opened(tmp_path):
    save(made(locations=1000), tmp_path / "e.cube")
    text = (tmp_path / "e.cube").read_bytes()
    (tmp_path / "e.cube.gz").write_bytes(gzip.compress(text[:-2000]))
    with pytest.raises(InputError, match="truncated"):
        load(tmp_path / "e.cube.gz")


def test_a_bomb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(source_module, "MAX_UNPACKED", 1 << 20)
    head = "<cube version='3.0'><severity>"
    (tmp_path / "e.cube.gz").write_bytes(gzip.compress(head.encode() + b" " * (1 << 21)))
    with pytest.raises(InputError, match=r"e\.cube\.gz: expected at most 0 GiB unpacked"):
        open_source(tmp_path / "e.cube.gz").read(0, 1 << 22)


@pytest.mark.parametrize("name", ["e.csv", "e", "e.cubex.gz", "e.cube.bz2"])
def test_a_name_that_tells_no_kind_is_refused_before_anything_is_written(name, tmp_path):
    with pytest.raises(InputError, match=r"expected a name that ends in \.cube, \.cube\.gz, \.xml or \.cubex"):
        save(made(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_infinity_is_not_written(tmp_path):
    odd = made()
    odd.exclusive("b")[0, 0] = np.inf
    with pytest.raises(InputError, match="expected finite values of b"):
        save(odd, tmp_path / "e.cube")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="found infinity"):
        odd.check()
