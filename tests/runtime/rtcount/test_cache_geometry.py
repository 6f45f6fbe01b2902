"""Which caches are simulated."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoanalyzer.errors import UsageError
from autoanalyzer.runtime.counting.cache_geometry import (
    CacheGeometry,
    CacheLevel,
    further_levels,
    parse_geometry,
    this_machine,
)


def test_both_caches_are_read() -> None:
    geometry = parse_geometry("L1=48K/12/64,L2=2M/16/64")
    assert geometry == CacheGeometry(CacheLevel(48 << 10, 12, 64), CacheLevel(2 << 20, 16, 64))
    assert str(geometry) == "L1=48K/12/64 L2=2M/16/64"
    assert parse_geometry(str(geometry)) == geometry


def test_the_cache_that_is_not_named_is_this_machines() -> None:
    line = this_machine().l1.line
    assert parse_geometry(f"l2=512k/8/{line}") == CacheGeometry(this_machine().l1, CacheLevel(512 << 10, 8, line))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "found 'nothing'"),
        ("L1=32K", "expected SIZE/WAYS/LINE of each cache, such as L1=32K/8/64,L2=1M/8/64; found 'L1=32K'"),
        ("L4=32M/16/64", "found 'L4=32M/16/64'"),
        ("L1=32K/8/64,L2=1M/8/64,L3=36M/12/64", "L3: expected 2, 4, 8 … sets, found 49152"),
        ("L1=32K/8/64,L2=1M/8/64,L3=32M/16/128", "expected cache lines of the same size, found 64 and 128 bytes"),
        ("L1=32K/8/64,L2=1M/8/64,TLB=6M/11/4K", "TLB: expected 2, 4, 8 … sets, found 139.636"),
        ("L1=64K/8/128,L2=1M/8/128,TLB=2K/8/64", "TLB: expected pages of 128 bytes or more, found 64"),
        ("L1=32K/8/64,L1=48K/12/64", "found 'L1=48K/12/64'"),
        ("L1=32K/7/64", "L1: expected 2, 4, 8 … sets, found 73.1"),
        ("L1=32K/0/64", "L1: expected 2, 4, 8 … sets"),
        ("L1=4K/64/64", "L1: expected 2, 4, 8 … sets, found 1"),
        ("L1=32K/8/48", "L1: expected cache lines of 32, 64, 128 … bytes, found 48"),
        ("L1=32K/8/64,L2=1M/8/128", "expected cache lines of the same size, found 64 and 128 bytes"),
        ("L1=1G/8/64", "L1: expected at most 4096 sets, found 2097152"),
        ("L1=32K/8/64,L2=262144G/8/64", "L2: expected at most 1G, found 262144G"),
        ("L1=2G/8192/64", "L1: expected at most 1G, found 2G"),
    ],
)
def test_caches_that_cannot_be_simulated_are_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_geometry(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_misses_of_further_levels_take_a_cache_of_this_machine_and_a_tlb_that_is_named(tmp_path: Path) -> None:
    usual, named = CacheGeometry(), parse_geometry("L1=32K/8/64,L2=1M/8/64,L3=16M/16/64,TLB=3G/12/2M")
    assert str(named) == "L1=32K/8/64 L2=1M/8/64 L3=16M/16/64 TLB=3G/12/2M"
    both = ["l3_misses", "tlb_misses"]
    assert further_levels(both, named, tmp_path) == ["--l3=16777216,16,64", "--tlb=3221225472,12,2097152"]
    assert further_levels([], usual, tmp_path) == []
    for events, geometry, said in (
        (
            both[:1],
            usual,
            "l3_misses: this machine's L3 is unknown; describe it, for example with --cache L3=32M/16/64",
        ),
        (
            both[1:],
            usual,
            "tlb_misses: this machine's TLB is unknown; describe it, for example with --cache TLB=6M/12/4K",
        ),
        ([], named, "--cache L3 needs --counters simulated:l3_misses"),
        (both[:1], named, "--cache TLB needs --counters simulated:tlb_misses"),
    ):
        with pytest.raises(UsageError) as caught:
            further_levels(events, geometry, tmp_path)
        assert str(caught.value) == said
    line = {"coherency_line_size": "64"}
    describe(tmp_path, 3, level="3", type="Unified", size="32768K", ways_of_associativity="16", **line)
    assert further_levels(both[:1], usual, tmp_path) == ["--l3=33554432,16,64"]
    describe(tmp_path, 2, level="3", type="Unified", size="36864K", ways_of_associativity="12", **line)
    (tmp_path / "index3" / "level").unlink()
    with pytest.raises(UsageError, match=r"sets, found 49152 sets; name an L3 .* such as --cache L3=32M/16/64$"):
        further_levels(both[:1], usual, tmp_path)


def describe(folder: Path, number: int, **words: str) -> None:
    index = folder / f"index{number}"
    index.mkdir()
    for name, word in words.items():
        (index / name).write_text(f"{word}\n")


def test_the_machine_says_which_it_has(tmp_path: Path) -> None:
    line = {"coherency_line_size": "64"}
    describe(tmp_path, 0, level="1", type="Data", size="48K", ways_of_associativity="12", **line)
    describe(tmp_path, 1, level="1", type="Instruction", size="32K", ways_of_associativity="8", **line)
    describe(tmp_path, 2, level="2", type="Unified", size="1024K", ways_of_associativity="16", **line)
    describe(tmp_path, 3, level="3", type="Unified", size="32768K", ways_of_associativity="16", **line)
    assert str(this_machine(tmp_path)) == "L1=48K/12/64 L2=1M/16/64"


def test_a_machine_that_does_not_say_gets_usual_caches(tmp_path: Path) -> None:
    said: list[str] = []
    assert this_machine(tmp_path, say=said.append) == CacheGeometry()
    describe(tmp_path, 0, level="1", type="Data", size="?")
    assert this_machine(tmp_path) == CacheGeometry()
    assert said == [
        "this machine's L1 cache is unknown, so 32K/8/64 is simulated; choose another cache with --cache",
        "this machine's L2 cache is unknown, so 1M/8/64 is simulated; choose another cache with --cache",
    ]


@pytest.mark.parametrize(
    ("l1", "l2", "taken", "said"),
    [
        ("48K/12/64", "1280K/16/64", "L1=48K/12/64 L2=1M/8/64", ["L2 cache is 1280K/16/64, which cannot be simulated"]),
        ("64K/4/128", "3M/16/128", "L1=64K/4/128 L2=1M/8/128", ["L2 cache is 3M/16/128, which cannot be simulated"]),
        ("48K/11/128", "2M/16/128", "L1=32K/8/128 L2=2M/16/128", ["L1 cache is 48K/11/128, which cannot be simulated"]),
        ("64K/4/64", "2M/16/128", "L1=64K/4/64 L2=1M/8/64", ["L2 cache is 2M/16/128, which cannot be simulated"]),
        ("48K/12/64", "2M/16/64", "L1=48K/12/64 L2=2M/16/64", []),
    ],
)  # fmt: skip
def test_a_cache_that_can_be_simulated_is_kept_beside_one_that_cannot(
    tmp_path: Path, l1: str, l2: str, taken: str, said: list[str]
) -> None:
    for number, text in enumerate((l1, l2)):
        size, ways, line = text.split("/")
        words = {"size": size, "ways_of_associativity": ways, "coherency_line_size": line}
        describe(tmp_path, number, level=str(number + 1), type="Unified", **words)
    heard: list[str] = []
    assert str(this_machine(tmp_path, say=heard.append)) == taken
    assert [sentence.partition(", so ")[0] for sentence in heard] == [f"this machine's {each}" for each in said]


def test_this_machine_can_be_simulated() -> None:
    assert this_machine().defect() is None
