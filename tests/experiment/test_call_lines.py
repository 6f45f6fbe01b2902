"""The line of a call in the source is stored, but does not distinguish call paths."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from autoanalyzer.experiment import Builder, CallPath, Experiment, Region, load, save
from autoanalyzer.experiment.algebra import difference, mean
from autoanalyzer.experiment.folding import fold


def called_in(line: int | None) -> Experiment:
    made = Builder()
    main = made.call_path(Region("function", "main", "a.c", "main", 0, 1, 90))
    work = made.call_path(Region("function", "work", "b.c", "work", 0, 1, 9), main)
    made.call_path(Region("loop", "loop@3", "b.c", "work", 0, 3, 5), work)
    made.location(0)
    made.metric("wall_time", "sec")
    for path in range(3):
        made.row("wall_time", path, np.array([1.0]))
    found = made.experiment()
    first, second, third = found.call_paths
    return found.replaced(call_paths=[first, replace(second, line=line), third])


def test_it_is_kept_in_files_of_both_formats(tmp_path: Path) -> None:
    for name in ("a.cube", "a.cubex"):
        save(called_in(7), tmp_path / name)
        found = load(tmp_path / name).call_paths
        lines = [(path.site, path.line, path.called_at) for path in found]
        assert lines == [(None, None, None), (None, 7, 7), (None, None, None)]


def test_versions_whose_lines_moved_have_equal_call_paths_where_matching_is_exact() -> None:
    found = difference(called_in(7), called_in(9), exact=True)
    assert not found.exclusive("wall_time").any()
    assert [path.line for path in mean(called_in(7), called_in(9), exact=True).call_paths] == [None, 7, None]


def test_what_is_lifted_to_the_caller_of_its_caller_is_called_in_no_line() -> None:
    paths = called_in(7).call_paths
    lined = [paths[0], paths[1], replace(paths[2], line=4)]
    assert [path.line for path in fold(lined, [False, True, False]).call_paths] == [None, 7, None]


def test_what_is_called_in_two_lines_once_one_is_folded_is_called_in_none() -> None:
    main, work, _ = called_in(7).call_paths
    solve = Region("function", "solve", "c.c", "solve", 0, 1, 9)
    paths = [main, work, CallPath(solve, 0, line=5), CallPath(solve, 1, line=4)]
    assert [path.line for path in fold(paths, [False, True, False, False]).call_paths] == [None, 7, None]


def test_of_versions_of_which_one_knows_a_line_that_is_kept() -> None:
    for operands in ((called_in(None), called_in(7)), (called_in(7), called_in(None))):
        assert [path.line for path in mean(*operands).call_paths] == [None, 7, None]
