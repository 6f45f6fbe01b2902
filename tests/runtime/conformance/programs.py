"""Write the program that executes the cases, in C and with each Fortran binding."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from .cases import Case

__all__ = ["c_program", "fortran_program"]

_WITH_COUNTS: Final = ("counts", "same", "two", "places", "spread", "bytes", "strides", "two_places")

# ---- C

_C_WORDS: Final = {
    "AINT_0": "0",
    "AINT_64": "64",
    "AT": "at",
    "COMM_TYPE_SHARED": "MPI_COMM_TYPE_SHARED",
    "CREATE": "MPI_MODE_CREATE | MPI_MODE_RDWR",
    "DISP_4": "4",
    "ERRORS": "MPI_ERRORS_ARE_FATAL",
    "FALSE": "0",
    "INFO": "MPI_INFO_NULL",
    "INT": "MPI_INT",
    "LARGE_ONE": "1",
    "LOCK_SHARED": "MPI_LOCK_SHARED",
    "N": "6",
    "NAME": '"case"',
    "NATIVE": '"native"',
    "NO_OP": "MPI_NO_OP",
    "OFFSET_0": "0",
    "OFFSET_4096": "4096",
    "OWN": "rank + 1",
    "PATH": '"data"',
    "PROC_NULL": "MPI_PROC_NULL",
    "SEEK_SET": "MPI_SEEK_SET",
    "STATUS": "MPI_STATUS_IGNORE",
    "STATUSES": "MPI_STATUSES_IGNORE",
    "SUM": "MPI_SUM",
    "TAG": "1",
    "self": "MPI_COMM_SELF",
    "world": "MPI_COMM_WORLD",
}

_C_HEAD: Final = """
#include "case.h"
#include <mpi.h>
#define MOST 8
static int rank, ranks, next, before, root, leader, is_lower, lower;
static int out[256], in[256], place, flag, done, which, indices[2];
static int counts[MOST], places[MOST], same[MOST], spread[MOST], bytes[MOST], strides[MOST], ends[MOST], edges[MOST];
static int two[] = {6, 6}, two_places[] = {0, 6}, three[] = {3}, ones[] = {1}, dims[1], periods[] = {1};
static int this[1], preceding[1], following[1], others[MOST], own_others[MOST];
#if MPI_VERSION >= 4
static MPI_Count large_place, large_counts[MOST], large_same[MOST], large_two[] = {6, 6};
static MPI_Aint large_places[MOST], large_spread[MOST], large_bytes[MOST], large_strides[MOST];
static MPI_Aint large_two_places[] = {0, 6};
static MPI_Session session;
#endif
static MPI_Aint far[] = {0, 24};
static MPI_Datatype types[MOST];
static MPI_Comm comm, ring, graph, half, inter;
static MPI_Group group_all, group_before, group_next, group_half, group_other;
static MPI_Request request, other, requests[2];
static MPI_Status status;
static MPI_Message message;
static MPI_Win win, window;
static MPI_File file;
static MPI_Offset at, offset;
static MPI_Info info;
static char own_path[32], room[8192];
static void *base, *buffer;

static void prepare(void) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, root = ranks - 1, at = rank * 24;
    lower = ranks / 2, is_lower = rank < lower, leader = is_lower ? lower : 0;
    dims[0] = ranks, this[0] = rank, preceding[0] = before, following[0] = next;
    for (int k = 0; k < MOST; k++) {
        counts[k] = k + 1, places[k] = k * (k + 1) / 2, bytes[k] = 4 * places[k], types[k] = MPI_INT;
        same[k] = rank + 1, spread[k] = k * (rank + 1), strides[k] = 4 * spread[k];
        ends[k] = k + 1, edges[k] = (k + 1) % ranks;
#if MPI_VERSION >= 4
        large_counts[k] = counts[k], large_places[k] = places[k], large_bytes[k] = bytes[k];
        large_same[k] = same[k], large_spread[k] = spread[k], large_strides[k] = strides[k];
#endif
    }
    snprintf(own_path, sizeof own_path, "own.%d", rank);
    MPI_Info_create(&info);
    MPI_Buffer_attach(room, sizeof room);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    int around[] = {before, next}, weights[] = {1, 1};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, around, weights, 2, around, weights, MPI_INFO_NULL, 0, &graph);
    MPI_Comm_split(MPI_COMM_WORLD, is_lower, rank, &half);
    MPI_Comm_group(MPI_COMM_WORLD, &group_all);
    MPI_Comm_group(half, &group_half);
    MPI_Group_difference(group_all, group_half, &group_other);
    MPI_Group_incl(group_all, 1, &before, &group_before);
    MPI_Group_incl(group_all, 1, &next, &group_next);
    MPI_Win_allocate(256, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
}

