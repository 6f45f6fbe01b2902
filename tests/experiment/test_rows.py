"""Rows of a metric that are read alone equal those of the whole metric, bit for bit."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.analyze.run.foreign_metrics import in_own_names
from autoanalyzer.experiment import Builder, Experiment, load, save
from autoanalyzer.experiment.flat_profile import flat
from autoanalyzer.experiment.folding import folded

DATA = Path(__file__).parents[1] / "data"
LARGE = "autoanalyzer.experiment.experiment._WHOLE"  # if there are more values than this, rows are read alone


def _copies(folder: Path) -> list[Path]:
    summary = folder / "summary.cubex"
    summary.write_bytes(gzip.decompress((DATA / "summary.cubex.gz").read_bytes()))
    files = [summary, DATA / "example.cube", DATA / "trace.cube.gz"]
    for name in ("rays", "hybrid", "profile"):
        files.append(folder / f"{name}.cubex")
        save(load(DATA / f"{name}.cube.gz"), files[-1])
    save(load(summary), folder / "again.cubex")
    return [*files, folder / "again.cubex"]


def test_blocks_and_rows_are_those_of_the_whole_metric(tmp_path, monkeypatch):
    monkeypatch.setattr(LARGE, 0)
    monkeypatch.setattr("autoanalyzer.experiment.experiment._BLOCK", 100)
    for file in _copies(tmp_path):
        by_rows, whole = load(file), load(file)
        some = np.random.default_rng(1).permutation(len(whole.call_paths))[:5]
        for metric in whole.metrics:
            expected = whole.exclusive(metric.name)
            parts = [*by_rows.blocks(metric.name)]
            assert np.concatenate([rows for rows, _ in parts]).tolist() == [*range(len(expected))]
            assert np.concatenate([values for _, values in parts]).tobytes() == expected.tobytes()
            assert by_rows.rows(metric.name, some).tobytes() == expected[some].tobytes()


def test_a_walk_reads_a_metric_once_where_its_rows_cannot_be_read_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(LARGE, 0)
    monkeypatch.setattr("autoanalyzer.experiment.experiment._BLOCK", 4)
    monkeypatch.setattr("autoanalyzer.experiment.severities._OF_ALL._limit", 0)  # nothing is cached
    for backwards in (False, True):
        experiment = load(DATA / "rays.cube.gz")
        read, reads = experiment._severities._read, []
        experiment._severities._read = lambda name, read=read, reads=reads: (reads.append(name), read(name))[1]
        assert len([*experiment.blocks("wall_time", backwards=backwards)]) == 35
        assert reads == ["wall_time"]


def test_a_metric_of_which_rows_are_read_is_not_kept_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(LARGE, 0)
    file = tmp_path / "rays.cubex"
    save(load(DATA / "rays.cube.gz"), file)
    experiment = load(file)
    monkeypatch.setattr(
        "autoanalyzer.experiment.cube.cubex_reader._Values._stored", lambda *_: pytest.fail("was read whole")
    )
    assert experiment.rows("wall_time", np.array([0])).shape == (1, 4)


def test_broken_rows_are_refused_as_those_of_the_whole_metric_are(tmp_path, monkeypatch):
    monkeypatch.setattr(LARGE, 0)
    file = tmp_path / "rays.cubex"
    save(load(DATA / "rays.cube.gz"), file)
    text = file.read_bytes()
    at = text.index(b"ZCUBEX.DATA") + 1000
    file.write_bytes(text[:at] + bytes(200) + text[at + 200 :])
    said = []
    for read in (lambda each, name: each.exclusive(name), lambda each, name: [*each.blocks(name)]):
        experiment, refused = load(file), {}
        for metric in experiment.metrics:
            try:
                read(experiment, metric.name)
            except Exception as error:
                refused[metric.name] = str(error)
        said.append(refused)
    assert said[0]
    assert said[0] == said[1]


def _wide(paths: int, ranks: int) -> Experiment:
    made = Builder()
    made.metric("wall_time", "sec")
    for rank in range(ranks):
        made.location(rank)
    for path in range(paths):
        made.call_path(f"f{path}", None if path == 0 else 0)
    return made.experiment().replaced(
        severities={"wall_time": np.random.default_rng(1).random((paths, ranks))},
    )


@pytest.mark.long
@pytest.mark.nightly
def test_sums_of_a_large_file_take_a_small_part_of_its_memory(tmp_path):
    file = tmp_path / "wide.cubex"
    save(_wide(300, 100_000), file)  # 240 MB of values
    script = (
        "import resource, sys; from pathlib import Path; from autoanalyzer.experiment import load;"
        "from autoanalyzer.view.browser import Sums; import numpy as np;"
        f"e = load(Path({str(file)!r})); before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        "Sums(e).by_path('wall_time'); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert int(done.stdout) * 1024 < 100e6


def test_parts_of_the_locations_are_those_of_the_whole_metric(tmp_path, monkeypatch):
    monkeypatch.setattr(LARGE, 0)
    for file in _copies(tmp_path):
        in_parts, whole = load(file), load(file)
        end = len(whole.locations)
        for metric in whole.metrics:
            expected = whole.exclusive(metric.name)
            for first, last in [(0, 1), (end // 2, end), (0, end), (end // 3, end // 2)]:
                part = in_parts.of_locations(slice(first, last))
                assert part.locations == whole.locations[first:last]
                assert part.exclusive(metric.name).tobytes() == expected[:, first:last].tobytes()


def _refused(*_: object) -> None:
    pytest.fail("was read whole")


def test_parts_of_what_is_made_of_an_experiment_are_read_without_the_others(tmp_path, monkeypatch):
    """This includes other tools' times, which are stored inclusively."""
    monkeypatch.setattr(LARGE, 0)
    monkeypatch.setattr("autoanalyzer.experiment.experiment._BLOCK", 10)
    _copies(tmp_path)
    for file in [tmp_path / "summary.cubex", tmp_path / "hybrid.cubex"]:
        read = load(file)
        leaves = np.array([not read.children[path] for path in range(len(read.call_paths))])
        for make in (flat, in_own_names, lambda each, leaves=leaves: folded(each, leaves)):
            whole = make(load(file))
            expected = {each.name: whole.exclusive(each.name) for each in whole.metrics}
            in_parts = make(load(file))
            with monkeypatch.context() as patch:
                patch.setattr("autoanalyzer.experiment.cube.cubex_reader._Values._stored", _refused)
                blocks = in_parts.location_blocks()
                assert len(blocks) > 1
                for columns in blocks[:: len(blocks) // 2]:
                    part = in_parts.of_locations(columns)
                    for name, values in expected.items():
                        assert part.exclusive(name).tobytes() == values[:, columns].tobytes(), name


def test_what_cannot_be_read_in_parts_is_one_block(monkeypatch):
    """Otherwise, everything would be read again for each block."""
    monkeypatch.setattr("autoanalyzer.experiment.experiment._BLOCK", 100)
    for experiment in [load(DATA / "rays.cube.gz"), flat(load(DATA / "rays.cube.gz"))]:
        assert experiment.location_blocks() == [slice(0, 4)]


@pytest.mark.parametrize("values", ["alike", "different"])
def test_packed_rows_are_unpacked_part_by_part(values, tmp_path, monkeypatch):
    monkeypatch.setattr(LARGE, 0)
    made = Builder()
    made.metric("time")
    made.call_path("main")
    for rank in range(50_000):
        made.location(rank)
    row = np.random.default_rng(3).random(50_000) if values == "different" else np.full(50_000, 0.1)
    made.row("time", 0, row)
    save(made.experiment(), tmp_path / "e.cubex")
    read, parts = load(tmp_path / "e.cubex"), []
    for first in range(0, 50_000, 777):
        part = read.of_locations(slice(first, min(first + 777, 50_000)))
        parts.append(part.exclusive("time")[0])
    assert np.concatenate(parts).tobytes() == row.tobytes()
    assert read.of_locations(slice(5, 9)).exclusive("time")[0].tolist() == row[5:9].tolist()


def test_blocks_of_locations_hold_whole_processes(monkeypatch):
    made = Builder()
    made.metric("time")
    made.call_path("main")
    for rank, threads in enumerate([3, 1, 4, 1, 5]):
        for thread in range(threads):
            made.location(rank, thread)
    experiment = made.experiment()
    for size, wanted in [(100, [14]), (4, [4, 4, 1, 5]), (1, [3, 1, 4, 1, 5])]:
        monkeypatch.setattr("autoanalyzer.experiment.experiment._BLOCK", size)
        blocks = experiment.location_blocks()
        assert [each.stop - each.start for each in blocks] == wanted, size
        assert [column for each in blocks for column in range(each.start, each.stop)] == [*range(14)]
