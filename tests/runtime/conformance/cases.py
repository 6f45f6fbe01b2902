"""Cases: MPI calls with known bytes and kinds, in a notation from which C and Fortran programs are generated.

A call is a name without ``MPI_`` and its arguments. Capitalised arguments are constants; an ``&`` after a name stands
for its address in C. Expected values are Python expressions of ``r``, the rank, and ``n``, the number of ranks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from autoanalyzer.runtime.mpi.functions import LOCAL

__all__ = ["Case", "all_cases", "kind_of"]

P: Final = 24
"""Size of a part of a message in bytes: six integers. If counts vary by rank, rank r's part has r + 1 integers."""


@dataclass(frozen=True, slots=True)
class Case:
    """Calls in a region of their own, and what should be recorded for this region.

    Attributes:
        name: The function that the case tests, and the region's name.
        calls: Each ``NAME ARGUMENT …``; if ``until VARIABLE`` precedes, the call is repeated until this is not 0.
        sent: Bytes passed to MPI.
        received: Bytes received from MPI.
        transfers: Calls that count as file I/O; calls on files do not count as MPI calls.
        read: Bytes read from files.
        written: Bytes written to files.
        large: Whether it is the large-count form.
        several: Whether more than one rank is needed.
    """

    name: str
    calls: tuple[str, ...]
    sent: str = "0"
    received: str = "0"
    transfers: int = 0
    read: str = "0"
    written: str = "0"
    large: bool = False
    several: bool = False

    @property
    def functions(self) -> list[str]:
        """The functions that are called, without ``MPI_``, in order."""
        return [words[2] if words[0] == "until" else words[0] for words in map(str.split, self.calls)]

    @property
    def kinds(self) -> set[str]:
        """The kinds of MPI calls that take time."""
        return {kind_of(name) for name in self.functions if name not in LOCAL and not name.startswith("File_")}

    @property
    def mpi_calls(self) -> int:
        """The number of MPI calls; of repeated calls, only the last one counts."""
        return sum(name not in LOCAL and not name.startswith("File_") for name in self.functions)


# Kind → pattern of the functions' names, by the standard's chapters. All other functions, such as those for
# communicators and processes, are of the kind "other".
_KINDS: Final = {
    "start_end": "(Session_)?(Init(_thread)?|Finalize)",
    "barrier": "I?Barrier(_init)?",
    "all_to_all": r"I?(All(reduce|gatherv?|toall[vw]?)|Reduce_scatter(_block)?)(_init)?",
    "collective": r"I?(Bcast|Reduce|(Ex)?scan|(Gather|Scatter)v?|Neighbor_\w+)(_init)?",
    "send_receive": r"I?Sendrecv(_replace)?",
    "send": r"I?[BSR]?send(_init)?|Psend(_init)?|Pready(_\w+)?|((Comm|Session)_)?(Buffer_)?(detach|i?flush)(_buffer)?",
    "receive": r"I?M?recv(_init)?|Precv(_init)?|I?M?probe|Parrived",
    "request": r"(Wait|Test)(any|all|some)?|Start(all)?|Cancel|Request_\w+",
    "one_sided": r"Win_\w+|R?(Put|(Get_)?accumulate|Get)|Fetch_and_op|Compare_and_swap",
}


def kind_of(function: str) -> str:
    """Return the kind of an MPI function, such as ``barrier``; its name is without ``MPI_``."""
    name = function.removesuffix("_c")
    found = [kind for kind, names in _KINDS.items() if re.fullmatch(names, name, re.IGNORECASE)]
    return found[0] if found else "other"


def all_cases() -> list[Case]:
    """Return all cases, in the order in which the program executes them."""
    return [*_point_to_point(), *_completions(), *_collectives(), *_one_sided(), *_files(), *_time_only()]


# ---- point-to-point communication around a ring of ranks

_SEND = "out N INT next TAG world"
_RECV = "in N INT before TAG world"
_RECEIVE = f"Irecv {_RECV} other&"
_ISEND = f"Isend {_SEND} request&"
_WAIT, _WAIT_OTHER = "Wait request& STATUS", "Wait other& STATUS"
_FREE = "Request_free request&"


