"""Recording and gathering stay within memory limits, for any number of threads, call paths and characters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from autoanalyzer.experiment import Experiment, load
from autoanalyzer.runtime.folder import RunFolder
from autoanalyzer.runtime.gather.shard import Shard
from autoanalyzer.runtime.mpi.detection import Mpi

from .conftest import PROGRAMS, recorded

MIB: Final = 1 << 20
NUMBER: Final = 8  # bytes
MODULES: Final = 64 * MIB  # memory for gathering besides the data

# Gathers in a separate process, and prints the bytes of memory that this took.
GATHER: Final = """
import resource, sys
from pathlib import Path
from autoanalyzer.runtime.folder import RunFolder
from autoanalyzer.runtime.gather.gather import gather_here
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
gather_here(RunFolder(Path(sys.argv[1])))
print(1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before))
"""


def recorded_by(program: str, *numbers: int, folder: Path, **variables: str) -> Shard:
    subprocess.run(["gcc", "-O1", "-fopenmp", PROGRAMS / f"{program}.c", "-o", folder / program, "-ldl"], check=True)
    run = recorded([f"./{program}", *map(str, numbers)], folder, Mpi(None), OMP_WAIT_POLICY="passive", **variables)
    (shard,) = run.shards
    return shard


def gathered(folder: Path) -> tuple[Experiment, int]:
    """Return the experiment of the shards in a folder, and the bytes of memory for gathering."""
    done = subprocess.run([sys.executable, "-c", GATHER, folder], stdout=subprocess.PIPE, check=True, text=True)
    return load(RunFolder(folder).experiment), int(done.stdout)


@pytest.mark.parametrize(
    ("threads", "regions"), [(20, 10), pytest.param(100, 29, marks=pytest.mark.nightly)], ids=["some", "many"]
)
def test_tasks_of_many_threads_on_many_call_paths_are_all_there(threads: int, regions: int, tmp_path: Path) -> None:
    shard = recorded_by("task_paths", threads, regions, folder=tmp_path)
    assert len(shard.threads) == threads
    experiment, taken = gathered(tmp_path)
    tasks = regions**3
    assert len(experiment.call_paths) == 1 + regions + regions**2 + 2 * tasks
    visits = experiment.exclusive("visits").sum(axis=1)
    of_tasks = [path.region.name == "task" for path in experiment.call_paths]
    assert visits[of_tasks].sum() == tasks
    assert visits.sum() == len(experiment.call_paths)
    assert taken < MODULES + 8 * NUMBER * len(experiment.call_paths) * threads  # for some 40 metrics


@pytest.mark.parametrize(
    ("number", "length"), [(1000, 4000), pytest.param(25_000, 4000, marks=pytest.mark.nightly)], ids=["some", "many"]
)
def test_long_names_are_whole_and_gathered_in_some_times_their_size(number: int, length: int, tmp_path: Path) -> None:
    recorded_by("long_names", number, length, folder=tmp_path)
    experiment, taken = gathered(tmp_path)
    named = [path.region.name for path in experiment.call_paths if path.parent is not None]
    assert len(set(named)) == number
    assert {len(name) for name in named} == {length - len("aa1|user|" + "|||0|0|0")}
    assert taken < MODULES + 8 * number * length


def test_names_for_which_there_is_no_room_count_to_their_parent(tmp_path: Path) -> None:
    shard = recorded_by("long_names", 1000, 4000, folder=tmp_path, AUTOANALYZER_MAX_MEMORY="2M")
    (tree,) = shard.threads
    assert shard.path.stat().st_size <= 2 * MIB
    assert 100 < len(shard.regions) < 1000
    assert int(tree.nodes["visits"].sum()) + tree.collapsed == 1000
