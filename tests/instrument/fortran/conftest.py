"""Fortran programs, untouched and with probes, side by side.

Most sources here are valid in both forms, fixed and free: statements are in columns 7 to 72, labels in columns 1 to 5,
and if a statement is continued, ``&`` is in column 73, and in column 6 of the next line.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from autoanalyzer.errors import SourceError
from autoanalyzer.instrument.choice import Choice
from autoanalyzer.instrument.code_region import CodeRegions
from autoanalyzer.instrument.compiler import CompilerCommand
from autoanalyzer.instrument.fortran_front_end import FortranFrontEnd
from autoanalyzer.instrument.source_text import SourceTexts

from ...conftest import FAST_LINKER, LIBOMP

STUB = Path(__file__).parents[3] / "instrument" / "fortran_stub.c"
COMPILERS = {
    "GNU": ("gfortran", "-O0", "-w", *FAST_LINKER),
    "LLVM": ("flang-new-19", "-O0", *LIBOMP),
}
NOT_LLVMS = ("-fopenmp-simd", "-fd-lines-as-")  # prefixes of options that LLVM's compiler 19 does not know
NAMES = {"fixed": "x.f", "free": "x.f90"}


@dataclass(frozen=True)
class Trial:
    """The result of a program with probes that prints the same as the untouched one."""

    found: CodeRegions
    run: Any

    @property
    def visits(self) -> dict[str, int]:
        """The number of entries by the region's name; loops are named ``procedure:loop@line``."""
        visits: dict[str, int] = self.run.visits
        return visits

    @property
    def entered(self) -> dict[int, str]:
        """Number of entries → the names of the regions with this number, in the order of their first entries."""
        names: dict[int, list[str]] = {}
        for name, count in self.visits.items():
            names.setdefault(count, []).append(name)
        return {count: ", ".join(each) for count, each in names.items()}

    @property
    def left_out(self) -> dict[str, str]:
        """Region name → why it has no probes."""
        return {_label(each.region): each.reason for each in self.found.regions if each.reason}


def _label(region: Any) -> str:
    return region.name if region.kind in {"function", "program"} else f"{region.function}:{region.name}"


@dataclass(frozen=True)
class Fortran:
    """Builds a program untouched and with probes, runs both, and compares."""

    lab: Any
    stub: Path
    maker: str = "GNU"
    choice: Choice = field(default_factory=Choice)

    def run(self, source: str | bytes, *flags: str, name: str = "x.f90", still_open: Sequence[str] = ()) -> Trial:
        """Build and run a program, untouched and with probes; assert that it prints the same, and that the probes nest.

        Args:
            source: The source.
            flags: Flags for the compiler.
            name: The source's file name, which determines its form.
            still_open: The names of the regions that are not left at the end.
        """
        self.write(source, name)
        compiler = COMPILERS[self.maker]
        if self.maker == "LLVM":
            flags = self._known_to_llvm(compiler, name, flags)
        untouched = self.lab.untouched(source, *compiler, name, *flags)
        text, found = self.instrument(name, *flags)
        probed = self.lab.tool.folder / f"probed{Path(name).suffix.lower()}"
        probed.write_bytes(text)
        done = self.lab.tool(*compiler, probed.name, *flags, str(self.stub), "-o", "probed")
        assert done.returncode == 0, done.stderr.decode()
        return Trial(found, self.lab.compare(untouched=untouched, still_open=still_open))

    def _known_to_llvm(self, compiler: Sequence[str], name: str, flags: Sequence[str]) -> tuple[str, ...]:
        """Return the flags that LLVM's compiler knows; end the test as an expected failure if it rejects the source."""
        if any(flag.startswith(NOT_LLVMS) for flag in flags):
            pytest.xfail(f"LLVM's compiler does not know all of {' '.join(flags)}")
        known = tuple(flag for flag in flags if not flag.startswith(("-std=", "-fno-openmp")))
        plain = self.lab.tool(*compiler, name, *known, "-o", "plain")
        if plain.returncode:
            pytest.xfail(f"LLVM's compiler cannot compile it: {plain.stderr.decode()}")
        return known

    def write(self, source: str | bytes, name: str) -> None:
        (self.lab.tool.folder / name).write_bytes(source if isinstance(source, bytes) else source.encode())

    def instrument(self, name: str, *flags: str) -> tuple[bytes, CodeRegions]:
        """Insert probes into a source as the wrapper does."""
        command = CompilerCommand([COMPILERS[self.maker][0], *flags, name])
        front = FortranFrontEnd(command, self.choice)
        (source,) = command.sources
        with chdir(self.lab.tool.folder):
            done = front.instrument(source, SourceTexts(command).read(source).output)
        return done.text, done.found

    def refused(self, source: str | bytes, *flags: str, name: str = "x.f90") -> str:
        """Return why probes cannot be inserted into a source."""
        self.write(source, name)
        with pytest.raises(SourceError) as refusal:
            self.instrument(name, *flags)
        return str(refusal.value)


@pytest.fixture(scope="session")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the stub that the wrapper assembles with each object, here as a separate object."""
    output = tmp_path_factory.mktemp("stub") / "stub.o"
    subprocess.run(["gcc", "-c", "-DAA_NAME(name)=name##_", STUB, "-o", output], check=True)
    return output


@pytest.fixture(params=["GNU", pytest.param("LLVM", marks=pytest.mark.llvm)])
def fortran(lab: Any, stub: Path, request: pytest.FixtureRequest) -> Fortran:
    return Fortran(lab, stub, request.param)


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    """Return the file name of a source, in fixed and in free form in turn."""
    return NAMES[request.param]
