"""Each kind of fault, planted alone in a C and a Fortran program, is found with its place and cause."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.measured

PROGRAMS = Path(__file__).parents[1] / "programs" / "faults"
COMPILERS = {"c": ("aa-mpicc", "AUTOANALYZER_CC", "mpicc"), "f90": ("aa-mpifort", "AUTOANALYZER_FC", "mpifort")}
# Fault → its place and cause.
FAULTS = {
    "misses": ("walk", "l1_miss_rate"),
    "io": ("dump", "io_bytes"),
    "network": ("exchange", "mpi_bytes"),
    "instructions": ("evaluate", "instructions"),
}


def findings(tool: Any, language: str, fault: str, who: str = "all") -> dict[str, Any]:
    if not shutil.which("valgrind") or not shutil.which("mpifort"):
        pytest.skip("Valgrind or mpifort is not installed")
    wrapper, variable, compiler = COMPILERS[language]
    shutil.copy(PROGRAMS / f"faults.{language}", tool.folder)
    env = {variable: compiler}
    built = tool(wrapper, "-O2", "-g", f"faults.{language}", "-o", "faults", env=env)
    assert built.returncode == 0, built.stderr.decode()
    options = ("--counters", "simulated", "--cache", "L1=32K/8/64,L2=1M/16/64", "-o", "out")
    done = tool("autoanalyzer", "run", *options, "--", "mpirun", "-n", "4", "./faults", fault, who)
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = tool.findings()
    return found


def causes(regions: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the root causes of the regions in each procedure, whose name is without its module."""
    found: dict[str, list[str]] = {}
    for region in regions:
        found.setdefault(region["function"].rpartition("::")[2].lower(), []).extend(region["root_causes"])
    return found


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("language", COMPILERS)
def test_what_all_ranks_do_wrong_weighs_by_its_cause(tool, language, fault):
    found = findings(tool, language, fault)
    place, cause = FAULTS[fault]
    heavy = causes(found["disparity"]["cccr"])
    assert cause in heavy[place]
    assert {each for function, named in heavy.items() if function != place for each in named} <= {"instructions"}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("language", COMPILERS)
def test_what_the_last_rank_does_wrong_makes_the_ranks_differ_by_its_cause(tool, language, fault):
    found = findings(tool, language, fault, "last")
    place, cause = FAULTS[fault]
    assert found["dissimilarity"]["clusters"] == [[0, 1, 2], [3]]
    assert causes(found["dissimilarity"]["cccr"])[place][0] == cause


@pytest.mark.parametrize("language", COMPILERS)
def test_where_nothing_is_wrong_no_cause_is_invented(tool, language):
    found = findings(tool, language, "none")
    named = causes(found["disparity"]["cccr"])
    assert {each for causes_of in named.values() for each in causes_of} <= {"instructions"}
    assert all(region["same_work"] for region in found["dissimilarity"]["cccr"])
