"""Test an MPI library: build programs in C, C++ and Fortran with probes, run them on two ranks, and gather the data."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .bench import Bench
from .families import Family
from .finding import Finding, Outcome
from .programs import BINDINGS, CXX, C, fortran_main, fortran_part
from .trial import RANKS, Trial, compiler_version, gather_failure, lacking_compiler

if TYPE_CHECKING:
    from ..experiment import Experiment

__all__ = [
    "CTrial",
    "area_of",
    "as_in_c",
    "c_trial",
    "cxx_findings",
    "fortran_findings",
    "gather_finding",
    "library_name",
    "root_advice",
]

_SAID: Final = re.compile(r"^rank \d+ of \d+: (.*)$", re.MULTILINE)
_LIBRARY: Final = re.compile(r"(Open MPI|MPICH|Intel\(R\) MPI|MVAPICH2?|CRAY MPICH)\D*(\d+\.\d+(?:\.\d+)?)")
_STRANGER: Final = "rank 0 of 1"
_BUILT: Final = "built with probes; "
_NO_LAUNCHER: Final = "no mpirun or mpiexec on PATH"


@dataclass(frozen=True, slots=True)
class CTrial:
    """A C program that was built and run with an MPI library, and the result; other checks reuse the program.

    Attributes:
        family: The MPI library.
        finding: The finding about building and running the program.
        trial: The built program; None if the build failed.
        experiment: The recorded data; None if the program did not run.
    """

    family: Family
    finding: Finding
    trial: Trial | None = None
    experiment: Experiment | None = None

    @property
    def program(self) -> Path | None:
        """Path of the built program; None if the build failed."""
        return self.trial.program if self.trial else None

    @property
    def works(self) -> bool:
        """Whether the program was built and run on two ranks, and its data were gathered."""
        return self.finding.outcome is Outcome.WORKS


def area_of(compiler: str) -> str:
    """Return the area of findings about the MPI library that a compiler links."""
    return f"MPI of {compiler}"


def c_trial(family: Family, bench: Bench, *, essential: bool) -> CTrial:
    """Build and run a C program with the compiler and launcher of an MPI library, and return the result."""
    about = Finding(area_of(family.name), f"C, {family.name}", Outcome.FAILS, "", essential=essential)
    if lack := lacking_compiler(family.c, bench):
        return CTrial(family, replace(about, found=lack[0], advice=lack[1]))
    trial = Trial(bench, _place(family, "c", bench))
    trial.write({"app.c": C})
    if refusal := trial.compile("aa-mpicc", family.c, "app.c", "-o", "app"):
        return CTrial(family, replace(about, found=refusal, advice=_build_advice(family.c)))
    version = compiler_version(family.c, bench)
    if not family.launcher:
        advice = f"put the launcher that belongs to {family.name} on PATH"
        if shutil.which("srun"):
            advice += ", or test in a job: srun -n 2 autoanalyzer doctor"
        return CTrial(family, replace(about, found=f"{version}: {_BUILT}{_NO_LAUNCHER}", advice=advice), trial)
    experiment, done, defect = trial.measure(["exchange"], *_two(family))
    said = _SAID.search(done.printed)
    about = _judged(about, family, f"{library_name(said[1])}, {version}" if said else version, defect)
    return CTrial(family, about, trial, experiment)


def as_in_c(finding: Finding, made: CTrial) -> Finding:
    """Return a finding about C++ or Fortran, shortened if its program fails for the same reason as the C program.

    If only the C program runs on two ranks, the advice is to check the variables that name the compilers.

    Args:
        finding: The finding about C++ or Fortran.
        made: The C program with the same MPI library.
    """
    built, does, defect = finding.found.partition(_BUILT)
    if made.works and _STRANGER in finding.found:
        advice = (
            f"AUTOANALYZER_CXX and AUTOANALYZER_FC must name compilers of the same MPI library as {made.family.name}"
        )
        return replace(finding, advice=advice)
    if made.works or not does or defect != made.finding.found.partition(_BUILT)[2]:
        return finding
    return replace(finding, found=f"{built}built with probes; fails to run, like the C program", advice="")


def gather_finding(made: CTrial) -> Finding:
    """Run a working C program again, gather its data over MPI, and return the finding."""
    assert made.trial
    about = Finding(made.finding.area, "gather by MPI", Outcome.FAILS, "")
    options = ("--counters", "none", "--gather", "mpi")
    experiment, done = made.trial.run(*_two(made.family), options=options, output="by-mpi")
    if experiment is None:
        return replace(about, found=done.reason)
    failure = next(filter(None, map(gather_failure, experiment.notes.remarks)), "")
    if failure:
        advice = "needed only if nodes share no file system; to select the library that mpi4py loads, set MPI4PY_LIBMPI"
        return replace(about, found=f"mpi4py: {failure}", advice=advice)
    found = f"mpi4py was started by {made.family.launcher}: {RANKS} processes in one MPI_COMM_WORLD"
    return replace(about, outcome=Outcome.WORKS, found=found)


def cxx_findings(family: Family, bench: Bench) -> list[Finding]:
    """Build and run a C++ program with an MPI library's compiler, and return the finding."""
    about = Finding(area_of(family.name), f"C++, {shlex.join(family.cxx)}", Outcome.FAILS, "")
    if lack := lacking_compiler(family.cxx, bench):
        return [replace(about, outcome=Outcome.ABSENT, found=lack[0], advice=lack[1])]
    trial = Trial(bench, _place(family, "cxx", bench))
    trial.write({"app.cc": CXX})
    if failure := trial.compile("aa-mpicxx", family.cxx, "app.cc", "-o", "app"):
        return [replace(about, found=failure, advice=_build_advice(family.cxx))]
    return [_run(about, family, trial, compiler_version(family.cxx, bench), ["exchange"])]


