"""Each MPI library: programs in C, C++ and Fortran, built with probes, started on two ranks, and gathered."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import AutoanalyzerError
from ..runtime.folder import RunFolder
from .bench import Bench, Done, own_program
from .families import Family
from .finding import Finding, Outcome
from .programs import BINDINGS, CALLS, CXX, C, fortran_main, fortran_part

if TYPE_CHECKING:
    from ..experiment import Experiment

__all__ = ["AREA", "Built", "CTrial", "c_trial", "cxx_findings", "fortran_findings"]

AREA: Final = "MPI"

_RANKS: Final = 2
_SAID: Final = re.compile(r"^rank (\d+) of (\d+): ?(.*)$", re.MULTILINE)
_VERSION: Final = re.compile(r"\d+\.\d+(\.\d+)?")
_ALONE: Final = "each alone in its MPI_COMM_WORLD"
_GATHER_FAILED: Final = re.compile(r"gathering by MPI failed \((.*)\): only the data")
_ROOT: Final = "as root"
_PACKAGES: Final = {"gcc": "gcc", "g++": "g++", "gfortran": "gfortran", "clang": "clang", "cc": "gcc", "c++": "g++"}


@dataclass(frozen=True, slots=True)
class Built:
    """A program, or why there is none."""

    program: Path | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CTrial:
    """What came of a family's program in C, on which others build.

    Attributes:
        family: Whose it is.
        program: What was built; None if it could not be.
        findings: Of the compiler, and of the gather by MPI.
        experiment: What was recorded.
        version: What the library calls itself; empty if it did not start.
        works: Whether it was built, run on two ranks, and gathered.
    """

    family: Family
    program: Path | None
    findings: tuple[Finding, ...]
    experiment: Experiment | None = None
    version: str = ""

    @property
    def works(self) -> bool:
        """Whether the program was built, run on two ranks, and gathered."""
        return self.findings[0].outcome is Outcome.WORKS


def c_trial(family: Family, bench: Bench, essential: bool) -> CTrial:
    """Try a family's C compiler and launcher, and the gather by MPI."""
    name = family.name

    def finding(outcome: Outcome, found: str, advice: str = "") -> Finding:
        return Finding(AREA, name, outcome, found, advice, essential=essential)

    folder = bench.place(f"c-{name.replace('/', '_')}")
    if lack := _lacking_compiler(family.c, bench):
        return CTrial(family, None, (finding(Outcome.FAILS, *lack),))
    built = _build("aa-mpicc", family.c, {"app.c": C}, folder, bench)
    if built.program is None:
        return CTrial(family, None, (finding(Outcome.FAILS, f"cannot build: {built.reason}", _build_advice(family)),))
    if not family.launcher:
        advice = f"put the mpirun or mpiexec that belongs to {name} on PATH"
        return CTrial(
            family, built.program, (finding(Outcome.FAILS, "built with probes; no launcher on PATH", advice),)
        )
    words = (family.launcher, "-n", str(_RANKS))
    done = _run([*words, built.program], folder, bench, "--gather", "mpi")
    experiment = _experiment(folder)
    said = _SAID.findall(done.printed)
    version = _short_version(said[0][2]) if said else ""
    defect = _defect(experiment, done, ["exchange"])
    if defect:
        found = f"{_start(version, family.c, bench)}built with probes; {_words(words)}: {defect}"
        return CTrial(
            family, built.program, (finding(Outcome.FAILS, found, _run_advice(defect, family)),), experiment, version
        )
    found = f"{_start(version, family.c, bench)}built with probes, run by {_words(words)}, gathered"
    by_mpi = _gathered_by_mpi(experiment, family)
    return CTrial(family, built.program, (finding(Outcome.WORKS, found), by_mpi), experiment, version)


def cxx_findings(family: Family, bench: Bench) -> list[Finding]:
    """Try a family's C++ compiler."""
    name = shlex.join(family.cxx)
    if lack := _lacking_compiler(family.cxx, bench):
        return [Finding(AREA, name, Outcome.ABSENT, *lack)]
    folder = bench.place(f"cxx-{family.name.replace('/', '_')}")
    built = _build("aa-mpicxx", family.cxx, {"app.cc": CXX}, folder, bench)
    return [_of_program(name, family, family.cxx, built, ["exchange"], folder, bench)]


