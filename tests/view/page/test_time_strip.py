"""Regions over time below the findings, tested without a browser."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from autoanalyzer.experiment import Region
from autoanalyzer.view.page.time_lines import TimeLines
from autoanalyzer.view.page.time_strip import time_strip

PLT = Region("function", "memcpy@plt", "/usr/lib/libc.so", "memcpy@plt", 0)
LOOP = Region("loop", "loop@3", "a.c", "main", 0, 3, 5)


def strip(regions: Sequence[Region], rows: np.ndarray, title: str = "the run") -> str:
    """Return the strip of ranks; each row contains indices of call paths, each of which has one of the regions."""
    paths = [
        {"name": each.name, "kind": each.kind, "place": f"{each.file.rpartition('/')[2]}:{each.first_line}"}
        for each in regions
    ]
    names = ["all", *(f"rank {rank}" for rank in range(len(rows)))]
    head = {"title": title, "paths": paths, "rows": names, "edges": [0.0, 1.0]}
    return time_strip(TimeLines(head, {}, np.vstack([rows[:1], rows]).astype(float)))


def legend(drawn: str) -> list[str]:
    return [re.sub("<.*?>", "", each).strip() for each in re.findall("<li>(?!rank)(.*?)</li>", drawn)]


def test_the_paths_of_one_region_are_one_region_and_only_loops_are_named_by_their_place():
    rows = np.array([[0, 0, 1, 1, 2, 2, 3, -1], [0, 0, 1, 1, 2, 2, 3, 0]])
    drawn = strip([PLT, PLT, LOOP, Region("function", "memcpy@plt", "b.c", "", 0, 1)], rows)
    assert legend(drawn) == [
        "memcpy@plt (libc.so:0) 56 %",
        "a.c:3 25 %",
        "memcpy@plt (b.c:1) 12 %",
        "others",
    ]
    assert legend(strip([PLT, PLT], np.array([[0, 1], [1, 0]]))) == ["memcpy@plt 100 %"]


def test_the_title_names_the_run_if_only_the_counting_run_can_be_read():
    drawn = strip([LOOP], np.array([[0], [0]]), "the counting run (slower)")
    assert "the counting run (slower): the main region" in drawn
    traced = strip([LOOP, Region("mpi", "MPI_Init")], np.array([[1, 0], [1, 0]]))
    assert "the run, with MPI startup and shutdown: the main region" in traced  # which the verdict's times exclude


def test_the_strip_of_many_ranks_is_small_if_regions_alternate():
    rows = np.random.default_rng(1).integers(0, 9, (32, 800))
    drawn = strip([Region("function", f"f{number}", "", "", 0) for number in range(9)], rows)
    assert drawn.count("<path") == 8  # one per colour
    assert len(drawn) < 40_000
