"""Restrictions on sources of the probe library: no circular use, and little stack."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from autoanalyzer.runtime.mpi.c_wrappers import function_list, wrapper_text
from autoanalyzer.runtime.mpi.fortran_wrappers import fortran_wrapper_text
from autoanalyzer.runtime.mpi.prototypes import read_prototypes
from autoanalyzer.runtime.papi.choices import choices_text

from .conftest import HIDDEN, PROBE, WARNINGS, compile_c

_INCLUDE = re.compile(r'^#include "(?:\w+/)?(\w+)\.h"', re.MULTILINE)
# dlsym belongs to the C library; our wrapper forwards requests for names other than MPI functions.
_PASSED_ON = frozenset({"dlsym"})
STACK = 1 << 10  # maximum bytes per function; a user thread may have only one page
# More stack is available before main, and where the MPI library or OpenMP runtime needs more anyway.
AT_START = {"make_in", "aa_shard_folder_keep", "aa_shard_folder_mark", "aa_shard_folder_unmark", "aa_script_name"}
AT_START |= {"time_of_function", "aa_price_of"}
WITHIN_LIBRARIES = {"all_came", "aa_path_blame"}
RARELY = {"aa_warn"}

Uses = dict[str, set[str]]


def included() -> Uses:
    """Return the files that each source and its header include."""
    uses: Uses = {}
    for path in PROBE.rglob("*.[ch]"):
        uses.setdefault(path.stem, set()).update(set(_INCLUDE.findall(path.read_text())) - {path.stem})
    return uses


def symbols(objects: list[Path], option: str) -> Iterator[tuple[str, str]]:
    """Yield each object's symbols."""
    words = ["nm", "--extern-only", "--print-file-name", "--portability", option, *map(str, objects)]
    for line in subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines():
        path, name = line.split()[:2]
        yield Path(path.rstrip(":")).stem, name


def called(objects: list[Path]) -> Uses:
    """Return for each object which others define its undefined symbols, including wrapped C library functions."""
    owners = {name: owner for owner, name in symbols(objects, "--defined-only") if name not in _PASSED_ON}
    uses: Uses = {path.stem: set() for path in objects}
    for user, name in symbols(objects, "--undefined-only"):
        if name in owners:
            uses[user].add(owners[name])
    return uses


def circle(uses: Uses) -> list[str]:
    """Return sources that use each other in a circle; empty if none do."""
    try:
        TopologicalSorter(uses).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))  # from user to used
    return []


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return all sources as objects, including those generated for an MPI library."""
    folder = tmp_path_factory.mktemp("objects")
    header = subprocess.run(
        ["mpicc", "-E", "-x", "c", "-"], input="#include <mpi.h>\n", capture_output=True, text=True, check=True
    )
    prototypes = read_prototypes(header.stdout)
    (folder / "papi_choices.h").write_text(choices_text())
    (folder / "mpi_functions.h").write_text(function_list(prototypes))
    (folder / "mpi_wrappers.c").write_text(wrapper_text(prototypes))
    (folder / "mpi_fortran_wrappers.c").write_text(fortran_wrapper_text(prototypes))
    sources = [*sorted(PROBE.glob("*.c")), *sorted(folder.glob("*.c"))]
    names = [f'-DAA_{name}="x"' for name in ("PROBE_FILE", "MPI_SONAME", "MPI_FILE")]
    words = ["mpicc", "-std=gnu11", "-w", "-fPIC", f"-I{PROBE}", f"-I{folder}", *names, "-c"]
    faster = {"OMPI_CC": "clang"} if shutil.which("clang") else {}
    # Of generated sources, only the calls are checked; clang compiles them in a third of the time.
    for generated in (False, True):
        part = [str(each) for each in sources if each.is_relative_to(folder) is generated]
        how, compiler = (("-O0",), faster) if generated else (("-O1", "-fstack-usage"), {})
        subprocess.run([*words, *how, *part], cwd=folder, check=True, env={**os.environ, **compiler})
    return sorted(folder.glob("*.o"))


# By day, only sources that depend on the processor are compiled, because each takes 50 ms.
@pytest.mark.parametrize(
    ("processor", "containing"),
    [
        ("aarch64", r'__aarch64|"clock\.h"|\basm\b|<(?:ucontext|sys/syscall)\.h>'),
        ("powerpc64le", r'__powerpc|"clock\.h"'),
        pytest.param("aarch64", "", marks=pytest.mark.nightly),
        pytest.param("powerpc64le", "", marks=pytest.mark.nightly),
    ],
    ids=["arm64", "POWER", "arm64, all", "POWER, all"],
)
def test_the_core_compiles_for_another_processor(processor: str, containing: str, tmp_path: Path) -> None:
    headers = Path(f"/usr/{processor}-linux-gnu/include")
    if not headers.is_dir():
        pytest.skip(f"the headers of the C library are missing: {headers}")
    if not shutil.which("clang"):
        pytest.skip("clang is not installed")
    (tmp_path / "papi_choices.h").write_text(choices_text())
    core = [path for path in sorted(PROBE.glob("*.c")) if not path.name.startswith("mpi_")]
    chosen = [path for path in core if re.search(containing, path.read_text())]
    words = ["clang", f"--target={processor}-linux-gnu", f"-isystem{headers}", "-std=gnu11", *WARNINGS, *HIDDEN[1:]]
    subprocess.run([*words, f"-I{tmp_path}", '-DAA_PROBE_FILE="x"', "-c", *chosen], cwd=tmp_path, check=True)
    assert {path.stem for path in tmp_path.glob("*.o")} == {path.stem for path in chosen}
    assert {"clock", "sample"} <= {path.stem for path in chosen}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="GCC has the function on other processors since long ago")
def test_the_thread_pointer_is_read_where_gcc_has_no_function_for_it(tmp_path: Path) -> None:
    compile_c("-D__builtin_thread_pointer=is_unknown", "-c", PROBE / "clock.c", "-o", tmp_path / "clock.o")
    assert (tmp_path / "clock.o").exists()


def test_no_source_needs_itself_by_what_it_includes() -> None:
    assert included()["event"] >= {"book", "thread"}
    assert circle(included()) == []


def test_no_source_needs_itself_by_what_it_calls(objects: list[Path]) -> None:
    uses = called(objects)
    assert uses["event"] >= {"book", "thread"}
    assert "mpi_path_messages" in uses["mpi_wrappers"]
    assert circle(uses) == []


def test_what_a_probe_or_a_wrapper_takes_of_the_stack_is_little(objects: list[Path]) -> None:
    frames = dict[str, int]()
    for path in objects:
        for line in path.with_suffix(".su").read_text().splitlines() if not path.name.startswith("mpi_") else ():
            place, taken, _ = line.split("\t")
            frames[place.rsplit(":", 1)[1]] = int(taken)
    assert {name for name, taken in frames.items() if taken > STACK} <= AT_START | WITHIN_LIBRARIES | RARELY


def test_a_circle_is_found_by_calls_and_by_wrapped_functions(tmp_path: Path) -> None:
    parts = {
        "low": "int close(int);\nint low(void) { return close(3); }",
        "high": "int low(void);\nint close(int file) { return file ? low() : 0; }",
    }
    for name, text in parts.items():
        (tmp_path / f"{name}.c").write_text(text)
        compile_c("-c", tmp_path / f"{name}.c", "-o", tmp_path / f"{name}.o")
    found = circle(called(sorted(tmp_path.glob("*.o"))))
    assert set(found) == {"low", "high"}
