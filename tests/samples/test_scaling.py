"""The sample scaling: what is planted is found, by counts that agree with theory."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import Sample

pytestmark = pytest.mark.long

RANKS = (1, 2, 4)
UNITS = 10_000_000


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Sample, Any]:
    """Run with 4 ranks, then with 1 and 2, and judge the three runs."""
    options = ("--counters", "simulated", "--path", "always", "--no-calibrate")
    sample = Sample("scaling", tmp_path_factory.mktemp("scaling"), size=(str(UNITS),), options=options)
    launcher, *rest, _, program, size = sample.command
    for ranks in RANKS[:-1]:
        command = (launcher, *rest, str(ranks), program, size)
        sample.output("autoanalyzer", "run", *options, "--no-analyze", "-o", f"out{ranks}", "--", *command)
    sample.output("autoanalyzer", "scale", "out", "out1", "out2", "--json", "scale.json")
    return sample, json.loads((sample.folder / "scale.json").read_text())


def work(ranks: int) -> float:
    """Instructions of all ranks, in units of those of relax; see the sample's page."""
    return 1 + 0.1 + 0.05 + 0.05 * ranks + 0.0125 * ranks**2


def test_the_factor_of_instructions_is_that_of_theory(found: tuple[Sample, Any]) -> None:
    _, document = found
    assert (document["ranks"], document["mode"], document["mode_by"]) == ([*RANKS], "strong", "instructions")
    expected = [work(1) / work(ranks) for ranks in RANKS]
    assert document["factors"]["instructions"] == pytest.approx(expected, rel=0.005)
    held_out, *_ = (each for each in document["predictions"] if each["metric"] == "instructions")
    assert held_out["predicted"] == pytest.approx(held_out["measured"], rel=0.005)


def test_each_cause_is_named_with_its_line_and_losses_add_up(found: tuple[Sample, Any]) -> None:
    sample, document = found
    by_function = {each["function"]: each for each in document["losses"] if each["rank_seconds"] > 0}
    tables, search = by_function["tables"], by_function["search"]
    assert (tables["kind"], tables["by_counts"]) == ("replicated", True)
    assert tables["line"] == sample.line_of("scaling.c", "entry < units")
    assert (search["kind"], search["line"]) == ("grows", sample.line_of("scaling.c", "item < units * size"))
    assert by_function["sweep"]["kind"] == "one_after_another"
    assert by_function["collect"]["kind"] in ("imbalance", "one_after_another", "late")
    assert sum(each["rank_seconds"] for each in document["losses"]) == pytest.approx(document["lost"]["rank_seconds"])
