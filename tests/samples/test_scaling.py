"""The sample scaling: planted faults are found, with counts that agree with theory."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ..conftest import run
from .conftest import SCRIPTS, copied

# By day, `scale` runs a smaller series, and judges recorded ones.
pytestmark = [pytest.mark.long, pytest.mark.nightly]

RANKS = (1, 2, 4)
# In Fortran, MPI calls add counted instructions, less than 0.5 % of this work.
UNITS = {"scaling.c": 40_000_000, "scaling.f90": 200_000_000}


@pytest.fixture(scope="module", params=["scaling.c", "scaling.f90"])
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """Run with 1 and 2 ranks, then with the remaining numbers of ranks; judge the three runs."""
    folder = copied("scaling", tmp_path_factory.mktemp("scaling"))
    env = {**os.environ, "AUTOANALYZER_CC": "mpicc.openmpi", "AUTOANALYZER_FC": "mpifort.openmpi"}
    compilers = (f"CC={SCRIPTS / 'aa-mpicc'}", f"FC={SCRIPTS / 'aa-mpifort'}")
    subprocess.run(["make", "-s", f"SOURCE={request.param}", *compilers], cwd=folder, env=env, check=True)
    for ranks in (RANKS[:-1], RANKS):
        options = ("-o", "study", "--ranks", ",".join(map(str, ranks)), "--counters", "simulated")
        command = ("mpirun.openmpi", "--oversubscribe", "-n", "{ranks}", "./scaling", str(UNITS[request.param]))
        done = run(("autoanalyzer", "scale", *options, "--json", "scale.json", "--", *command), folder)
        assert done.returncode == 0, done.stderr.decode()
    lines = [line for line in done.stderr.decode().splitlines() if ": run " in line]
    assert [line.rpartition(": ")[2] for line in lines] == [
        "already in study/ranks-1",
        "already in study/ranks-2",
        "4 ranks",
    ]
    assert len(done.stdout.splitlines()) == 1
    return folder / request.param, json.loads((folder / "scale.json").read_text())


def line_of(source: Path, function: str) -> int:
    """Return the line of the loop in a function of the sample."""
    lines = source.read_text().splitlines()
    start = next(
        number for number, line in enumerate(lines) if re.match(rf".*(uint64_t|subroutine) {function}\(", line)
    )
    return next(number for number in range(start, len(lines)) if re.match(r" *(for|do) ", lines[number])) + 1


def work(ranks: int) -> float:
    """Return the instructions of all ranks in units of those in relax, according to the sample's page."""
    return 1 + 0.1 + 0.05 + 0.05 * ranks + 0.0125 * ranks**2


def test_the_factor_of_instructions_is_that_of_theory(found: tuple[Path, Any]) -> None:
    _, document = found
    assert (document["ranks"], document["mode"], document["mode_by"]) == ([*RANKS], "strong", "instructions")
    expected = [work(1) / work(ranks) for ranks in RANKS]
    assert document["factors"]["instructions"] == pytest.approx(expected, rel=0.005)
    held_out, *_ = (each for each in document["predictions"] if each["metric"] == "instructions")
    assert held_out["predicted"] == pytest.approx(held_out["measured"], rel=0.005)


def test_each_cause_is_named_with_its_line_and_losses_add_up(found: tuple[Path, Any]) -> None:
    source, document = found
    positive = [each for each in document["losses"] if each["rank_seconds"] > 0]
    by_function = {each["function"].rpartition(":")[2]: each for each in positive}
    tables, search = by_function["tables"], by_function["search"]
    assert (tables["kind"], tables["by_counts"], tables["line"]) == ("replicated", True, line_of(source, "tables"))
    assert (search["kind"], search["by_counts"], search["line"]) == ("grows", True, line_of(source, "search"))
    assert by_function["sweep"]["kind"] == "one_after_another"
    assert by_function["collect"]["kind"] in ("imbalance", "one_after_another", "late")
    assert sum(each["rank_seconds"] for each in document["losses"]) == pytest.approx(document["lost"]["rank_seconds"])
