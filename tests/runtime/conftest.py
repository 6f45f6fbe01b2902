"""Run programs that write the values which they expect for each region, and read what the probe library recorded."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

from autoanalyzer.experiment import Experiment
from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.gather.shard import Shard
from autoanalyzer.runtime.gather.shard_layout import MPI_KINDS
from autoanalyzer.runtime.gather.shard_reader import read_shard
from autoanalyzer.runtime.mpi.detection import Mpi, find_mpi

from ..conftest import FAST_LINKER

PROGRAMS = Path(__file__).parent / "programs"
FORTRAN_MPI = Path(__file__).parents[1] / "programs" / "fortran_mpi"
FORTRAN_IO = Path(__file__).parents[1] / "programs" / "fortran_io"


def preprocessed(compiler: str) -> str:
    """Return the preprocessed text of ``mpi.h``."""
    return subprocess.run(
        [compiler, "-E", "-x", "c", "-"], input="#include <mpi.h>\n", capture_output=True, text=True, check=True
    ).stdout


def compiled(compiler: str, source: str, folder: Path, *flags: str) -> Path:
    """Compile a source in the folder ``programs``; return the program."""
    program = folder / Path(source).stem
    words = [compiler, "-std=gnu11", *FAST_LINKER, *flags, str(PROGRAMS / source), "-o", str(program)]
    subprocess.run([*words, "-ldl", "-lpthread"], check=True)
    return program


def compiled_fortran(compiler: str, folder: Path, *sources: Path, flags: Sequence[str] = ()) -> Path:
    """Compile a program from these sources, and return it; it is named after the last one."""
    program = folder / sources[-1].stem
    words = [compiler, "-O0", "-w", *FAST_LINKER, "-fallow-argument-mismatch", "-J", str(folder), *flags]
    subprocess.run([*words, *map(str, sources), "-o", str(program), "-ldl"], check=True)
    return program


def fortran_symbols(compiler: str, folder: Path) -> set[str]:
    """Return the symbols that the libraries of a Fortran program export."""
    (folder / "empty.f90").write_text("use mpi_f08\ncall MPI_Init()\ncall MPI_Finalize()\nend\n")
    subprocess.run([compiler, "empty.f90", "-o", "empty"], cwd=folder, check=True)
    listing = subprocess.run(["ldd", "empty"], cwd=folder, capture_output=True, text=True, check=True).stdout
    libraries = re.findall(r"=> (/\S*/libmpi\S*)", listing)
    words = ["nm", "-D", "--defined-only", *libraries]
    names = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    return {name.split()[-1] for name in names if name.startswith("0")}


@dataclass(frozen=True)
class Recorded:
    """The output of a run, both streams, and the shards that its processes left."""

    output: str
    shards: list[Shard]


def recorded(command: Sequence[str], folder: Path, mpi: Mpi | None = None, **variables: str) -> Recorded:
    """Run a command in a folder with the probe library preloaded, and read the shards.

    Args:
        command: The command.
        folder: The working folder; the shards are in its subfolder ``shards``.
        mpi: The MPI library; None: it is detected from the command.
        variables: Additional environment variables.
    """
    shards = folder / "shards"
    shards.mkdir(exist_ok=True)
    library = probe_library(mpi or find_mpi(command))
    environment = {**os.environ, "LD_PRELOAD": str(library), "AUTOANALYZER_SHARDS": str(shards), **variables}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return Recorded(run.stdout + run.stderr, [read_shard(path) for path in sorted(shards.glob("*.shard"))])


def by_rank(shards: Sequence[Shard]) -> dict[int, Shard]:
    """Return the shards by rank; each must have a rank of its own."""
    found = {shard.rank: shard for shard in shards if shard.rank is not None}
    assert len(found) == len(shards)
    return found


def expectations(folder: Path, rank: int) -> dict[str, Counter[str]]:
    """Return the values that a rank expects: region → ``calls``, bytes ``out`` and ``in``, summed over its cases."""
    expected: dict[str, Counter[str]] = defaultdict(Counter)
    for line in (folder / f"expected.{rank}").read_text().splitlines():
        name, calls, out, into = line.split("\t")
        expected[name].update({"calls": int(calls), "out": int(out), "in": int(into)})
    return dict(expected)


def figures(shard: Shard, calls: str, out: str, into: str) -> dict[str, Counter[str]]:
    """Return the same values as recorded in a shard, for regions of the kind ``user``.

    Args:
        shard: The shard.
        calls: The field of a node that contains the calls.
        out: The field of a node that contains the bytes sent or read.
        into: The field of a node that contains the bytes received or written.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for tree in shard.threads:
        for node in tree.nodes:
            if node["region"] >= 0 and shard.regions[node["region"]].kind == "user":
                name = shard.regions[node["region"]].name
                found[name].update({"calls": int(node[calls]), "out": int(node[out]), "in": int(node[into])})
    return dict(found)