def fortran_findings(family: Family, bench: Bench) -> list[Finding]:
    """Try a family's Fortran compiler, with each of the three bindings: in one program, where that is possible."""
    name = shlex.join(family.fortran)
    if lack := _lacking_compiler(family.fortran, bench):
        return [Finding(AREA, name, Outcome.ABSENT, *lack)]
    folder = bench.place(f"fortran-{family.name.replace('/', '_')}")
    refused: dict[str, str] = {}
    for binding, (subroutine, *_) in BINDINGS.items():
        source = folder / f"{subroutine}.f90"
        source.write_text(fortran_part(binding))
        done = bench.run([own_program("aa-mpifort"), "-c", source.name], folder, {"AUTOANALYZER_FC": name})
        if done.status != 0:
            refused[binding] = done.reason
    good = [binding for binding in BINDINGS if binding not in refused]
    findings: list[Finding] = []
    if good:
        (folder / "main.f90").write_text(fortran_main(good))
        built = _link_fortran(name, good, folder, bench)
        regions = [BINDINGS[binding][0] for binding in good]
        one = _of_program(name, family, family.fortran, built, regions, folder, bench)
        findings += [replace(one, name=f"{name}, {binding}") for binding in good]
    for binding, reason in refused.items():
        advice = f"use another binding, or build the MPI library with this Fortran compiler to have its {binding}"
        findings.append(
            Finding(AREA, f"{name}, {binding}", Outcome.FAILS, f"cannot build: {reason}", advice if good else "")
        )
    return findings


def _link_fortran(name: str, bindings: Sequence[str], folder: Path, bench: Bench) -> Built:
    objects = [f"{BINDINGS[binding][0]}.o" for binding in bindings]
    words = [own_program("aa-mpifort"), "main.f90", *objects, "-o", "app"]
    done = bench.run(words, folder, {"AUTOANALYZER_FC": name})
    return Built(folder / "app") if done.status == 0 else Built(None, done.reason)


def _build(stand_in: str, compiler: Sequence[str], sources: Mapping[str, str], folder: Path, bench: Bench) -> Built:
    for name, text in sources.items():
        (folder / name).write_text(text)
    variable = {"aa-mpicc": "AUTOANALYZER_CC", "aa-mpicxx": "AUTOANALYZER_CXX"}[stand_in]
    words = [own_program(stand_in), "-g", "-O1", *sources, "-o", "app"]
    done = bench.run(words, folder, {variable: shlex.join(compiler)})
    return Built(folder / "app") if done.status == 0 else Built(None, done.reason)


def _run(command: Sequence[str | Path], folder: Path, bench: Bench, *options: str) -> Done:
    words = [own_program("autoanalyzer"), "run", "--no-analyze", "--counters", "none", *options, "-o", "out", "--"]
    return bench.run([*words, *command], folder)


def _of_program(
    name: str,
    family: Family,
    compiler: Sequence[str],
    built: Built,
    regions: Sequence[str],
    folder: Path,
    bench: Bench,
) -> Finding:
    if built.program is None:
        return Finding(AREA, name, Outcome.FAILS, f"cannot build: {built.reason}", _build_advice(family))
    start = _start("", compiler, bench)
    if not family.launcher:
        return Finding(AREA, name, Outcome.UNTRIED, f"{start}built with probes; no launcher on PATH")
    words = (family.launcher, "-n", str(_RANKS))
    done = _run([*words, built.program], folder, bench)
    if defect := _defect(_experiment(folder), done, regions):
        found = f"{start}built with probes; {_words(words)}: {defect}"
        return Finding(AREA, name, Outcome.FAILS, found, _run_advice(defect, family))
    return Finding(AREA, name, Outcome.WORKS, f"{start}built with probes, run by {_words(words)}, gathered")


def _experiment(folder: Path) -> Experiment | None:
    from ..experiment import load  # noqa: PLC0415 - takes its time

    try:
        return load(RunFolder(folder / "out").experiment)
    except AutoanalyzerError:
        return None


