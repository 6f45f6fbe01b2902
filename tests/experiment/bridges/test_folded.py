"""Folded stacks, as for flame graphs: one line per stack with its number of samples."""

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import load


def test_stacks_are_call_paths_and_numbers_are_samples(tmp_path, values):
    (tmp_path / "a").write_text("ring;main;step;relax 60\nring;main;step 20\nring;main;write it 20\n")
    experiment = load(tmp_path / "a")
    assert values(experiment, "samples") == {
        "ring": [0], "ring/main": [0], "ring/main/step": [20], "ring/main/step/relax": [60], "ring/main/write it": [20]
    }  # fmt: skip
    assert experiment.notes.samples == {"samples": 1.0}
    findings = analyze(experiment)
    assert findings.run.program_time == 100
    assert findings.experiment.metric("wall_time").unit == "samples"


def test_processes_and_threads_are_told_apart_where_their_numbers_are_there(tmp_path, values):
    lines = ["ring-7/7;main 3", "ring-7/9;start 2", "ring-?/8;main 5", "other-1;main 1"]
    (tmp_path / "a").write_text("\n".join(lines) + "\n")
    experiment = load(tmp_path / "a")
    assert [(each.process, each.thread) for each in experiment.locations] == [(0, 0), (1, 0), (1, 1), (2, 0)]
    assert values(experiment, "samples")["ring/main"] == [0, 3, 0, 5]


def test_what_is_below_mpi_is_mpi(tmp_path):
    (tmp_path / "a").write_text("ring;main;MPI_Send;poll 60\nring;main;step 40\n")
    assert analyze(load(tmp_path / "a")).experiment.exclusive("mpi_time").sum() == 60


def test_a_line_longer_than_what_a_kind_is_recognised_by_is_read(tmp_path):
    (tmp_path / "a").write_text(";".join(f"function{number}" for number in range(500)) + " 7\n")
    assert load(tmp_path / "a").exclusive("samples").sum() == 7


def test_a_line_without_a_number_is_refused_by_its_number(tmp_path):
    (tmp_path / "a").write_text("a;b 1\n" * 2000 + "a;b\n")
    with pytest.raises(InputError, match="line 2001: expected a stack and its sample count, found 'a;b'"):
        load(tmp_path / "a")


@pytest.mark.parametrize("text", ["a;b;c\n1;2;3\n", "name 5\nother 6\n", "for (;;) {\n", "<a>;b 1\n"])
def test_other_texts_are_no_stacks(text, tmp_path):
    (tmp_path / "a").write_text(text)
    with pytest.raises(InputError, match=r"expected (an experiment|CUBE 3 XML)"):
        load(tmp_path / "a")


def test_samples_of_idle_cores_are_of_no_program(tmp_path, values):
    (tmp_path / "a").write_text("swapper;poll_idle 30\napp;solve 10\n")
    experiment = load(tmp_path / "a")
    assert values(experiment, "samples") == {"app": [0], "app/solve": [10]}
    assert "folded stacks: 30 samples of idle cores (swapper) are left out" in experiment.notes.remarks
