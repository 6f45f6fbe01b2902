import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from autoanalyzer.errors import BuildError
from autoanalyzer.experiment.metric import MPI_PARTS
from autoanalyzer.runtime.build import WARNINGS, probe_library
from autoanalyzer.runtime.mpi.byte_rules import RULES
from autoanalyzer.runtime.mpi.c_wrappers import function_list, wrapper_text
from autoanalyzer.runtime.mpi.detection import Mpi, find_mpi
from autoanalyzer.runtime.mpi.fortran_wrappers import fortran_wrapper_text
from autoanalyzer.runtime.mpi.prototypes import read_prototypes
from autoanalyzer.runtime.mpi.timed_functions import FILE_TIMED, TIMED
from autoanalyzer.runtime.mpi.wrapped_functions import BY_HAND
from autoanalyzer.runtime.papi.choices import choices_text

from .conformance.cases import kind_of
from .conftest import PROGRAMS, preprocessed

ROOT = Path(__file__).parents[2]
PROBE = ROOT / "runtime" / "probe"

# Blocking, non-blocking and persistent communication according to MPI 3.1, without probes.
POINT_TO_POINT = """
    Send Bsend Ssend Rsend Isend Ibsend Issend Irsend Send_init Bsend_init Ssend_init Rsend_init
    Recv Irecv Recv_init Mrecv Imrecv Sendrecv Sendrecv_replace
"""
COLLECTIVE = """
    Barrier Bcast Reduce Allreduce Scan Exscan Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall
    Alltoallv Alltoallw Reduce_scatter Reduce_scatter_block Neighbor_allgather Neighbor_allgatherv
    Neighbor_alltoall Neighbor_alltoallv Neighbor_alltoallw
"""


# Part of mpi_time, or what remains of it → kind.
PARTS = {
    "mpi_start_end_time": "start_end",
    "mpi_barrier_time": "barrier",
    "mpi_collective_time": "collective",
    "mpi_all_to_all_time": "all_to_all",
    "mpi_point_to_point_time": "send_receive",
    "mpi_send_time": "send",
    "mpi_receive_time": "receive",
    "mpi_request_time": "request",
    "mpi_one_sided_time": "one_sided",
    "mpi_other_time": "other",
}


def exported(library: Path) -> set[str]:
    listing = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True)
    return {line.split()[-1] for line in listing.stdout.splitlines()}


def test_no_c_code_gives_a_warning(mpi: tuple[str, str]) -> None:
    assert probe_library(find_mpi([mpi[0]])).with_name(WARNINGS).read_text() == ""


