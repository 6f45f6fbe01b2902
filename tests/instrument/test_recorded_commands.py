"""Recorded command lines of compilers that are not installed here: the role of each argument."""

import shlex

import pytest

from autoanalyzer.instrument.compiler import CompilerCommand
from autoanalyzer.instrument.compiler_options import CRAY_FORTRAN, Role
from autoanalyzer.instrument.fortran.form import Form
from autoanalyzer.instrument.fortran_compiler import CRAY, INTEL, LLVM, NVIDIA, OTHER, fortran_compiler
from autoanalyzer.instrument.fortran_front_end import FortranFrontEnd

CRAY_CC = """clang++ -march=znver2 -dynamic -D__CRAY_X86_ROME -D__CRAYXT_COMPUTE_LINUX_TARGET
    --gcc-toolchain=/opt/cray/pe/gcc/8.1.0/snos -isystem /opt/cray/pe/cce/13.0.0/cce/x86_64/include/craylibs
    -Wl,-rpath=/opt/cray/pe/cce/13.0.0/cce/x86_64/lib test.cc -I/opt/cray/pe/mpich/8.1.12/ofi/cray/10.0/include
    -I/opt/cray/pe/dsmml/0.2.2/dsmml//include -L/opt/cray/pe/mpich/8.1.12/ofi/cray/10.0/lib
    -Wl,--as-needed,-lsci_cray_mpi,--no-as-needed -ldl -Wl,--as-needed,-lmpi_cray,--no-as-needed -lxpmem -lquadmath"""
CRAY_CC_COMPILING = """clang++ --offload-arch=gfx90a -dynamic -D__CRAY_X86_TRENTO
    --gcc-toolchain=/opt/cray/pe/gcc/10.3.0/snos -isystem /opt/cray/pe/cce/14.0.2/cce/x86_64/include/craylibs
    -std=c++14 -fopenmp -I/opt/rocm-5.1.0/include -D__HIP_ROCclr__ -x hip -O3 main.cpp -c -o main.o
    -I/opt/cray/pe/mpich/8.1.17/ofi/cray/10.0/include"""
INTEL_MPI = """ifx -O2 x.f90 -I/opt/intel/oneapi/mpi/2021.13/include -L/opt/intel/oneapi/mpi/2021.13/lib/release
    -L/opt/intel/oneapi/mpi/2021.13/lib -Xlinker --enable-new-dtags -Xlinker -rpath
    -Xlinker /opt/intel/oneapi/mpi/2021.13/lib/release -lmpifort -lmpi -ldl -lrt -lpthread -diag-disable=10448"""
NVIDIA_MPI = """nvfortran x.F90 y.o -I/opt/nvidia/hpc_sdk/Linux_aarch64/22.5/comm_libs/openmpi/openmpi-3.1.5/include
    -Wl,-rpath -Wl,$ORIGIN:$ORIGIN/../../lib -rpath /opt/nvidia/hpc_sdk/Linux_aarch64/22.5/comm_libs/openmpi/lib
    -L/opt/nvidia/hpc_sdk/Linux_aarch64/22.5/comm_libs/openmpi/openmpi-3.1.5/lib -lmpi_usempif08 -lmpi_mpifh -lmpi"""


@pytest.mark.parametrize(
    ("text", "sources", "inputs", "links"),
    [
        (CRAY_CC, ["test.cc"], [], True),
        (CRAY_CC_COMPILING, [], ["main.cpp"], False),
        (INTEL_MPI, ["x.f90"], [], True),
        (NVIDIA_MPI, ["x.F90"], ["y.o"], True),
    ],
)
def test_sources_are_told_from_the_values_of_options(text, sources, inputs, links):
    command = CompilerCommand(shlex.split(text))
    assert [source.words[0] for source in command.sources] == sources
    assert command.of(Role.INPUT) == inputs
    assert command.links == links
    assert not command.asks
    given = [word for argument in command.arguments for word in argument.words]
    assert given == shlex.split(text)[1:]  # nothing is lost or moved


@pytest.mark.parametrize(
    "text",
    [
        "mpiifx -show",
        "mpifort -showme:link",
        "cc --cray-print-opts=libs",
        "ifx -syntax-only x.f90",
        "nvfortran -dryrun x.f90",
        "ifx -preprocess-only x.F90",
    ],
)
def test_what_asks_is_left_to_the_compiler(text):
    assert CompilerCommand(text.split()).asks


INTEL_LINE = """mpiifx -module mods -convert big_endian -assume byterecl -names lowercase -check bounds,pointers
    -warn all -align array64byte -real-size 64 -fp-model precise -qopenmp -fpp -extend-source 132 -c old.f -o old.o"""
