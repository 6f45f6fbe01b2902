"""The commands diff, merge and mean, on experiments in files."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment import Metric, load, save

from .conftest import refused, succeed


def test_diff_prints_gains_and_losses_and_writes_the_difference(files):
    done = succeed(files("autoanalyzer", "diff", "a.cube", "b.cube", "-o", "d.cube"))
    lines = [line.split() for line in done.stdout.decode().splitlines()]
    assert ["6.2", "s", "5.2", "s", "1", "s", "+16.1", "%", "wall_time"] in lines
    assert ["4", "s", "2", "s", "2", "s", "+32.3", "%", "work", "a.c:10"] in lines
    assert ["2", "s", "3", "s", "-1", "s", "-16.1", "%", "idle", "a.c:20"] in lines
    result = load(files.folder / "d.cube")
    assert result.exclusive("wall_time").tolist() == [[0, 0], [1, 1], [-0.5, -0.5]]
    assert result.notes.history == ("difference(a.cube, b.cube)",)


def _rows(done):
    return [line.split() for line in succeed(done).stdout.decode().splitlines()]


def test_diff_gives_shares_of_the_old_total_of_the_tree_as_figure_2_does(tool, written):
    for name, values, waits in (("a", [1, 3, 0], [0, 2, 0]), ("b", [1, 2, 2], [0, 1, 2])):
        one = load(written(f"{name}.cube", values))
        of_waits = np.repeat(np.array(waits, dtype=float)[:, None], 2, axis=1)
        save(
            one.replaced(
                metrics=[*one.metrics, Metric("mpi_time", "sec", "wall_time")],
                severities={"wall_time": one.exclusive("wall_time"), "mpi_time": of_waits},
            ),
            tool.folder / f"{name}.cube",
        )
    rows = _rows(tool("autoanalyzer", "diff", "a.cube", "b.cube"))
    assert ["8", "s", "10", "s", "-2", "s", "-25.0", "%", "wall_time"] in rows
    assert ["4", "s", "6", "s", "-2", "s", "-25.0", "%", "mpi_time"] in rows
    assert ["6", "s", "4", "s", "2", "s", "+25.0", "%", "work", "a.c:10"] in rows
    assert ["0", "s", "4", "s", "-4", "s", "-50.0", "%", "idle", "a.c:20"] in rows
    by_waits = _rows(tool("autoanalyzer", "diff", "a.cube", "b.cube", "--metric", "mpi_time"))
    assert ["0", "s", "4", "s", "-4", "s", "-50.0", "%", "idle", "a.c:20"] in by_waits


def test_diff_writes_a_large_share_without_digits_and_none_of_nothing(tool, written):
    written("c.cube", [0, 0.001, 0])
    written("d.cube", [0, 0.4, 1])
    written("none.cube", [0, 0, 0])
    assert ["2", "ms", "2.8", "s", "-2.8", "s", "-1.4e5", "%", "wall_time"] in _rows(
        tool("autoanalyzer", "diff", "c.cube", "d.cube")
    )
    assert ["0", "s", "2.8", "s", "-2.8", "s", "wall_time"] in _rows(
        tool("autoanalyzer", "diff", "none.cube", "d.cube")
    )


def test_what_one_side_has_not_measured_is_no_gain(files, written):
    written("counted.cube", [1, 2, 3], metric="instructions", unit="occ")
    succeed(files("autoanalyzer", "merge", "a.cube", "counted.cube", "-o", "both.cube"))
    for words, row in (
        (("both.cube", "b.cube"), ["12", "-", "-", "instructions"]),
        (("b.cube", "both.cube"), ["-", "12", "-", "instructions"]),
    ):
        done = files("autoanalyzer", "diff", *words)
        assert row in _rows(done)
        assert "instructions: not measured in b.cube, so the gain is unknown" in done.stdout.decode()
    line = refused(files("autoanalyzer", "diff", "both.cube", "b.cube", "--metric", "instructions"))
    assert "--metric instructions: not measured in b.cube" in line


def test_regions_are_shown_where_their_values_cancel_out(tool, written):
    written("one.cube", [0, 5, -5])
    written("other.cube", [0, -5, 5])
    rows = _rows(tool("autoanalyzer", "diff", "one.cube", "other.cube"))
    assert ["10", "s", "-10", "s", "20", "s", "work", "a.c:10"] in rows
    assert ["-10", "s", "10", "s", "-20", "s", "idle", "a.c:20"] in rows


def test_of_many_metrics_that_one_side_has_not_measured_the_first_is_named(files, written):
    for number in range(4):
        written(f"counted{number}.cube", [1, 2, 3], metric=f"count{number}", unit="occ")
    counted = [f"counted{number}.cube" for number in range(4)]
    succeed(files("autoanalyzer", "merge", "a.cube", *counted, "-o", "all.cube"))
    said = succeed(files("autoanalyzer", "diff", "all.cube", "b.cube")).stdout.decode()
    assert "\ncount0, count1, count2 and 1 more: not measured in b.cube, so the gain is unknown\n" in said


def test_a_metric_that_is_chosen_is_shown_though_it_is_0_everywhere(tool, written):
    written("nothing.cube", [0, 0, 0])
    said = tool("autoanalyzer", "diff", "nothing.cube", "nothing.cube", "--metric", "wall_time").stdout.decode()
    assert "wall_time of each call path, exclusive, sum over 2 locations: no change" in said


def test_missing_values_of_one_side_are_left_out_of_both_and_counted(files, written):
    written("gap.cube", [0.1, float("nan"), 1])
    done = files("autoanalyzer", "diff", "a.cube", "gap.cube")
    assert ["2.2", "s", "2.2", "s", "0", "s", "+0.0", "%", "wall_time"] in _rows(done)
    assert "wall_time: 2 values not measured in gap.cube were left out of both experiments" in done.stdout.decode()
    written("nothing.cube", [float("nan")] * 3)
    done = files("autoanalyzer", "diff", "a.cube", "nothing.cube")
    assert ["6.2", "s", "-", "-", "wall_time"] in _rows(done)
    assert "wall_time: not measured in nothing.cube, so the gain is unknown" in done.stdout.decode()


def test_diff_says_below_its_table_what_it_shows_and_never_a_negative_nothing(files, written):
    for name in "cd":
        written(f"{name}.cube", [-0.0, 1 if name == "c" else 0, 0], ranks=1, node=name)
    lines = files("autoanalyzer", "diff", "c.cube", "d.cube").stdout.decode().splitlines()
    assert "wall_time of each call path, exclusive, 1 location" in lines
    assert not any("-0" in line for line in lines)


def test_diff_shows_the_name_of_its_file_as_it_shows_all_others(files):
    done = files("autoanalyzer", "diff", "a.cube", "b.cube", "-o", "x\x9b31m.cube")
    assert "data x\ufffd31m.cube" in done.stdout.decode()


def test_diff_without_a_file_only_prints(files):
    before = sorted(files.folder.iterdir())
    assert files("autoanalyzer", "diff", "a.cube", "b.cube").returncode == 0
    assert sorted(files.folder.iterdir()) == before


def test_diff_does_not_take_a_lost_rank_for_a_gain(files, written):
    written("lost.cube", [0.1, 2, 1], ranks=1, missing=(1,))
    said = files("autoanalyzer", "diff", "a.cube", "lost.cube").stdout.decode()
    assert ["3.1", "s", "3.1", "s", "0", "s", "+0.0", "%", "wall_time"] in [line.split() for line in said.splitlines()]
    assert "rank 1 is missing in lost.cube" in said


def test_diff_by_ratio_writes_metrics_of_their_own(files):
    succeed(files("autoanalyzer", "diff", "a.cube", "b.cube", "--ratio", "-o", "r.cube"))
    assert load(files.folder / "r.cube").exclusive("wall_time.ratio")[:, 0].tolist() == [1, 2, 1 / 1.5]


@pytest.mark.parametrize(
    ("statistic", "work"), [("mean", 1.5), ("min", 1), ("max", 2), ("sum", 3), ("stddev", 0.5**0.5)]
)
def test_mean_takes_another_statistic_if_asked_to(files, statistic, work):
    done = succeed(files("autoanalyzer", "mean", "a.cube", "b.cube", "-o", "m.cube", "--statistic", statistic))
    result = load(files.folder / "m.cube")
    (metric,) = result.metrics
    assert result.exclusive(metric.name)[1, 0] == pytest.approx(work)
    assert result.notes.history == (f"{statistic}(a.cube, b.cube)",)
    assert f"{statistic}(a.cube, b.cube): 1 metric, 3 call paths, 2 locations" in done.stdout.decode()


def test_operations_on_files_are_composed_and_remember_their_steps(files):
    files("autoanalyzer", "mean", "a.cube", "a.cube", "-o", "m.cube.gz")
    files("autoanalyzer", "diff", "m.cube.gz", "b.cube", "-o", "d.cube")
    assert load(files.folder / "d.cube").notes.history == (
        "m.cube.gz = mean(a.cube, a.cube)", "difference(m.cube.gz, b.cube)"
    )  # fmt: skip


def test_merge_joins_metrics_and_an_operand_may_be_replaced(files, written):
    written("c.cube", [7, 8, 9], metric="cycles_time")
    succeed(files("autoanalyzer", "merge", "a.cube", "c.cube", "-o", "a.cube"))
    result = load(files.folder / "a.cube")
    assert [metric.name for metric in result.metrics] == ["wall_time", "cycles_time"]
    assert result.exclusive("wall_time")[1, 0] == 2
    assert result.exclusive("cycles_time")[1, 0] == 8


def test_the_system_is_collapsed_or_copied_as_asked_for(files, written):
    written("other.cube", [0.1, 1, 1], ranks=3, node="x")
    for words, nodes in (
        ((), {"node"}),
        (("--system", "1"), {"n0", "n1", "x2"}),
        (("--system", "2"), {"x0", "x1", "x2"}),
    ):
        succeed(files("autoanalyzer", "mean", "a.cube", "other.cube", "-o", "m.cube", *words))
        assert {place.node for place in load(files.folder / "m.cube").locations} == nodes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("diff", "a.cube", "none.cube"), "none.cube: cannot be read"),
        (("diff", "a.cube", "b.cube", "-o", "d.txt"), "d.txt: expected a name that ends in"),
        (("diff", "a.cube", "b.cube", "--ratio"), "--ratio needs a file to write"),
        (
            ("diff", "a.cube", "b.cube", "--ratio", "-o", "r.cube", "--metric", "visits"),
            "--ratio cannot be combined with --metric",
        ),
        (("diff", "a.cube", "b.cube", "--metric", "x"), "--metric x: no such metric"),
        (("diff", "least.cube", "least.cube", "--metric", "wall_time"), "--metric wall_time: cannot be summed"),
        (("mean", "a.cube", "-o", "m.cube", "--statistic", "stddev"), "stddev: expected at least two experiments"),
        (("mean", "a.cube", "-o", "m.cube", "--system", "2"), "from 1 to 1, found 2"),
        (
            ("mean", "a.cube", "-o", "m.cube", "--system", "first"),
            "--system first: expected auto, collapse or the number",
        ),
        (("merge", "a.cube", "-o", "none/m.cube"), "cannot be written"),
        (("mean", "none.cube", "-o", "none/m.cube"), "none/m.cube: cannot be written"),
        (("diff", "none.cube", "a.cube", "-o", "none/m.cube"), "none/m.cube: cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line_and_nothing_is_left_behind(files, words, message, written):
    written("least.cube", [0.1, 2, 1], dtype="MINDOUBLE")
    before = sorted(files.folder.iterdir())
    assert message in refused(files("autoanalyzer", *words))
    assert sorted(files.folder.iterdir()) == before


@pytest.mark.parametrize(
    "words",
    [("diff", "odd.cube", "odd.cube", "--metric", "x"), ("cut", "odd.cube", "-o", "cut.cube", "--metrics", "x")],
)
def test_names_of_metrics_do_not_reach_a_terminal_raw(files, words, written):
    written("odd.cube", [1, 1, 1], metric="time\x9b31m")
    assert "time\ufffd31m" in refused(files("autoanalyzer", *words))


def test_two_metrics_of_one_name_and_different_units_are_written_and_read_again(files, written):
    written("occ.cube", [7, 8, 9], unit="occ")
    for name in ("m.cube", "m.cube.gz"):
        done = succeed(files("autoanalyzer", "merge", "a.cube", "occ.cube", "-o", name))
        assert "wall_time: unit sec in a.cube, unit occ in occ.cube, so these are different" in done.stdout.decode()
        result = load(files.folder / name)
        assert [(each.name, each.unit) for each in result.metrics] == [("wall_time", "sec"), ("wall_time (occ)", "occ")]
        assert [result.exclusive(each.name)[1, 0] for each in result.metrics] == [2, 8]
    succeed(files("autoanalyzer", "cut", "m.cube", "-o", "cut.cube", "--metrics", "wall_time (occ)"))
    assert load(files.folder / "cut.cube").exclusive("wall_time (occ)")[2, 0] == 9


def test_our_own_metrics_have_the_same_meaning_in_other_words(tool):
    made = load(Path(__file__).parents[1] / "data" / "rays.cube.gz")
    said = {"cpu_time": "CPU time, in other words"}
    other = [replace(each, description=said.get(each.name, each.description)) for each in made.metrics]
    for name, each in (("a.cube", made), ("b.cube", made.replaced(metrics=other))):
        save(each, tool.folder / name)
    assert b"different meanings" not in succeed(tool("autoanalyzer", "diff", "a.cube", "b.cube")).stdout


def test_metrics_of_one_name_that_do_not_mean_the_same_are_told_apart_above_the_gains(tool):
    """Only one tool's time includes idle threads; its ``bytes_sent`` is part of another metric."""
    data = Path(__file__).parents[1] / "data"
    for name in ("profile", "trace"):
        (tool.folder / f"{name}.cube.gz").write_bytes((data / f"{name}.cube.gz").read_bytes())
    said = succeed(tool("autoanalyzer", "diff", "profile.cube.gz", "trace.cube.gz")).stdout.decode().splitlines()
    assert said[0] == (
        "time may have different meanings: in profile.cube.gz Total CPU allocation time; "
        "in trace.cube.gz Total CPU allocation time (includes time allocated for idle threads)"
    )
    assert "bytes_received: not measured in trace.cube.gz, so the gain is unknown" in said
    assert (
        "bytes_sent: at the top level in profile.cube.gz, part of bytes_p2p in trace.cube.gz, "
        "so these are different metrics: bytes_sent, bytes_p2p/bytes_sent"
    ) in said
    assert (
        "execution, mpi, mpi_synchronization and 104 more: "
        "not in profile.cube.gz, so the result contains only values from other experiments"
    ) in said
    assert not any("counted as 0" in line for line in said)