def _defect(experiment: Experiment | None, done: Done, regions: Sequence[str]) -> str:
    """Say what the experiment lacks: two ranks in one world, the functions, and what they did in MPI."""
    if experiment is None:
        return done.reason
    remarks = experiment.notes.remarks
    if alone := next((remark for remark in remarks if _ALONE in remark), ""):
        return f"{_RANKS} times rank 0 of 1: the launcher is not of this MPI ({alone.partition(':')[0]})"
    if done.status != 0:
        return done.reason
    ranks = sorted({location.process for location in experiment.locations})
    if ranks != list(range(_RANKS)):
        return f"expected the data of {_RANKS} ranks, found {len(ranks)}"
    names = [path.region.name for path in experiment.call_paths]
    visits, calls = experiment.exclusive("visits"), experiment.exclusive("mpi_calls")
    for region in regions:
        places = [place for place, name in enumerate(names) if name.partition("<")[0] == region]
        if not places:
            return f"the function {region} was not recorded: it has no probes"
        if visits[places].sum(axis=0).min() != CALLS or calls[places].sum(axis=0).min() != CALLS:
            entries, made = visits[places].sum(axis=0).min(), calls[places].sum(axis=0).min()
            return f"expected {CALLS} entries and MPI calls of {region} on each rank, found {entries:g} and {made:g}"
    return ""


def _gathered_by_mpi(experiment: Experiment | None, family: Family) -> Finding:
    name = f"gather by MPI, {family.launcher}"
    remarks = experiment.notes.remarks if experiment else ()
    failure = next((found[1] for remark in remarks if (found := _GATHER_FAILED.search(remark))), "")
    if failure:
        advice = "only nodes that share no disk need it; MPI4PY_LIBMPI names the MPI library that mpi4py is to load"
        return Finding(AREA, name, Outcome.FAILS, failure, advice)
    return Finding(AREA, name, Outcome.WORKS, f"mpi4py: {_RANKS} processes in one MPI_COMM_WORLD gathered the data")


def _lacking_compiler(wrapper: Sequence[str], bench: Bench) -> tuple[str, str] | None:
    """Say what is missing where a wrapper, or the compiler that it calls, is not on ``PATH``; and what to do."""
    path = bench.environment.get("PATH")
    name = shlex.join(wrapper)
    if not wrapper or not shutil.which(wrapper[0], path=path):
        return f"{name or 'its variable'} is not on PATH", "install it, or load its module, to build such programs"
    shown = bench.run([*wrapper, "-show"], bench.folder, patience=30)
    called = shown.printed.split()[:1]
    if shown.status == 0 and called and not shutil.which(called[0], path=path):
        package = _PACKAGES.get(called[0], called[0])
        return f"{name} calls {called[0]}, which is not on PATH", f"install {package}, or load its module"
    return None


def _start(version: str, compiler: Sequence[str], bench: Bench) -> str:
    """Name the library and the compiler: ``Open MPI 4.1.4, gcc 12.2.0: ``."""
    parts = [part for part in (version, _compiler_version(compiler, bench)) if part]
    return f"{', '.join(parts)}: " if parts else ""


def _compiler_version(wrapper: Sequence[str], bench: Bench) -> str:
    """Give the name and version of the compiler behind a wrapper, from the first line that it prints."""
    lines = bench.run([*wrapper, "--version"], bench.folder, patience=30).printed.splitlines()
    line = next((line for line in lines if _VERSION.search(line)), "")
    without = re.sub(r"\([^)]*\)", "", line)
    version = _VERSION.search(without)
    words = line.partition("(")[0].split()
    name = " ".join(words[:3]) if line.startswith("GNU") else words[0] if words else ""
    name = _plain(name)
    return f"{name} {version[0]}" if version else name


def _plain(name: str) -> str:
    """Drop the platform that compilers of distributions name first: ``x86_64-linux-gnu-gcc``."""
    return name.rpartition("-gnu-")[2] or name


def _short_version(said: str) -> str:
    """Shorten what a library says of itself: ``Open MPI v4.1.4, package: …``, ``MPICH Version:      4.0.2``."""
    found = _VERSION.search(said)
    name = re.match(r"Open MPI|MPICH|Intel\(R\) MPI|MVAPICH2?|CRAY MPICH", said)
    return f"{name[0]} {found[0]}" if name and found else " ".join(said.split())[:40]


def _words(words: Sequence[str]) -> str:
    return shlex.join(words)


def _build_advice(family: Family) -> str:
    return f"compile a small program with {family.name} alone: if that fails, load another MPI module, or reinstall it"


def _run_advice(defect: str, family: Family) -> str:
    if _ROOT in defect:
        return "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, or be another user"
    if "rank 0 of 1" in defect:
        return f"start its programs with the launcher of {family.name}: see the lines of launchers below"
    return (
        f"start a small program with {family.launcher} alone: if that fails, load another MPI module, or reinstall it"
    )