int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    prepare();
    open_cases(rank);
"""

_C_END: Final = """
    close_cases();
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
"""


def c_program(cases: Sequence[Case]) -> str:
    """Return the program's source in C."""
    lines = [_C_HEAD]
    for case in cases:
        lines.append("    if (ranks > 1)\n" if case.several else "")
        calls = " ".join(_c_call(call, large=case.large) for call in case.calls)
        lines.append(f'    CASE("{case.name}", 0, 0, 0, {calls});\n')
    return "".join([*lines, _C_END])


def _c_call(call: str, *, large: bool) -> str:
    words = call.split()
    if words[0] == "until":
        return f"do {_c_call(' '.join(words[2:]), large=large)} while (!{words[1]});"
    return f"MPI_{words[0]}({', '.join(_c_word(word, large=large) for word in words[1:])});"


def _c_word(word: str, *, large: bool) -> str:
    if word.endswith("&"):
        return f"&{word[:-1]}"
    return f"large_{word}" if large and word in _WITH_COUNTS else _C_WORDS.get(word, word)


# ---- Fortran

_FORTRAN_WORDS: Final = _C_WORDS | {
    "AINT_0": "0_MPI_ADDRESS_KIND",
    "AINT_64": "64_MPI_ADDRESS_KIND",
    "CREATE": "MPI_MODE_CREATE + MPI_MODE_RDWR",
    "FALSE": ".false.",
    "INT": "MPI_INTEGER",
    "LARGE_ONE": "1_MPI_COUNT_KIND",
    "NAME": "'case'",
    "NATIVE": "'native'",
    "OFFSET_0": "0_MPI_OFFSET_KIND",
    "OFFSET_4096": "4096_MPI_OFFSET_KIND",
    "PATH": "'data'",
    "three": "[3]",
}

_FORTRAN_LARGE: Final = {
    "N": "6_MPI_COUNT_KIND",
    "OWN": "int(rank + 1, MPI_COUNT_KIND)",
    "DISP_4": "4_MPI_ADDRESS_KIND",
}

_FORTRAN_PROGRAM: Final = """
  implicit none
  integer :: rank, ranks, next, before, root, leader, lower, k, error, provided
  integer :: out(256), in(256), place, done, which, indices(2), room(2048)
  integer, dimension(0:7) :: counts, places, same, spread, bytes, strides, ends, edges
  integer :: two(2) = [6, 6], two_places(2) = [0, 6], ones(1) = 1, dims(1), this(1), preceding(1), following(1)
  logical :: flag, periods(1) = .true., is_lower
  integer(kind=MPI_COUNT_KIND) :: large_place, large_counts(0:7), large_same(0:7), large_two(2) = 6
  integer(kind=MPI_ADDRESS_KIND), dimension(0:7) :: large_places, large_spread, large_bytes, large_strides
  integer(kind=MPI_ADDRESS_KIND) :: large_two_places(2) = [0, 6], far(2) = [0, 24]
  integer(kind=MPI_OFFSET_KIND) :: at, offset
  {types}
  character(len=32) :: own_path
  call MPI_Init_thread(MPI_THREAD_SINGLE, provided, error)
  call prepare()
  call open_cases(rank)
{cases}
  call close_cases()
  call MPI_Win_free(win, error)
  call MPI_Finalize(error)
contains
  subroutine prepare()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    next = modulo(rank + 1, ranks)
    before = modulo(rank - 1, ranks)
    root = ranks - 1
    at = rank*24
    lower = ranks/2
    is_lower = rank < lower
    leader = merge(lower, 0, is_lower)
    dims = ranks
    this = rank
    preceding = before
    following = next
    do k = 0, 7
      counts(k) = k + 1
      places(k) = k*(k + 1)/2
      bytes(k) = 4*places(k)
      types(k) = MPI_INTEGER
      same(k) = rank + 1
      spread(k) = k*(rank + 1)
      strides(k) = 4*spread(k)
      ends(k) = k + 1
      edges(k) = modulo(k + 1, ranks)
    end do
    large_counts = counts
    large_same = same
    large_places = places
    large_spread = spread
    large_bytes = bytes
    large_strides = strides
    write (own_path, '("own.", i0)') rank
    call MPI_Info_create(info, error)
    call MPI_Buffer_attach(room, 8192, error)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., ring, error)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, [before, next], [1, 1], 2, [before, next], [1, 1], &
                                        MPI_INFO_NULL, .false., graph, error)
    call MPI_Comm_split(MPI_COMM_WORLD, merge(1, 0, is_lower), rank, half, error)
    call MPI_Comm_group(MPI_COMM_WORLD, group_all, error)
    call MPI_Comm_group(half, group_half, error)
    call MPI_Group_difference(group_all, group_half, group_other, error)
    call MPI_Group_incl(group_all, 1, preceding, group_before, error)
    call MPI_Group_incl(group_all, 1, following, group_next, error)
    call MPI_Win_allocate(256_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, error)
  end subroutine prepare
"""