def _point_to_point() -> Iterator[Case]:
    for name, first in (("Send", ()), ("Bsend", ()), ("Ssend", ()), ("Rsend", ("Barrier world",))):
        for large, c in ((False, ""), (True, "_c")):
            before = (_RECEIVE, *first)
            immediate, initial = f"I{name.lower()}{c}", f"{name}_init{c}"
            yield Case(name + c, (*before, f"{name}{c} {_SEND}", _WAIT_OTHER), f"{P}", f"{P}", large=large)
            calls = (*before, f"{immediate} {_SEND} request&", _WAIT, _WAIT_OTHER)
            yield Case(immediate, calls, f"{P}", f"{P}", large=large)
            calls = (f"{initial} {_SEND} request&", *before, "Start request&", _WAIT, _WAIT_OTHER, _FREE)
            yield Case(initial, calls, f"{P}", f"{P}", large=large)
    for large, c in ((False, ""), (True, "_c")):
        yield from _receives(large=large, c=c)
        yield from _exchanges(large=large, c=c)
    yield Case("Probe", (_ISEND, "Probe before TAG world STATUS", f"Recv {_RECV} STATUS", _WAIT), f"{P}", f"{P}")
    probe = "until flag Iprobe before TAG world flag& STATUS"
    yield Case("Iprobe", (_ISEND, probe, f"Recv {_RECV} STATUS", _WAIT), f"{P}", f"{P}")
    probe = "until flag Improbe before TAG world flag& message& STATUS"
    yield Case("Improbe", (_ISEND, probe, "Mrecv in N INT message& STATUS", _WAIT), f"{P}", f"{P}")
    partitions = ("Pready 0 request", "Pready_range 1 2 request", "Pready_list 1 three request")
    start = (
        "Psend_init out 4 LARGE_ONE INT next TAG world INFO request&",
        "Precv_init in 4 LARGE_ONE INT before TAG world INFO other&",
        *("Start request&", "Start other&", *partitions),
    )
    end = (_WAIT, _WAIT_OTHER, _FREE, "Request_free other&")
    yield Case("Psend_init", (*start, *end), "16", "16")
    yield Case("Parrived", (*start, "until flag Parrived other 0 flag&", *end), "16", "16")


def _receives(*, large: bool, c: str) -> Iterator[Case]:
    both = (f"{P}", f"{P}")
    yield Case(f"Recv{c}", (_ISEND, f"Recv{c} {_RECV} STATUS", _WAIT), *both, large=large)
    yield Case(f"Irecv{c}", (_ISEND, f"Irecv{c} {_RECV} other&", _WAIT, _WAIT_OTHER), *both, large=large)
    calls = (f"Recv_init{c} {_RECV} other&", _ISEND, "Start other&", _WAIT, _WAIT_OTHER, "Request_free other&")
    yield Case(f"Recv_init{c}", calls, *both, large=large)
    probe = "Mprobe before TAG world message& STATUS"
    yield Case(f"Mrecv{c}", (_ISEND, probe, f"Mrecv{c} in N INT message& STATUS", _WAIT), *both, large=large)
    calls = (_ISEND, probe, f"Imrecv{c} in N INT message& other&", _WAIT_OTHER, _WAIT)
    yield Case(f"Imrecv{c}", calls, *both, large=large)


def _exchanges(*, large: bool, c: str) -> Iterator[Case]:
    both = (f"{P}", f"{P}")
    exchange, replace = "out N INT next TAG in N INT before TAG world", "in N INT next TAG before TAG world"
    yield Case(f"Sendrecv{c}", (f"Sendrecv{c} {exchange} STATUS",), *both, large=large)
    yield Case(f"Isendrecv{c}", (f"Isendrecv{c} {exchange} request&", _WAIT), *both, large=large)
    yield Case(f"Sendrecv_replace{c}", (f"Sendrecv_replace{c} {replace} STATUS",), *both, large=large)
    yield Case(f"Isendrecv_replace{c}", (f"Isendrecv_replace{c} {replace} request&", _WAIT), *both, large=large)


# ---- completion of several requests: a receive and a send


