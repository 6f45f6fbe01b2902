"""The tool finds the planted faults of the samples, and reports nothing else.

Differences of their runs: an improved program (paper 002, section 5.1), and two versions of one source.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment import Experiment, load
from autoanalyzer.experiment.aggregate import totals

from .conftest import LAUNCH, SCRIPTS, Sample, apart

pytestmark = pytest.mark.long

# Sample → arguments for half of the default work, and for little work.
SIZES = {"rays": (("400", "500"), ("200", "250")), "heat": (("840", "1200", "250"), ("84", "120", "25"))}


def run(name: str, folder: Path, quick: bool, *variables: str) -> Sample:
    return Sample(name, folder, *variables, size=SIZES[name][quick])


@pytest.fixture(scope="module")
def rays(tmp_path_factory: pytest.TempPathFactory, quick: bool) -> Sample:
    return run("rays", tmp_path_factory.mktemp("static"), quick)


@pytest.fixture(scope="module")
def dynamic_rays(tmp_path_factory: pytest.TempPathFactory, quick: bool) -> Sample:
    return run("rays", tmp_path_factory.mktemp("dynamic"), quick, "SCHEDULE=dynamic")


@pytest.fixture(scope="module")
def heat(tmp_path_factory: pytest.TempPathFactory, quick: bool) -> Sample:
    return run("heat", tmp_path_factory.mktemp("plain"), quick)


@pytest.fixture(scope="module")
def overlapping_heat(tmp_path_factory: pytest.TempPathFactory, quick: bool) -> Sample:
    return run("heat", tmp_path_factory.mktemp("overlap"), quick, "OVERLAP=1")


def test_the_static_schedule_of_rays_parts_all_ranks(rays: Sample) -> None:
    assert apart(rays.dissimilarity(), {0}, {1}, {2}, {3})


@pytest.mark.measured
def test_the_static_schedule_of_rays_makes_every_rank_a_cluster_of_its_own(rays: Sample) -> None:
    assert rays.dissimilarity()["clusters"] == [[0], [1], [2], [3]]
    assert rays.dissimilarity("--exclude-rank", "0")["clusters"] == [[1], [2], [3]]


@pytest.mark.parametrize("options", [(), ("--exclude-rank", "0")], ids=["with the master", "without the master"])
def test_the_loop_over_the_rays_is_the_culprit_of_the_imbalance(rays: Sample, options: tuple[str, ...]) -> None:
    line = rays.line_of("propagate.c", "ray < rays")
    culprits = {(Path(each["file"]).name, each["line"]): each for each in rays.dissimilarity(*options)["cccr"]}
    culprit = culprits["propagate.c", line]
    assert (culprit["kind"], culprit["function"]) == ("loop", "propagate")
    assert "/work/" in culprit["path"]


@pytest.mark.measured
def test_smoothing_and_writing_are_no_reason_why_the_workers_of_rays_differ(rays: Sample) -> None:
    functions = {region["function"] for region in rays.dissimilarity("--exclude-rank", "0")["ccr"]}
    assert functions == {"follow", "work", "propagate"}


def test_the_dynamic_schedule_brings_the_workers_of_rays_nearer(rays: Sample, dynamic_rays: Sample) -> None:
    static, dynamic = (each.dissimilarity("--exclude-rank", "0")["severity"] for each in (rays, dynamic_rays))
    assert dynamic < static


@pytest.mark.measured
def test_the_dynamic_schedule_makes_the_workers_of_rays_alike(dynamic_rays: Sample) -> None:
    found = dynamic_rays.dissimilarity("--exclude-rank", "0")
    assert (found["clusters"], found["ccr"], found["cccr"]) == ([[1, 2, 3]], [], [])


def test_rays_prints_the_same_untouched_and_under_the_tool_with_either_schedule(
    rays: Sample, dynamic_rays: Sample
) -> None:
    assert rays.printed == dynamic_rays.printed == rays.printed_untouched()


@pytest.mark.measured
def test_heat_is_one_cluster(heat: Sample) -> None:
    found = heat.dissimilarity()
    assert (found["clusters"], found["ccr"], found["cccr"]) == ([[0, 1, 2, 3]], [], [])


@pytest.mark.measured
def test_heat_that_overlaps_is_one_cluster(overlapping_heat: Sample) -> None:
    assert overlapping_heat.dissimilarity()["clusters"] == [[0, 1, 2, 3]]


@pytest.mark.nightly
def test_heat_prints_the_same_untouched_and_under_the_tool_overlapping_or_not(
    heat: Sample, overlapping_heat: Sample
) -> None:
    assert heat.printed == overlapping_heat.printed == heat.printed_untouched()


@pytest.mark.parametrize(
    ("sample", "arguments"), [("rays", ["2"]), ("heat", ["one"])], ids=["fewer shots than workers", "no number"]
)
@pytest.mark.nightly  # tests the samples' own error messages
def test_bad_arguments_are_one_line_and_exit_status_2(
    sample: str, arguments: list[str], request: pytest.FixtureRequest
) -> None:
    built: Sample = request.getfixturevalue(sample)
    built.build(built.untouched)
    command = [*LAUNCH, f"./{sample}", *arguments]
    done = subprocess.run(command, cwd=built.folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert sum(sample in line for line in done.stderr.splitlines()) == 1


def diff(before: Sample, after: Sample, *options: str) -> tuple[Experiment, str]:
    """Run the command; return the difference that it wrote, and its output."""
    runs = before.folder / "out", after.folder / "out"
    printed = before.output(SCRIPTS / "autoanalyzer", "diff", *runs, "-o", "difference.cube", *options)
    return load(before.folder / "difference.cube"), printed


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
def edited_rays(tmp_path_factory: pytest.TempPathFactory, quick: bool) -> Sample:
    return Sample("rays", tmp_path_factory.mktemp("edited"), size=SIZES["rays"][quick], edit=_edit)


def test_the_totals_of_a_difference_agree_with_the_two_runs(rays: Sample, dynamic_rays: Sample) -> None:
    result, _ = diff(rays, dynamic_rays)
    result.check()
    one, other = rays.experiment(), dynamic_rays.experiment()
    for metric in result.metrics:
        wanted = one.exclusive(metric.name).sum() - other.exclusive(metric.name).sum()
        scale = abs(one.exclusive(metric.name)).sum() + abs(other.exclusive(metric.name)).sum()
        assert result.exclusive(metric.name).sum() == pytest.approx(wanted, rel=0, abs=1e-12 * scale + 1e-300)


def test_what_migrates_is_a_gain_of_one_call_path_and_a_loss_of_another(rays: Sample, dynamic_rays: Sample) -> None:
    result, printed = diff(rays, dynamic_rays)
    moved = totals(result, "mpi_bytes")
    assert moved.sum() == 0
    assert moved.min() < 0 < moved.max()
    assert totals(result, "mpi_calls").sum() < 0
    assert result.notes.history == (f"difference({rays.folder / 'out'}, {dynamic_rays.folder / 'out'})",)
    assert "gain" in printed


def test_unchanged_regions_of_two_versions_match_and_the_new_loop_stands_alone(
    rays: Sample, edited_rays: Sample
) -> None:
    result, printed = diff(rays, edited_rays)
    visits = result.exclusive("visits")
    (new,) = np.flatnonzero(visits.any(axis=1))
    region = result.call_paths[new].region
    assert (region.kind, region.function) == ("loop", "propagate")
    assert (visits[new] <= 0).all()
    assert visits[new].sum() == -int(rays.command[-2])
    assert len(result.call_paths) == len(rays.experiment().call_paths) + 1
    (remark,) = (each for each in result.notes.remarks if "similarity" in each)
    assert "in propagate (propagate.c:32)" in remark
    assert remark in printed


def test_exact_matching_of_the_two_versions_takes_the_new_loop_for_the_old_one(
    rays: Sample, edited_rays: Sample
) -> None:
    result, printed = diff(rays, edited_rays, "--exact")
    assert "similarity" not in printed
    (new,) = np.flatnonzero(result.exclusive("visits").any(axis=1))
    assert result.call_paths[new].region.ordinal == 1
