"""Differences of real runs: an improved program (paper 002, section 5.1), and two versions of one source."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment import Experiment, load
from autoanalyzer.experiment.aggregate import totals

from ..conftest import run
from .conftest import LAUNCH, SCRIPTS, copied

pytestmark = pytest.mark.long

SIZE = ("120", "30")


def measured(folder: Path, edit: Callable[[Path], None] = lambda _: None, *variables: str) -> Path:
    """Build rays, edited, in a folder of its own, run it, and give its experiment's file."""
    sample = copied("rays", folder)
    edit(sample)
    subprocess.run(["make", "-s", f"CC={SCRIPTS / 'aa-mpicc'}", *variables], cwd=sample, check=True)
    command = ["autoanalyzer", "run", "--no-analyze", "-o", "out", "--", *LAUNCH, "./rays", *SIZE]
    run(command, sample).check_returncode()
    return sample / "out"


def diff(before: Path, after: Path, *options: str) -> tuple[Experiment, str]:
    """Run the command, and give what it wrote and printed."""
    output = before.parent / "difference.cube"
    done = run(["autoanalyzer", "diff", before, after, "-o", output, *options], before)
    assert done.returncode == 0, done.stderr.decode()
    return load(output), done.stdout.decode()


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return measured(tmp_path_factory.mktemp("before"))


@pytest.fixture(scope="module")
def dynamic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return measured(tmp_path_factory.mktemp("dynamic"), lambda _: None, "SCHEDULE=dynamic")


def _edit(sample: Path) -> None:
    """Insert lines into two functions, and a loop before the one that traces rays."""
    survey = sample / "survey.c"
    survey.write_text(
        "/* The velocity model,\n   and the line of shots. */\n"
        + survey.read_text().replace("    free(rough);\n", "    /* No longer\n       needed: */\n    free(rough);\n")
    )
    propagate = sample / "propagate.c"
    loop = "    double ends = 0;\n    for (int end = 1; end < rays; end++) {\n        ends += 1.0 / end;\n    }\n"
    text = propagate.read_text().replace("    double total = 0;\n", f"    double total = 0;\n{loop}")
    propagate.write_text(text.replace("return total / rays;", "return ends < 0 ? ends : total / rays;"))


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return measured(tmp_path_factory.mktemp("after"), _edit)


def test_the_totals_of_a_difference_agree_with_the_two_runs(before: Path, dynamic: Path) -> None:
    result, _ = diff(before, dynamic)
    result.check()
    one, other = load(before / "experiment.cube"), load(dynamic / "experiment.cube")
    for metric in result.metrics:
        wanted = one.exclusive(metric.name).sum() - other.exclusive(metric.name).sum()
        scale = abs(one.exclusive(metric.name)).sum() + abs(other.exclusive(metric.name)).sum()
        assert result.exclusive(metric.name).sum() == pytest.approx(wanted, rel=0, abs=1e-12 * scale + 1e-300)


def test_what_migrates_is_a_gain_of_one_call_path_and_a_loss_of_another(before: Path, dynamic: Path) -> None:
    result, printed = diff(before, dynamic)
    moved = totals(result, "mpi_bytes")
    assert moved.sum() == 0
    assert moved.min() < 0 < moved.max()
    assert totals(result, "mpi_calls").sum() < 0
    assert result.notes.history == (f"difference({before}, {dynamic})",)
    assert "gain" in printed


def test_unchanged_regions_of_two_versions_match_and_the_new_loop_stands_alone(before: Path, after: Path) -> None:
    result, printed = diff(before, after)
    visits = result.exclusive("visits")
    (new,) = np.flatnonzero(visits.any(axis=1))
    region = result.call_paths[new].region
    assert (region.kind, region.function) == ("loop", "propagate")
    assert (visits[new] <= 0).all()
    assert visits[new].sum() == -int(SIZE[0])
    assert len(result.call_paths) == len(load(before / "experiment.cube").call_paths) + 1
    (remark,) = (each for each in result.notes.remarks if "similarity" in each)
    assert "in propagate (propagate.c:32)" in remark
    assert remark in printed


def test_exact_matching_of_the_two_versions_takes_the_new_loop_for_the_old_one(before: Path, after: Path) -> None:
    result, printed = diff(before, after, "--exact")
    assert "similarity" not in printed
    (new,) = np.flatnonzero(result.exclusive("visits").any(axis=1))
    assert result.call_paths[new].region.ordinal == 1