def _completions() -> Iterator[Case]:
    both = (f"{P}", f"{P}")
    # In Fortran, Request_get_status of Open MPI 4.1 does not set the flag if the status is ignored.
    post = (f"Irecv {_RECV} requests[0]&", f"Isend {_SEND} requests[1]&")
    wait_all = "Waitall 2 requests STATUSES"
    yield Case("Waitall", (*post, wait_all), *both)
    yield Case("Waitany", (*post, *["Waitany 2 requests which& STATUS"] * 2), *both)
    yield Case("Waitsome", (*post, "Waitsome 2 requests done& indices STATUSES", wait_all), *both)
    yield Case("Testall", (*post, "until flag Testall 2 requests flag& STATUSES"), *both)
    yield Case("Testany", (*post, *["until flag Testany 2 requests which& flag& STATUS"] * 2), *both)
    yield Case("Testsome", (*post, "until done Testsome 2 requests done& indices STATUSES", wait_all), *both)
    calls = (_RECEIVE, _ISEND, _WAIT, "until flag Test other& flag& STATUS")
    yield Case("Test", calls, *both)
    calls = (_RECEIVE, _ISEND, _WAIT, "until flag Request_get_status other flag& status&", _WAIT_OTHER)
    yield Case("Request_get_status", calls, *both)
    for form, arguments in (
        ("all", "2 requests flag& STATUSES"),
        ("any", "2 requests which& flag& STATUS"),
        ("some", "2 requests done& indices STATUSES"),
    ):
        name = f"Request_get_status_{form}"
        poll = f"until {'done' if form == 'some' else 'flag'} {name} {arguments}"
        yield Case(name, (*post, poll, wait_all), *both)
    persistent = (f"Recv_init {_RECV} requests[0]&", f"Send_init {_SEND} requests[1]&")
    free = ("Request_free requests[0]&", "Request_free requests[1]&")
    yield Case("Startall", (*persistent, "Startall 2 requests", wait_all, *free), *both)
    yield Case("Cancel", (_RECEIVE, "Cancel other&", _WAIT_OTHER))


# ---- collectives; the last rank is the root, and neighbours are those in a ring, or in the same ring as a graph

_OWN, _ALL = "4*(r+1)", "2*n*(n+1)"
_ROOT = "(r==n-1)"
_PAIR = f"{P},{2 * P}"
_COLLECTIVES: Final = f"""
    Barrier              | world                                             | 0               | 0
    Bcast                | in N INT root world                               | {P}*{_ROOT}     | {P}*(r!=n-1)
    Gather               | out N INT in N INT root world                     | {P}             | n*{P}*{_ROOT}
    Gatherv              | out OWN INT in counts places INT root world       | {_OWN}          | {_ALL}*{_ROOT}
    Scatter              | out N INT in N INT root world                     | n*{P}*{_ROOT}   | {P}
    Scatterv             | out counts places INT in OWN INT root world       | {_ALL}*{_ROOT}  | {_OWN}
    Allgather            | out N INT in N INT world                          | {P}             | n*{P}
    Allgatherv           | out OWN INT in counts places INT world            | {_OWN}          | {_ALL}
    Alltoall             | out N INT in N INT world                          | n*{P}           | n*{P}
    Alltoallv            | out counts places INT in same spread INT world    | {_ALL}          | n*{_OWN}
    Alltoallw            | out counts bytes types in same strides types world | {_ALL}         | n*{_OWN}
    Reduce               | out in N INT SUM root world                       | {P}             | {P}*{_ROOT}
    Allreduce            | out in N INT SUM world                            | {P}             | {P}
    Scan                 | out in N INT SUM world                            | {P}             | {P}
    Exscan               | out in N INT SUM world                            | {P}             | {P}*(r>0)
    Reduce_scatter       | out in counts INT SUM world                       | {_ALL}          | {_OWN}
    Reduce_scatter_block | out in N INT SUM world                            | n*{P}           | {P}
    Neighbor_allgather   | out N INT in N INT ring                           | {P}             | {2 * P}
    Neighbor_allgatherv  | out N INT in two two_places INT ring              | {P}             | {2 * P}
    Neighbor_alltoall    | out N INT in N INT ring                           | {2 * P}         | {2 * P}
    Neighbor_alltoallv   | out two two_places INT in two two_places INT ring | {2 * P}         | {2 * P}
    Neighbor_alltoallw   | out two far types in two far types graph          | {2 * P}         | {2 * P}
"""


def _collectives() -> Iterator[Case]:
    for line in _COLLECTIVES.strip().splitlines():
        name, arguments, sent, received = (word.strip() for word in line.split("|"))
        # In Fortran, Open MPI 4.1 reads as many types as there are ranks, not neighbours.
        several = name == "Neighbor_alltoallw"
        for large, c in ((False, ""), (True, "_c")):
            immediate, initial = f"I{name[0].lower()}{name[1:]}{c}", f"{name}_init{c}"
            for form, calls in (
                (f"{name}{c}", (f"{name}{c} {arguments}",)),
                (immediate, (f"{immediate} {arguments} request&", _WAIT)),
                (initial, (f"{initial} {arguments} INFO request&", "Start request&", _WAIT, _FREE)),
            ):
                yield Case(form, calls, sent, received, large=large, several=several)