# Numbers of ranks for programs that exchange messages: of three ranks in a line, one has two neighbours, two have one.
RANKS = [(1, 3), pytest.param((2, 5), marks=pytest.mark.nightly)]


def assert_mpi_figures(launcher: str, program: Path, folder: Path, several: Sequence[int], *, more_than: int) -> None:
    """Run a program with several numbers of ranks, and assert that each rank recorded the values that it expects.

    Args:
        launcher: The MPI launcher.
        program: The program.
        folder: The folder for the runs.
        several: The numbers of ranks.
        more_than: Each rank must expect values for more regions than this.
    """
    for ranks in several:
        own = folder / str(ranks)
        own.mkdir()
        shards = by_rank(recorded([launcher, "-n", str(ranks), str(program)], own).shards)
        assert sorted(shards) == list(range(ranks))
        for rank, shard in shards.items():
            expected = expectations(own, rank)
            assert len(expected) > more_than
            assert figures(shard, "mpi_calls", "mpi_sent", "mpi_received") == expected


def times_by_kind(shard: Shard) -> dict[tuple[str, str], set[str]]:
    """Return the kinds of MPI calls that took time in each region, by the region's kind and name.

    The root of the tree has an empty kind and name. In each node, the times of the kinds must add up to the MPI time.
    """
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for tree in shard.threads:
        for node in tree.nodes:
            region = shard.regions[node["region"]] if node["region"] >= 0 else None
            took = {kind for kind in MPI_KINDS if node[f"mpi_{kind}"] > 0}
            found[(region.kind, region.name) if region else ("", "")] |= took
            assert sum(node[f"mpi_{kind}"] for kind in MPI_KINDS) == pytest.approx(node["mpi_wall"], rel=1e-12)
    return dict(found)


def assert_parts_add_up(experiment: Experiment) -> None:
    """Assert that the parts of ``mpi_time`` add up to it on each call path and thread, and that none is too large."""
    whole = experiment.exclusive("mpi_time")
    assert whole.any()
    assert_allclose(sum(map(experiment.exclusive, children(experiment, "mpi_time"))), whole, rtol=1e-12)
    for parent in ("mpi_collective_time", "mpi_point_to_point_time"):
        values = experiment.exclusive(parent)
        assert (sum(map(experiment.exclusive, children(experiment, parent))) <= values * (1 + 1e-12)).all()


def children(experiment: Experiment, parent: str) -> list[str]:
    return [metric.name for metric in experiment.metrics if metric.parent == parent]


def without_calls(regions: Mapping[str, Counter[str]]) -> dict[str, tuple[int, int]]:
    """Return each region's bytes out and in, without the number of calls, which a run-time library's buffers change."""
    return {name: (counts["out"], counts["in"]) for name, counts in regions.items()}


def for_mpi4py(launcher: str, folder: Path) -> dict[str, str]:
    """Return the environment variables with which mpi4py finds the launcher's MPI library.

    For MPICH, mpi4py searches for a name that Debian's library does not have, so this name becomes a link to it.
    """
    if launcher != "mpirun.mpich":
        return {}
    library = find_mpi([launcher]).library
    assert library is not None
    (folder / "libmpi.so.12").symlink_to(library.path)
    return {"LD_LIBRARY_PATH": str(folder), "MPI4PY_MPIABI": "mpich"}


@pytest.fixture
def signals_heard() -> Iterator[None]:
    """Reset SIGHUP and SIGINT during a test, because they are ignored if tests run under nohup or in the background."""
    before = {number: signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGINT)}
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
