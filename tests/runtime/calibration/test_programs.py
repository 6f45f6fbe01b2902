"""The programs that measure a machine, each tested alone."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from autoanalyzer.errors import BuildError, InputError
from autoanalyzer.runtime.c_compiler import c_compilers
from autoanalyzer.runtime.calibration.messages import messages
from autoanalyzer.runtime.calibration.roofs import ROOFS, roofs
from autoanalyzer.runtime.calibration.workshop import Workshop, printed_prices, workshop
from autoanalyzer.runtime.counting.tool import TOOL, counting_tool
from autoanalyzer.runtime.mpi.detection import Mpi, find_mpi

MACHINE = ("machine.c", "loops.c", "latencies.c", "memory.c", "pages.c", "files.c", "first.c", "work.c")
SMALL = "there is too little memory for data larger than the caches"
STRICT = ("-Wall", "-Wextra", "-Werror")


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    with workshop(tmp_path, os.environ) as made:
        yield made
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the program that measures everything except messages and roofs."""
    with workshop(tmp_path_factory.mktemp("machine"), os.environ) as made:
        yield made.build("machine", MACHINE, [(*c_compilers(os.environ, "a test")[0], *STRICT)])


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers that are assumed are those of x86-64")
def test_the_instructions_that_are_assumed_are_nearly_those_that_valgrind_counts(shop: Workshop, machine: Path) -> None:
    valgrind, tools = counting_tool()
    printed = shop.run([valgrind.program, "-q", f"--tool={TOOL}", machine, "count"], {"VALGRIND_LIB": str(tools)})
    counted = {name: float(number) for name, number in re.findall(r"^counted (\w+) (.*)$", printed, re.MULTILINE)}
    source = (Path(__file__).parents[3] / "runtime" / "calibration" / "loops.c").read_text()
    known = {name: 512 * int(each) for name, each in re.findall(r'"(\w+)".*known_from = (\d) \* LENGTH', source)}
    assert counted.keys() == known.keys()
    assert {name: counted[name] / known[name] for name in known} == pytest.approx(dict.fromkeys(known, 1), rel=0.25)


def test_of_ranks_that_a_launcher_starts_only_the_first_measures(shop: Workshop, machine: Path) -> None:
    words = [machine, "32768", "1048576", "64", shop.folder / "file"]
    for variable in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"):
        assert shop.run(words, {variable: "1"}) == ""


@pytest.mark.nightly
def test_where_no_file_can_be_made_only_files_are_missing(shop: Workshop, machine: Path) -> None:
    printed = shop.run([machine, "32768", "262144", "64", shop.folder / "none" / "file"])
    assert "lacks files No such file or directory" in printed.splitlines()
    of_caches = {f"{level}_miss_{how}" for level in ("l1", "l2") for how in ("streamed", "chased")}
    of_pages = {"allocation", "page_fault", "huge_page_fault"}
    of_operations = {"division_independent", "division_dependent", "denormal", "branch_miss"}
    found = set(printed_prices(printed)) | of_pages | of_operations  # without those that cost nothing more
    assert found == {*of_caches, *of_pages, *of_operations, "memory_streamed"}
    assert all(printed_prices(printed)[name] > 0 for name in ("allocation", "page_fault"))


def test_roofs_are_built_for_the_processor_and_all_cores_share_its_memory(shop: Workshop) -> None:
    found, missing, how = roofs(shop, [])
    assert (set(found), missing) == (set(ROOFS), {})
    assert 1 <= int(how["cores"]) <= (os.cpu_count() or 1)
    assert how["flags"].startswith("-std=gnu11 -O3 -pthread")


@pytest.mark.nightly
def test_a_node_that_lacks_the_instructions_gets_those_of_any(shop: Workshop) -> None:
    tried = shop.folder / "tried"
    refusing = f'[ -e {tried} ] || {{ touch {tried}; kill -ILL $$; }}; exec "$0"'
    found, _, how = roofs(shop, ["sh", "-c", refusing])
    assert set(found) == set(ROOFS)
    assert "-mprefer-vector-width=512" not in how["flags"]