# ---- one-sided communication

_TARGET = "out N INT next AINT_0 N INT"
_FETCH = "out N INT in N INT next AINT_0 N INT"


def _one_sided() -> Iterator[Case]:
    fence = "Win_fence 0 win"
    for large, c in ((False, ""), (True, "_c")):
        for name, arguments, sent, received in (
            ("Put", _TARGET, P, 0),
            ("Get", _TARGET.replace("out", "in"), 0, P),
            ("Accumulate", f"{_TARGET} SUM", P, 0),
            ("Get_accumulate", f"{_FETCH} SUM", P, P),
        ):
            figures = (str(sent), str(received))
            yield Case(name + c, (fence, f"{name}{c} {arguments} win", fence), *figures, large=large)
            calls = (f"R{name.lower()}{c} {arguments} win request&", _WAIT)
            yield Case(
                f"R{name.lower()}{c}", ("Win_lock_all 0 win", *calls, "Win_unlock_all win"), *figures, large=large
            )
    yield Case("Fetch_and_op", (fence, "Fetch_and_op out in INT next AINT_0 SUM win", fence), "4", "4")
    yield Case("Fetch_and_op without one", (fence, "Fetch_and_op out in INT next AINT_0 NO_OP win", fence), "0", "4")
    yield Case("Compare_and_swap", (fence, "Compare_and_swap out out in INT next AINT_0 win", fence), "4", "4")
    yield Case("Put to nobody", (fence, f"Put {_TARGET.replace('next', 'PROC_NULL')} win", fence))
    lock = "Win_lock LOCK_SHARED next 0 win"
    flushes = ("Win_flush next win", "Win_flush_all win", "Win_flush_local next win", "Win_flush_local_all win")
    yield Case(
        "Win_lock", (lock, "Win_flush next win", "Win_flush_local next win", "Win_sync win", "Win_unlock next win")
    )
    yield Case("Win_lock_all", ("Win_lock_all 0 win", *flushes, "Win_unlock_all win"))
    post = ("Win_post group_before 0 win", "Win_start group_next 0 win", "Win_complete win")
    yield Case("Win_post", (*post, "Win_wait win"))
    yield Case("Win_test", (*post, "until flag Win_test win flag&"))
    for large, c in ((False, ""), (True, "_c")):
        yield Case(
            f"Win_allocate{c}",
            (f"Win_allocate{c} AINT_64 DISP_4 INFO world base& window&", "Win_free window&"),
            large=large,
        )
        shared = f"Win_allocate_shared{c} AINT_64 DISP_4 INFO world base& window&"
        yield Case(f"Win_allocate_shared{c}", (shared, "Win_set_info window info", "Win_free window&"), large=large)
        create = f"Win_create{c} in AINT_64 DISP_4 INFO world window&"
        yield Case(f"Win_create{c}", (create, "Win_free window&"), large=large, several=True)
    calls = ("Win_create_dynamic INFO world window&", "Win_attach window in AINT_64", "Win_detach window in")
    yield Case("Win_create_dynamic", (*calls, "Win_free window&"), several=True)


# ---- files


def _files() -> Iterator[Case]:
    create = "File_open world PATH CREATE INFO file&"
    yield Case("File_open", (create,))
    seek = "File_seek file AT SEEK_SET"
    yield Case("File_seek", (seek,))
    for direction in ("write", "read"):
        for large, c in ((False, ""), (True, "_c")):
            yield from _transfers(direction, seek, large=large, c=c)
    yield Case("File_set_view", ("File_set_view file OFFSET_0 INT INT NATIVE INFO",))
    for name, arguments in (
        ("set_size", "OFFSET_4096"),
        ("preallocate", "OFFSET_4096"),
        ("get_size", "offset&"),
        ("get_position_shared", "offset&"),
        ("set_info", "info"),
        ("set_atomicity", "FALSE"),
        ("sync", ""),
    ):
        yield Case(f"File_{name}", (f"File_{name} file {arguments}",))
    yield Case("File_close", ("File_close file&",))
    alone = ("File_open self own_path CREATE INFO file&", "File_close file&", "File_delete own_path INFO")
    yield Case("File_delete", alone)