# Type of MPI objects in mpi_f08 → the variables. In the other bindings, these are integers.
_OBJECTS: Final = {
    "MPI_Comm": "comm, ring, graph, half, inter",
    "MPI_Group": "group_all, group_before, group_next, group_half, group_other",
    "MPI_Request": "request, other, requests(2)",
    "MPI_Message": "message",
    "MPI_Win": "win, window",
    "MPI_File": "file",
    "MPI_Info": "info",
    "MPI_Datatype": "types(0:7)",
}


def fortran_program(cases: Sequence[Case], binding: str) -> str:
    """Return the program's source in Fortran with a binding: ``mpif.h``, ``mpi`` or ``mpi_f08``."""
    uses, includes = (f"  use {binding}\n", "") if binding != "mpif.h" else ("", "  include 'mpif.h'\n")
    has_sessions = any("session" in call for case in cases for call in case.calls)
    types = "\n  ".join(_objects(is_f08=binding == "mpi_f08", has_sessions=has_sessions))
    body = _FORTRAN_PROGRAM.replace("  implicit none\n", f"  implicit none\n{includes}", 1)
    body = body.replace("{types}", types).replace("{cases}", "".join(map(_fortran_case, cases)))
    return f"program conformance\n{uses}  use, intrinsic :: iso_c_binding\n  use cases\n{body}end program conformance\n"


def _objects(*, is_f08: bool, has_sessions: bool) -> Iterator[str]:
    yield f"{'type(MPI_Status) :: status' if is_f08 else 'integer :: status(MPI_STATUS_SIZE)'}"
    for name, variables in (_OBJECTS | ({"MPI_Session": "session"} if has_sessions else {})).items():
        yield f"{f'type({name})' if is_f08 else 'integer'} :: {variables}"
    yield f"{'type(c_ptr)' if is_f08 else 'integer(kind=MPI_ADDRESS_KIND)'} :: base, buffer"


def _fortran_case(case: Case) -> str:
    calls = "".join(_fortran_call(call, large=case.large) for call in case.calls)
    text = f"  call enter('{case.name}')\n{calls}  call leave('{case.name}', 0, 0, 0)\n"
    return f"  if (ranks > 1) then\n{text}  end if\n" if case.several else text


def _fortran_call(call: str, *, large: bool) -> str:
    words = call.split()
    if words[0] == "until":
        start, go_on = ("flag = .false.", ".not. flag") if words[1] == "flag" else ("done = 0", "done == 0")
        return f"  {start}\n  do while ({go_on})\n{_fortran_call(' '.join(words[2:]), large=large)}  end do\n"
    arguments = [_fortran_word(word, large=large) for word in words[1:]]
    return f"  call MPI_{words[0].removesuffix('_c')}({', '.join([*arguments, 'error'])})\n"


def _fortran_word(word: str, *, large: bool) -> str:
    name = re.sub(r"\[(\d)\]", lambda match: f"({int(match[1]) + 1})", word.removesuffix("&"))
    if large and name in _WITH_COUNTS:
        return f"large_{name}"
    return (_FORTRAN_LARGE if large else {}).get(name, _FORTRAN_WORDS.get(name, name))
