"""Tasks of GNU's OpenMP with each flag that compilers set: programs print the same as without the tool."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from autoanalyzer.runtime.mpi.detection import Mpi

from .conftest import PROGRAMS, recorded

SOURCE = PROGRAMS / "openmp_tasks.cc"
KINDS = re.findall(r"KIND\((\w+)\),", SOURCE.read_text())
COUNT = 300


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("tasks") / "tasks"
    flags = ("-std=c++17", "-O1", "-w", "-fopenmp")
    subprocess.run(["g++", *flags, str(SOURCE), "-o", str(program), "-ldl"], check=True)
    return program


@pytest.mark.parametrize("team", ["in a team", "alone"])
@pytest.mark.parametrize("kind", KINDS)
def test_tasks_are_recorded_and_do_what_they_do(program: Path, tmp_path: Path, kind: str, team: str) -> None:
    command = [str(program), kind, *(["alone"] if team == "alone" else [])]
    plain = subprocess.run(command, env={"OMP_WAIT_POLICY": "passive"}, capture_output=True, text=True, check=True)
    assert plain.stdout.startswith(f"{COUNT} ")
    run = recorded(command, tmp_path, Mpi(None), OMP_WAIT_POLICY="passive")
    assert run.output == plain.stdout
    (shard,) = run.shards
    (region,) = (place for place, each in enumerate(shard.regions) if each.name == "in_task")
    visits = [int(tree.nodes["visits"][tree.nodes["region"] == region].sum()) for tree in shard.threads]
    assert sum(visits) == COUNT
