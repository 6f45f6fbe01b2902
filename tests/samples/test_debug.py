"""Two rounds, from functions only to the line of the planted loop."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from autoanalyzer.experiment import load
from autoanalyzer.experiment.plan import load_plan

from ..conftest import run
from .conftest import LAUNCH, copied

pytestmark = pytest.mark.long

# Sample → its size, the file with the planted loop, a text in it, and the offset of the loop's first line from this
# text.
PLANTED = {
    "spectra": ("600", "analyse_anew.c", "real += tapered", -1),
    "gas": ("", "pressures_scan.cpp", "while (entry + 2", 0),
    "st": ("", "ramod3_strided.f", "DO 108 I = I1", 0),
}


def debug(sample: Path, *words: str, build: str = "make -j2") -> tuple[str, str]:
    """Run the command in a sample's folder; return its output and its messages."""
    done = run(["autoanalyzer", "debug", "--build", build, "-o", "out", *words], sample)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode(), done.stderr.decode()


def place(sample: Path, name: str) -> str:
    _, file, text, offset = PLANTED[name]
    lines = (sample / file).read_text().splitlines()
    (number,) = (number for number, line in enumerate(lines, 1) if text in line)
    return f"{file}:{number + offset}"


def found(sample: Path) -> set[str]:
    """Return the places that the findings name."""
    document = json.loads((sample / "findings.json").read_text())
    culprits = [*document["dissimilarity"]["cccr"], *document["disparity"]["cccr"]]
    return {f"{each['file']}:{each['line']}" for each in culprits}


@pytest.mark.nightly
def test_the_first_round_knows_functions_refine_opens_one_and_the_second_round_ends_at_the_planted_loop(
    tmp_path: Path,
) -> None:
    sample = copied("spectra", tmp_path)
    printed, said = debug(sample, "--json", "findings.json", "--", *LAUNCH, "./spectra", PLANTED["spectra"][0])
    assert printed == 2 * "spectra: 600 windows, 24 of 24 waves counted right\n"
    assert re.search(r"^autoanalyzer: opened +analyse_anew.c:5 +analyse: loops$", said, re.M)
    plan = load_plan(sample / "out" / "first" / "plan.toml")
    assert plan.modes == ()
    assert "analyse" in {rule.pattern.function for rule in plan.include if rule.modes}
    assert place(sample, "spectra") in found(sample)
    first = load(sample / "out" / "first" / "experiment.cube")
    kinds = {path.region.name: path.region.kind for path in first.call_paths}
    assert kinds["analyse"] == "function"
    assert "loop" not in kinds.values()
    done = run(["autoanalyzer", "debug", "--plan-only", "out/first", "-o", "plan.toml"], sample)
    *opened, last = done.stdout.decode().splitlines()
    assert "opened   analyse_anew.c:5   analyse: loops" in opened
    assert last == f"plan plan.toml: AUTOANALYZER_PLAN={sample / 'plan.toml'} make CC=aa-mpicc"


@pytest.mark.measured
@pytest.mark.parametrize("name", PLANTED)
def test_debug_ends_at_the_planted_loop(name: str, tmp_path: Path) -> None:
    sample = copied(name, tmp_path)
    debug(sample, "--json", "findings.json", "--", *LAUNCH, f"./{name}")
    assert place(sample, name) in found(sample)