def fortran_findings(family: Family, bench: Bench) -> list[Finding]:
    """Build and run a Fortran program that uses all MPI bindings that compile; return a finding per binding."""
    name = shlex.join(family.fortran)
    about = Finding(area_of(family.name), f"Fortran, {name}", Outcome.FAILS, "")
    if lack := lacking_compiler(family.fortran, bench):
        return [replace(about, outcome=Outcome.ABSENT, found=lack[0], advice=lack[1])]
    trial = Trial(bench, _place(family, "fortran", bench))
    trial.write({f"{subroutine}.f90": fortran_part(binding) for binding, (subroutine, *_) in BINDINGS.items()})
    failures = {
        binding: trial.compile("aa-mpifort", family.fortran, "-c", f"{subroutine}.f90")
        for binding, (subroutine, *_) in BINDINGS.items()
    }
    if all(failures.values()):
        return [replace(about, found=next(iter(failures.values())), advice=_build_advice(family.fortran))]
    good = [binding for binding, failure in failures.items() if not failure]
    one = _linked(about, family, trial, good)
    advice = f"use {good[-1]}, or an MPI library that was built with this compiler"
    return [
        replace(about, name=f"Fortran, {binding}", found=f"{name}: {failure}", advice=advice)
        if failure
        else replace(one, name=f"Fortran, {binding}", found=f"{name}, {one.found}")
        for binding, failure in failures.items()
    ]


def _linked(about: Finding, family: Family, trial: Trial, bindings: list[str]) -> Finding:
    """Link the subroutines of all bindings into one program, and run it on two ranks; return the finding.

    Args:
        about: The finding to complete.
        family: The MPI library.
        trial: The folder with the compiled subroutines.
        bindings: The bindings that compiled.
    """
    regions = [BINDINGS[binding][0] for binding in bindings]
    trial.write({"main.f90": fortran_main(bindings)})
    objects = [f"{region}.o" for region in regions]
    if failure := trial.compile("aa-mpifort", family.fortran, "main.f90", *objects, "-o", "app"):
        return replace(about, found=failure, advice=_build_advice(family.fortran))
    return _run(about, family, trial, compiler_version(family.fortran, trial.bench), regions)


def _run(about: Finding, family: Family, trial: Trial, version: str, regions: Sequence[str]) -> Finding:
    if not family.launcher:
        return replace(about, outcome=Outcome.UNTRIED, found=f"{version}: {_BUILT}{_NO_LAUNCHER}")
    _, _, defect = trial.measure(regions, *_two(family))
    return _judged(about, family, version, defect)


def _judged(about: Finding, family: Family, version: str, defect: str) -> Finding:
    launched = shlex.join(_two(family))
    if defect:
        found = f"{version}: {_BUILT}{launched}: {defect}"
        return replace(about, found=found, advice=_run_advice(defect, family))
    found = f"{version}: built with probes, and measured with {launched}"
    return replace(about, outcome=Outcome.WORKS, found=found)


def _two(family: Family) -> tuple[str, str, str]:
    return family.launcher, "-n", str(RANKS)


def _place(family: Family, language: str, bench: Bench) -> Path:
    return bench.place(f"{language}-{family.name.replace('/', '_').replace(' ', '_')}")


def library_name(said: str) -> str:
    """Return the name and version, such as ``Open MPI 4.1.4``, from an MPI library's description of itself."""
    found = _LIBRARY.match(said)
    return f"{found[1]} {found[2]}" if found else " ".join(said.split())[:40]


def _build_advice(compiler: Sequence[str]) -> str:
    return f"load another module, or reinstall the package that provides {shlex.join(compiler)}"


def root_advice(defect: str, launcher: str) -> str:
    """Return advice if a launcher failed because the user is root, or an empty string for any other failure."""
    if "run as root" not in defect:
        return ""
    name = "PRTE" if Path(launcher).name.startswith("prte") else "OMPI"
    return f"export {name}_ALLOW_RUN_AS_ROOT=1 {name}_ALLOW_RUN_AS_ROOT_CONFIRM=1, or run as another user"


def _run_advice(defect: str, family: Family) -> str:
    if advice := root_advice(defect, family.launcher):
        return advice
    if _STRANGER in defect:
        return f"put the launcher that belongs to {family.name} on PATH"
    return f"load another module, or reinstall the package that provides {family.launcher}"