NVIDIA_LINE = "mpifort -module mods -tp haswell -Mextend -mp=gpu -Minfo=accel -gpu=cc80 -r8 -Mpreprocess -c old.f"


@pytest.mark.parametrize("text", [INTEL_LINE, NVIDIA_LINE])
def test_fortran_options_are_understood_by_their_makers_words(text):
    command = CompilerCommand(text.split())
    (source,) = command.sources
    assert source.words == ("old.f",)
    assert command.of(Role.INPUT) == []
    assert str(command.module_folder) == "mods"
    assert command.preprocesses(source)
    assert list(map(str, command.objects)) == ["old.o"]


@pytest.mark.parametrize(
    ("words", "fixed", "length", "openmp"),
    [
        ("ifx -free -qopenmp x.f", False, 132, True),
        ("ifx -fixed x.f90", True, 72, False),
        ("ifx -extend-source x.f", True, 132, False),
        ("ifx -extend-source 80 -nofpp x.f", True, 80, False),
        ("ifx -132 x.f", True, 132, False),
        ("nvfortran -Mfree x.f", False, 132, False),
        ("nvfortran -Mnofreeform -mp x.f90", True, 72, True),
        ("flang -ffixed-line-length=100 -fopenmp x.f", True, 100, True),
    ],
)
def test_the_form_is_told_by_each_makers_words(monkeypatch, words, fixed, length, openmp):
    monkeypatch.setenv("PATH", "")  # without the compiler, its vendor's defaults are unknown
    command = CompilerCommand(words.split())
    form = FortranFrontEnd(command).form(command.sources[0])
    assert form == Form(fixed, length if fixed else 0, openmp=openmp, threads=openmp)


@pytest.mark.parametrize(
    ("said", "compiler"),
    [
        ("ifx (IFX) 2024.2.0 20240602", INTEL),
        ("nvfortran 25.1-0 64-bit target on x86-64 Linux -tp sapphirerapids", NVIDIA),
        ("Cray Fortran : Version 17.0.0", CRAY),
        ("flang version 20.1.0", LLVM),
        ("Other Fortran 1.0", OTHER),
    ],
)
def test_a_maker_is_known_by_what_the_compiler_says_of_its_version(tool, said, compiler):
    assert fortran_compiler([speaking(tool, "mpifort", said)]) is compiler


def speaking(tool, name, said):
    """Return a program that prints a text when called with any option."""
    path = tool.write(name, f"#!/bin/sh\necho\necho '{said}'\n")
    path.chmod(0o755)
    return str(path)


CRAY_LINE = "-e m -J mods -f free -N 132 -s real64 -h omp,noacc -O 3 -hfp1 -eZ -M 124 -x acc -dw -o old.o -c old.f y.o"


def test_crays_own_fortran_is_known_behind_its_name(tool):
    cray = CompilerCommand([speaking(tool, "ftn", "Cray Fortran : Version 17.0.0"), *CRAY_LINE.split()])
    (source,) = cray.sources
    assert (source.words, cray.of(Role.INPUT), str(cray.module_folder)) == (("old.f",), ["y.o"], "mods")
    assert cray.preprocesses(source)
    assert FortranFrontEnd(cray).form(source) == Form(fixed=False, openmp=True, threads=True)
    assert CRAY_FORTRAN.asks(("-eP",))
    assert CRAY_FORTRAN.asks(("-e", "mP"))


@pytest.mark.parametrize(
    ("line", "preprocessed", "names"),
    [
        ("-e F -b other.o -c old.f", True, "other.o"),
        ("-emZ -bother.o -c old.f", True, "other.o"),
        ("-dynamic -b other.o -c old.F -d mZ", False, "other.o"),
        ("-e Z -dT -e m -b other.o -o old old.f", False, "old"),
    ],
)
def test_crays_letters_have_their_value_in_the_same_word_or_the_next(tool, line, preprocessed, names):
    cray = CompilerCommand([speaking(tool, "ftn", "Cray Fortran : Version 17.0.0"), *line.split()])
    (source,) = cray.sources
    assert cray.of(Role.INPUT) == []
    assert cray.preprocesses(source) == preprocessed
    assert [str(path) for path in cray.objects or [cray.program]] == [names]
    assert not cray.asks


def test_gnus_fortran_is_known_behind_crays_name(tool):
    text = "GNU Fortran (GCC) 12.3.0\nCopyright (C) 2022 Free Software Foundation, Inc."
    gnu = CompilerCommand([speaking(tool, "ftn", text), "-J", "mods", "-ffree-form", "-x", "f95", "-c", "text"])
    assert [source.words for source in gnu.sources] == [("text",)]