def _transfers(direction: str, seek: str, *, large: bool, c: str) -> Iterator[Case]:
    moved = {"read" if direction == "read" else "written": f"{P}", "transfers": 1, "large": large}
    buffer = "in" if direction == "read" else "out"
    what = f"{buffer} N INT"
    rewind = "File_seek_shared file OFFSET_0 SEEK_SET"
    sync = ("File_sync file", "Barrier world") if direction == "read" else ()
    for form, first, place in (
        ("", seek, ""),
        ("_all", seek, ""),
        ("_at", None, "AT "),
        ("_at_all", None, "AT "),
        ("_shared", rewind, ""),
        ("_ordered", rewind, ""),
    ):
        before = (*sync, *((first,) if first else ()))
        name, immediate = f"File_{direction}{form}", f"File_i{direction}{form}"
        yield Case(name + c, (*before, f"{name}{c} file {place}{what} STATUS"), **moved)
        yield Case(immediate + c, (*before, f"{immediate}{c} file {place}{what} request&", _WAIT), **moved)
        calls = (f"{name}_begin{c} file {place}{what}", f"{name}_end file {buffer} STATUS")
        yield Case(f"{name}_begin{c}", (*before, *calls), **moved)


# ---- calls of which only the time is recorded


def _time_only() -> Iterator[Case]:
    free = "Comm_free comm&"
    for call in (
        "Comm_dup world comm&",
        "Comm_dup_with_info world INFO comm&",
        "Comm_create world group_all comm&",
        "Comm_create_group world group_all TAG comm&",
        "Comm_create_from_group group_all NAME INFO ERRORS comm&",
        "Comm_split world 0 rank comm&",
        "Comm_split_type world COMM_TYPE_SHARED 0 INFO comm&",
        "Cart_create world 1 dims periods FALSE comm&",
        "Cart_sub ring periods comm&",
        "Graph_create world ranks ends edges FALSE comm&",
        "Dist_graph_create world 1 this ones following ones INFO FALSE comm&",
        "Dist_graph_create_adjacent world 1 preceding ones 1 following ones INFO FALSE comm&",
    ):
        yield Case(call.split()[0], (call, free))
    yield Case("Comm_idup", ("Comm_idup world comm& request&", _WAIT, free))
    yield Case("Comm_idup_with_info", ("Comm_idup_with_info world INFO comm& request&", _WAIT, free))
    yield Case("Comm_set_info", ("Comm_dup world comm&", "Comm_set_info comm info", "Comm_disconnect comm&"))
    yield Case("Cart_map", ("Cart_map world 1 dims periods place&",))
    yield Case("Graph_map", ("Graph_map world ranks ends edges place&",))
    halves = ("Intercomm_create half 0 world leader TAG inter&", "Intercomm_merge inter FALSE comm&")
    yield Case("Intercomm_create", (*halves, free, "Comm_free inter&"), several=True)
    groups = "Intercomm_create_from_groups group_half 0 group_other 0 NAME INFO ERRORS inter&"
    yield Case("Intercomm_create_from_groups", (groups, "Comm_free inter&"), several=True)
    yield Case("Buffer_detach", ("Buffer_detach buffer& place&",))
    for large, c, place in ((False, "", "place&"), (True, "_c", "large_place&")):
        yield from _buffers(c, f"buffer& {place}", large=large)


def _buffers(c: str, detached: str, *, large: bool) -> Iterator[Case]:
    """Yield cases for buffers of the process, of a communicator and of a session, the last two since MPI 4.1."""
    attach, detach = "Buffer_attach room 8192", f"Buffer_detach{c} {detached}"
    yield Case(f"Buffer_detach{c} again", (attach, detach), large=large)
    yield Case(f"Buffer_flush{c}", (attach, "Buffer_flush", "Buffer_iflush request&", _WAIT, detach), large=large)
    session = ("Session_init INFO ERRORS session&", "Session_finalize session&")
    for owner, kind, (begin, end) in (("world", "Comm", ((), ())), ("session", "Session", (session[:1], session[1:]))):
        calls = (
            f"{kind}_attach_buffer {owner} room 8192",
            f"{kind}_flush_buffer {owner}",
            f"{kind}_iflush_buffer {owner} request&",
            _WAIT,
            f"{kind}_detach_buffer{c} {owner} {detached}",
        )
        yield Case(f"{kind}_detach_buffer{c}", (*begin, *calls, *end), large=large)
