"""``dump --messages`` prints the communication matrix."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from autoanalyzer.experiment import Notes
from autoanalyzer.experiment.messages import Messages

from .conftest import refused, succeed


def matrix(*, per_block: int = 1, waits: tuple[float, ...] | None = (0.25, 0, 0.5)) -> Messages:
    columns = [np.array(each, dtype=np.int32) for each in ((0, 1, 1), (1, 0, 1))]
    counts = [np.array(each, dtype=float) for each in ((2, 8, 1.5), (40, 4e6, 40))]
    return Messages(
        2 * per_block, per_block, *columns, *counts, None if waits is None else np.array(waits, dtype=float)
    )


@pytest.fixture
def files(tool, written):
    written("run.cube", [0.1, 2, 1], notes=Notes(program="app", messages=matrix()))
    written("large.cube", [0.1, 2, 1], notes=Notes(program="app", messages=matrix(per_block=3, waits=None)))
    written("none.cube", [0.1, 2, 1])
    return tool


def test_pairs_are_printed_most_bytes_first(files):
    assert succeed(files("autoanalyzer", "dump", "run.cube", "--messages")).stdout.decode() == (
        "sender  receiver  messages  bytes  receiver waits\n"
        "     1         0         8   4 MB             0 s\n"
        "     0         1         2   40 B          250 ms\n"
        "     1         1         2   40 B          500 ms\n"
        "12 messages, 4 MB, in point-to-point calls between 3 pairs of 2 ranks\n"
        "collective calls and one-sided transfers are not included\n"
    )


def test_blocks_are_named_by_their_ranks_and_unknown_waits_are_left_out(files):
    said = succeed(files("autoanalyzer", "dump", "large.cube", "--messages")).stdout.decode().splitlines()
    assert said[:2] == ["sender  receiver  messages  bytes", "   3-5       0-2         8   4 MB"]
    assert said[-2] == "12 messages, 4 MB, in point-to-point calls between 3 pairs of 6 ranks, in blocks of 3"
    csv = succeed(files("autoanalyzer", "dump", "large.cube", "--messages", "--csv")).stdout.decode().splitlines()
    assert csv[:2] == ["sender,receiver,messages,bytes", "3-5,0-2,8,4000000"]


def test_csv_and_json_have_all_digits(files):
    csv = succeed(files("autoanalyzer", "dump", "run.cube", "--messages", "--csv")).stdout.decode().splitlines()
    assert csv == ["sender,receiver,messages,bytes,wait (s)", "1,0,8,4000000,0", "0,1,2,40,0.25", "1,1,1.5,40,0.5"]
    found = json.loads(succeed(files("autoanalyzer", "dump", "large.cube", "--messages", "--json")).stdout)
    assert [found[key] for key in ("schema", "experiment", "ranks", "ranks_per_block")] == (
        ["autoanalyzer.messages/1", "large.cube", 6, 3]
    )
    first = {"sender": 3, "receiver": 0, "messages": 8, "bytes": 4_000_000, "wait_seconds": None}
    assert found["pairs"][0] == first
    assert [each["messages"] for each in found["pairs"]] == [8, 2, 1.5]


def test_what_has_no_matrix_or_does_not_fit_is_refused(files):
    said = refused(files("autoanalyzer", "dump", "none.cube", "--messages"))
    assert said.startswith("autoanalyzer: none.cube: expected a communication matrix, found none")
    for option in (["--flat"], ["--by", "process"], ["--metrics", "wall_time"], ["--region", "work"], ["--exclusive"]):
        said = refused(files("autoanalyzer", "dump", "run.cube", "--messages", *option))
        assert said == "autoanalyzer: --messages can be combined only with --csv or --json"


def test_means_and_parts_have_their_own(files):
    succeed(files("autoanalyzer", "mean", "run.cube", "run.cube", "-o", "mean.cubex"))
    succeed(files("autoanalyzer", "cut", "mean.cubex", "--ranks", "1", "-o", "part.cube"))
    csv = succeed(files("autoanalyzer", "dump", "part.cube", "--messages", "--csv")).stdout.decode().splitlines()
    assert csv[1:] == ["1,1,1.5,40,0.5"]


def test_of_a_difference_changes_are_printed_the_largest_first(files, written):
    later = replace(matrix(waits=(0, 0.25, 0.5)), messages=np.array([1, 10, 1.5]), bytes=np.array([20, 5e6, 40]))
    written("later.cube", [0.1, 2, 1], notes=Notes(program="app", messages=later))
    succeed(files("autoanalyzer", "diff", "run.cube", "later.cube", "-o", "difference.cube"))
    assert succeed(files("autoanalyzer", "dump", "difference.cube", "--messages")).stdout.decode() == (
        "sender  receiver  messages  bytes  receiver waits\n"
        "     1         0        -2  -1 MB         -250 ms\n"
        "     0         1         1   20 B          250 ms\n"
        "before minus after: -1 messages, -1 MB, in point-to-point calls between 2 pairs of 2 ranks\n"
        "collective calls and one-sided transfers are not included\n"
    )


def test_of_runs_with_the_same_messages_the_matrix_is_empty_and_is_kept(files):
    succeed(files("autoanalyzer", "diff", "run.cube", "run.cube", "-o", "same.cube"))
    found = json.loads(succeed(files("autoanalyzer", "dump", "same.cube", "--messages", "--json")).stdout)
    assert (found["difference"], found["pairs"]) == (True, [])