def test_threads_that_share_cores_leave_the_last_barrier(shop: Workshop) -> None:
    cores = "struct aa_cores cores = {.number = 3, .processors = (int[]){0, 0, 0}};"
    main = f'#include "barrier.h"\nint main(void) {{ {cores} return aa_barrier(&cores) <= 0; }}\n'
    (source := shop.folder / "main.c").write_text(main)
    flags = ("-std=gnu11", "-O3", "-pthread", f"-I{Path(roofs.__code__.co_filename).parent}")
    sources = (str(source), "barrier.c", "cores.c", "work.c")
    program = shop.build("barriers", sources, [(*c_compilers(os.environ, "a test")[0], *STRICT)], flags=flags)
    assert [shop.run([program], patience=1200.0) for _ in range(5)] == [""] * 5


def test_without_memory_beyond_the_caches_only_operations_are_known(shop: Workshop) -> None:
    found, missing, _ = roofs(shop, ["sh", "-c", 'ulimit -v 60000; exec "$0"'])
    assert set(found) == {"flop", "omp_barrier"}
    assert missing == dict.fromkeys(("memory_byte", "memory_byte_shared"), SMALL)


def test_without_a_compiler_all_roofs_are_missing(tmp_path: Path) -> None:
    found, missing, how = roofs(Workshop(tmp_path, {"PATH": str(tmp_path)}), [])
    assert (found, how) == ({}, {})
    why = "no C compiler on PATH to build the machine benchmark; install gcc"
    assert missing == dict.fromkeys(ROOFS, why)


def test_the_lower_price_of_several_processes_counts_whatever_a_launcher_puts_before_their_lines() -> None:
    assert printed_prices("0: price mpi_call 2e-7\n1: price mpi_call 1e-7\nprice of bread\n") == {"mpi_call": 1e-7}


def test_one_rank_sends_no_messages(shop: Workshop, mpi: tuple[str, str]) -> None:
    launcher, _ = mpi
    found, missing = messages(shop, [launcher, "-n", "1"], find_mpi([launcher]))
    assert found == {}
    assert set(missing.values()) == {"expected at least 2 ranks, found 1"}
    assert set(missing) == {"mpi_call", "mpi_byte", "mpi_call_across", "mpi_byte_across"}


def test_two_ranks_of_a_node_do(shop: Workshop) -> None:
    found, missing = messages(shop, ["mpirun.mpich", "-n", "2"], find_mpi(["mpirun.mpich"]), rounds=1)
    assert 0 < found["mpi_byte"] < found["mpi_call"]
    assert set(missing) == {"mpi_call_across", "mpi_byte_across"}


def test_the_launcher_of_another_mpi_is_found_out(shop: Workshop) -> None:
    found, missing = messages(shop, ["mpirun.mpich", "-n", "2"], find_mpi(["mpirun.openmpi"]))
    assert found == {}
    assert set(missing.values()) == {"2 processes, each rank 0 of 1: the launcher belongs to another MPI library"}


def test_without_mpi_that_is_said(shop: Workshop) -> None:
    _, missing = messages(shop, [], Mpi(None))
    assert set(missing.values()) == {"no mpirun or mpiexec of an MPI library on PATH"}


def test_a_compiler_that_fails_and_a_program_that_fails_are_named_in_one_line(shop: Workshop) -> None:
    with pytest.raises(BuildError, match=r"gcc -fnone cannot build machine\.c: .*-fnone"):
        shop.build("machine", MACHINE, [("gcc", "-fnone")])
    with pytest.raises(InputError, match=r"sh: broken$"):
        shop.run(["sh", "-c", "echo broken >&2; exit 3"])
    with pytest.raises(InputError, match="none: cannot be started: No such file or directory"):
        shop.run(["none"])