@pytest.mark.long
@pytest.mark.by_day(mpi=["openmpi"])
def test_no_c_code_gives_a_warning_of_clang(mpi: tuple[str, str], tmp_path: Path) -> None:
    """One process of clang checks all files, because its start takes longer than a file does."""
    _, compiler = mpi
    environment = {**os.environ, "OMPI_CC": "clang", "MPICH_CC": "clang"}
    prototypes = read_prototypes(preprocessed(compiler))
    (tmp_path / "papi_choices.h").write_text(choices_text())
    (tmp_path / "mpi_functions.h").write_text(function_list(prototypes))
    (tmp_path / "mpi_wrappers.c").write_text(wrapper_text(prototypes))
    (tmp_path / "mpi_fortran_wrappers.c").write_text(fortran_wrapper_text(prototypes))
    sources = [*PROBE.glob("*.c"), *tmp_path.glob("mpi_*.c")]
    words = [compiler, "-std=gnu11", "-c", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-U_FORTIFY_SOURCE"]
    words += ['-DAA_MPI_FILE=""', '-DAA_MPI_SONAME=""', '-DAA_PROBE_FILE=""', f"-I{PROBE}", f"-I{tmp_path}"]
    words += ["-###", str(sources[0])]
    shown = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stderr
    of_one = shlex.split(next(line for line in shown.splitlines() if '"-cc1"' in line))
    name = of_one.index("-main-file-name")
    one_process = [word for word in (*of_one[:name], *of_one[name + 2 :]) if word != str(sources[0])]
    done = subprocess.run([*one_process, *map(str, sources)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_communication_function_is_wrapped(mpi: tuple[str, str]) -> None:
    launcher, _ = mpi
    symbols = exported(probe_library(find_mpi([launcher])))
    blocking = COLLECTIVE.split()
    nonblocking = [f"I{name[0].lower()}{name[1:]}" for name in blocking]
    for name in [*POINT_TO_POINT.split(), *blocking, *nonblocking, *BY_HAND.split()]:
        assert {f"MPI_{name}", f"PMPI_{name}"} <= symbols


def test_every_name_that_fortran_has_for_them_is_wrapped(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = tmp_path / "program"
    source = tmp_path / "program.f90"
    source.write_text("use mpi_f08\ncall MPI_Init()\ncall MPI_Finalize()\nend\n")
    subprocess.run([compiler.replace("mpicc", "mpifort"), str(source), "-o", str(program)], check=True)
    listing = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True).stdout
    libraries = [Path(path) for path in re.findall(r"=> (/\S*/libmpi\S*)", listing)]
    lists = [POINT_TO_POINT, COLLECTIVE, BY_HAND, *TIMED.values()]
    functions = "|".join(" ".join(lists).split()).lower()
    name = re.compile(rf"mpi_i?({functions})(_cptr)?(__?|(_c)?_f08(ts)?_(large_)?)")
    names = {symbol for library in libraries for symbol in exported(library) if name.fullmatch(symbol)}
    assert {"mpi_send_", "mpi_ialltoallw_", "mpi_waitall_f08_", "mpi_barrier_f08_"} < names
    assert names - exported(probe_library(find_mpi([launcher]))) == set()


def test_large_count_functions_are_wrapped_where_the_library_has_them() -> None:
    prototypes = read_prototypes(preprocessed("mpicc.mpich"))
    text = wrapper_text(prototypes)
    for name in ("Send_c", "Irecv_c", "Alltoallw_c", "Ineighbor_alltoallv_c", "Bcast_init_c"):
        assert re.search(rf"AA_MPI_FUNCTION\({name},", text)


def test_only_wrappers_and_probes_are_exported(mpi: tuple[str, str]) -> None:
    launcher, _ = mpi
    symbols = exported(probe_library(find_mpi([launcher])))
    libc = subprocess.run(["gcc", "-print-file-name=libc.so.6"], capture_output=True, text=True, check=True)
    known = {symbol.split("@")[0] for symbol in exported(Path(libc.stdout.strip()))}
    newer = {"__isoc23_scanf", "__isoc23_fscanf", "__isoc23_vscanf", "__isoc23_vfscanf"}
    gfortran = {f"_gfortran_st_{name}" for name in ("read", "read_done", "write", "write_done")}
    openmp = {"ompt_start_tool", *(symbol for symbol in symbols if symbol.startswith(("GOMP_", "omp_")))}
    named = symbols - known - newer - gfortran - openmp
    foreign = {symbol for symbol in named if not symbol.startswith(("MPI_", "PMPI_", "mpi_"))}
    python = {f"aa_python_{name}" for name in ("open", "region", "mark", "callback", "profile", "append")}
    assert foreign == {
        *(
            f"aa_probe_{name}"
            for name in (
                "enter",
                "enter_counted",
                "enter_in_slot",
                "enter_slot",
                "exit",
                "exit_or_pass",
                "resync",
                "stack",
                "main",
            )
        ),
        *python,
    }


def test_attributes_and_unusable_functions_of_a_header_are_passed_over() -> None:
    text = """
    # 1 "mpi.h"
    extern __attribute__((visibility("default"))) int MPI_Send(const void *buf, int count, MPI_Comm comm)
        __attribute__((pointer_with_type_tag(MPI,1,3))) ;
    int MPI_Pcontrol(const int level, ...);
    int MPI_Op_create(void (*user_fn)(void *, int), int commute, MPI_Op *op);
    int MPI_Finalize(void);
    double MPI_Wtime(void);
    """
    prototypes = read_prototypes(text)
    assert set(prototypes) == {"Send", "Finalize"}
    assert prototypes["Send"].declared(["a", "b", "c"]) == "const void *a, int b, MPI_Comm c"


def test_a_function_with_unknown_parameters_is_refused() -> None:
    prototypes = read_prototypes("int MPI_Bcast(void *buf, int count, MPI_Comm comm);")
    with pytest.raises(BuildError, match="MPI_Bcast with 3 parameters instead of 5"):
        wrapper_text(prototypes)


def test_a_header_older_than_mpi_3_is_refused() -> None:
    with pytest.raises(BuildError, match=r"MPI 3\.0"):
        function_list(read_prototypes("int MPI_Init(int *argc, char ***argv);"))


def test_every_function_is_in_the_documentation() -> None:
    text = (ROOT / "docs" / "bytes.md").read_text()
    timed = " ".join([*TIMED.values(), FILE_TIMED, BY_HAND]).split()
    names = [*timed, *(name for rule in RULES for name in rule.names.split())]
    assert [name for name in names if f"`{name}`" not in text] == []


def test_the_documentation_has_the_time_of_every_function_where_it_is() -> None:
    text = (ROOT / "docs" / "bytes.md").read_text().partition("## Time\n")[2]
    rows = [re.findall(r"`(\w+)`", row) for row in text.partition("\n\n- ")[0].splitlines() if row.startswith("| `")]
    documented = {name: PARTS[metric] for metric, *names in rows for name in names if name[0].isupper()}
    by_rule = {name: rule.kind for rule in RULES for name in rule.names.split()}
    by_rule |= {name: kind for kind, names in TIMED.items() for name in names.split()}
    assert by_rule.items() <= documented.items()
    by_hand = set(f"{BY_HAND} Session_init Session_finalize".split()) - {"Abort", "File_open", "File_close"}
    assert documented.keys() - by_rule.keys() == by_hand
    assert {name: kind_of(name) for name in documented} == documented
    assert set(PARTS) == {part.name for part in MPI_PARTS}


def test_requests_are_found_again_among_thousands(tmp_path: Path) -> None:
    program = tmp_path / "table"
    flags = ["-std=gnu11", "-g", "-fsanitize=address,undefined", "-Wall", "-Wextra", "-Werror", f"-I{PROBE}"]
    sources = [str(PROGRAMS / "mpi_request_table.c"), str(PROBE / "mpi_request_table.c")]
    subprocess.run(["gcc", *flags, *sources, "-o", str(program), "-lpthread"], check=True)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "ok\n"


def test_without_mpi_there_are_only_io_wrappers() -> None:
    symbols = exported(probe_library(Mpi(None)))
    assert "write" in symbols
    assert not any(symbol.startswith("MPI_") for symbol in symbols)
