"""One verdict: terminal, document, page and the suggestion of ``stats`` show the same findings in the same order."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.analyze import Findings, analyze
from autoanalyzer.cli.proposed_region import ProposedRegion
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region, load
from autoanalyzer.view.findings_json import findings_document
from autoanalyzer.view.page import Subject, page_html, page_of
from autoanalyzer.view.verdict import entries, verdict_lines

FOREIGN = Path(__file__).parents[1] / "data" / "foreign"
FILES = ("hpctoolkit", "lulesh.cali", "otf2/traces.otf2", "rays.cali", "ring.mpiP", "stencil.gprof.txt", "tau")
KEPT = ("rays", "rays_dynamic", "hybrid", "profile", "trace", "summary")
SEEDS = range(30)
COUNTED = ("instructions", "ref_cycles", "l1_accesses", "l1_misses", "mpi_time", "mpi_bytes", "mpi_calls")


def made(seed: int) -> Experiment:
    """Return a random program: some loops differ between ranks, some have misses, and some send many small messages."""
    random = np.random.default_rng(seed)
    loops, ranks = int(random.integers(2, 9)), int(random.integers(1, 7))
    regions = [Region("function", "main", "app.c", "main", 0, 1, 9)]
    regions += [Region("loop", f"loop@{n}", "work.c", f"work{n % 3}", n, n, n) for n in range(1, loops + 1)]
    uneven = random.random((loops + 1, ranks)) * (random.random((loops + 1, 1)) < 0.3)
    times = random.exponential(0.3, (loops + 1, 1)) * (1 + uneven)
    counts = {
        "instructions": 1e9 * times * random.uniform(0.2, 3, (loops + 1, 1)),
        "ref_cycles": 2e9 * times,
        "l1_accesses": 3e8 * times,
        "l1_misses": 3e8 * times * random.random((loops + 1, 1)) * (random.random((loops + 1, 1)) < 0.4),
        "mpi_time": times * random.random((loops + 1, 1)) * (random.random((loops + 1, 1)) < 0.3),
    }
    counts["mpi_calls"] = 1e5 * counts["mpi_time"]
    counts["mpi_bytes"] = 1e4 * counts["mpi_calls"] * random.random((loops + 1, 1))
    own = {"wall_time": times + counts["mpi_time"], "cpu_time": times, "mpi_cpu_time": np.zeros_like(times)}
    units = {"mpi_time": "sec", "mpi_bytes": "bytes"}
    return Experiment(
        metrics=[
            *(Metric(name, "sec") for name in own),
            *(Metric(name, units.get(name, "occ"), "wall_time" if name == "mpi_time" else None) for name in COUNTED),
        ],
        call_paths=[CallPath(regions[0]), *(CallPath(each, 0) for each in regions[1:])],
        locations=[Location("m", "n", rank) for rank in range(ranks)],
        severities=own | counts,
        notes=Notes(program="app", processors=int(random.choice([2, 8]))),
    )


def agree(findings: Findings, file: Path) -> None:
    """Check that all views show the findings of the verdict in its order."""
    verdict = findings.verdict
    places = [(each.kind, each.region.id if each.region else None) for each in verdict.findings]
    document = findings_document(findings, file)
    assert [(each["kind"], each["call_path"]) for each in document["findings"]] == places
    said = entries(findings)
    titles = [f"{number} {each.kind}" for number, each in enumerate(said, start=1)]
    whole = [line for line in verdict_lines(findings, file, everything=True) if re.match("[0-9]+ [A-Z]", line)]
    assert [line[: len(title)] for line, title in zip(whole, titles, strict=True)] == titles
    assert all(each.place in line for each, line in zip(said, whole, strict=True))
    short = verdict_lines(findings, file)
    shown = [line for line in short if re.match("[0-9]+ [A-Z]", line)]
    assert shown[:-1] == whole[: max(len(shown) - 1, 0)]  # the last one may be a later one with most of the path
    assert shown[-1:] == [line for line in whole if line in shown][-1:]
    assert bool(shown) == bool(whole)
    assert len(short) <= 15
    assert max(map(len, short)) <= 100
    assert document["verdict"] == short
    html = page_html(page_of(Subject(findings.experiment, file, findings), folders=None)).decode()
    badges = re.findall(r'<a href="#n=([0-9]+)"><span class="kind [^"]*">([^<]+)</span>', html)
    assert [f"{number} {kind}" for number, kind in badges] == titles
    options = argparse.Namespace(
        experiment=file, analysis="kmeans", exclude_rank=[], sample=[], grid=None, metrics=None, derive=[], by=None
    )
    proposed = ProposedRegion.of(findings.experiment, options)
    if proposed is not None:
        first = document["findings"][0]
        assert first["call_path"] == verdict.findings[0].region.id
        assert str(first["line"]) in proposed.region or first["name"].strip("()").endswith(proposed.region)


@pytest.mark.parametrize("seed", SEEDS)
def test_all_views_show_the_same_findings(seed: int) -> None:
    agree(analyze(made(seed)), Path("app.cube"))


@pytest.mark.parametrize("name", KEPT)
def test_all_views_show_the_same_findings_of_a_run(name: str, experiments: dict[str, Experiment]) -> None:
    agree(analyze(experiments[name]), Path(f"{name}.cube"))


@pytest.mark.parametrize("name", FILES)
def test_all_views_show_the_same_findings_of_a_file_of_another_tool(name: str) -> None:
    agree(analyze(load(FOREIGN / name)), FOREIGN / name)
