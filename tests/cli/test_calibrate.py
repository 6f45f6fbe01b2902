"""``autoanalyzer calibrate``: prices of this machine, which later runs store in their notes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from autoanalyzer.experiment import load
from autoanalyzer.runtime.calibration import measuring
from autoanalyzer.runtime.folder import RunFolder

from ..conftest import Done, Tool
from .conftest import refused, succeed
from .test_doctor import MPICH, OPEN_MPI, SLURM, VALGRIND, path_without

SCHEMA = "autoanalyzer.calibration/1"


@pytest.fixture
def own(tool: Tool) -> dict[str, str]:
    """Return the environment with a cache of the test's own, followed by the cache that has built libraries."""
    (tool.folder / "cache").mkdir()
    return {"AUTOANALYZER_CACHE": f"{tool.folder / 'cache'}:{os.environ['AUTOANALYZER_CACHE']}"}


def known(document: dict[str, Any]) -> dict[str, float]:
    """Return the prices that ``calibrate`` found."""
    return {name: value for name, value in document["prices"].items() if value is not None}


@pytest.mark.measured  # the order of the prices depends on the machine and its load
def test_prices_are_ordered(tool: Tool, own: dict[str, str]) -> None:
    prices = known(json.loads(succeed(tool("autoanalyzer", "calibrate", "--json", env=own)).stdout))
    assert prices["l1_miss_streamed"] <= prices["l1_miss_chased"] <= prices["l2_miss_chased"]
    assert prices["l1_miss_streamed"] <= prices["l2_miss_streamed"] <= prices["l2_miss_chased"]
    assert prices["instruction"] < prices["l1_miss_chased"]
    assert prices["flop"] < prices["memory_byte"]
    for kind in ("mpi", "read", "write"):
        assert prices[f"{kind}_byte"] < prices[f"{kind}_call"]


@pytest.fixture
def one_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure in one round in this process; more rounds improve the accuracy only."""
    command = measuring._command
    monkeypatch.setattr(measuring, "_command", lambda *about: [*command(*about), "1"])
    monkeypatch.setattr(measuring, "messages", partial(measuring.messages, rounds=1))


@pytest.mark.usefixtures("one_round")
def test_all_has_a_price_but_for_what_takes_two_nodes_and_a_run_notes_them(
    tool: Tool, own: dict[str, str], here: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOANALYZER_CACHE", own["AUTOANALYZER_CACHE"])
    document = json.loads(succeed(here("calibrate", "--json")).stdout)
    prices = known(document)
    assert document["schema"] == SCHEMA
    # Denormal numbers cost nothing on some processors, and some kernels have no huge pages.
    unknown = {*document["prices"]} - {*prices, "denormal", "huge_page_fault"}
    document["missing"].pop("huge_page_fault", None)
    assert set(document["missing"]) == {"mpi_call_across", "mpi_byte_across"} == unknown
    assert all(value > 0 for value in prices.values())
    assert document["calibrated"]["instructions"] == "counted"
    assert document["calibrated"]["host"] == os.uname().nodename
    assert [file.suffix for file in (tool.folder / "cache").iterdir() if file.is_file()].count(".json") == 1
    assert not list(tool.folder.glob("autoanalyzer-calibrate-*"))

    tool.build("#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return MPI_Finalize(); }\n")
    succeed(tool("autoanalyzer", "run", "--no-analyze", "-o", "out", "--", "mpirun", "-n", "2", "./app", env=own))
    notes = load(RunFolder(tool.folder / "out").experiment).notes
    assert (notes.prices, notes.calibrated) == (prices, document["calibrated"])


@pytest.mark.usefixtures("one_round")
def test_without_mpi_and_valgrind_the_rest_is_measured_and_what_is_missing_is_named(
    tool: Tool, own: dict[str, str], here: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOANALYZER_CACHE", own["AUTOANALYZER_CACHE"])
    monkeypatch.setenv("PATH", str(path_without(tool.folder / "bin", OPEN_MPI, MPICH, VALGRIND, SLURM)))
    monkeypatch.setattr(measuring, "roofs", lambda *_: ({}, {}, {}))  # roofs do not need MPI
    lines = succeed(here("calibrate")).stdout.decode().splitlines()
    rows = {line[:50].strip(): line[50:].split(maxsplit=1) for line in lines[: lines.index("")]}
    assert rows["an ordinary instruction"][1].strip() == "ns"
    assert rows["a long read from a file"][1].strip() == "MB/s"
    assert rows["a short message within a node"] == ["-", "no mpirun or mpiexec of an MPI library on PATH"]
    assert rows["a long message between nodes"] == ["-"]
    assert any(line.startswith("valgrind does not work here") for line in lines)


def test_what_cannot_be_done_is_refused_in_one_line(tool: Tool, own: dict[str, str]) -> None:
    path = path_without(tool.folder / "bin", OPEN_MPI, MPICH, "cc|(.*-)?gcc.*|clang.*")
    said = refused(tool("autoanalyzer", "calibrate", env={**own, "PATH": str(path)}))
    assert said == "autoanalyzer: no C compiler on PATH to build the machine benchmark; install gcc"
    said = refused(tool("autoanalyzer", "calibrate", "--", "true", env=own))
    assert said == "autoanalyzer: expected a launcher, such as mpirun -n 2, found true"
    said = refused(tool("autoanalyzer", "calibrate", "--folder", "none", env=own))
    assert (
        said == "autoanalyzer: none: cannot be written: No such file or directory; choose another folder with --folder"
    )
    said = refused(tool("autoanalyzer", "calibrate", env={**own, "PMI_SIZE": "2", "PMI_RANK": "0"}))
    assert said.endswith(
        "run calibrate without a launcher in front, and give the launcher after --: autoanalyzer calibrate -- srun -N 2"
    )
