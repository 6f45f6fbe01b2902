"""The bytes that every MPI call sends and receives: one rule per family of functions.

Bytes are payload, not network traffic: the rank's contribution counts as sent, and the data that arrive in its buffers
count as received. Data that ``MPI_IN_PLACE`` leaves where they are do not count. Nothing is sent to or received from
``MPI_PROC_NULL``. On an intercommunicator, the parts are those of the remote group. See also ``docs/bytes.md``.

The expressions are C, and call functions in ``probe/mpi_bytes.h``. They use the rule's names for the parameters, which
are in the standard's order; the names in a header do not matter. Each rule covers all forms of its functions that the
header declares: blocking, non-blocking (``I…``, one-sided ``R…``), persistent (``…_init``) and large-count (``…_c``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["FILE_RULES", "RULES", "ByteRule", "FileRule", "MpiKind"]

MpiKind = Literal[
    "start_end",
    "barrier",
    "all_to_all",
    "collective",
    "send",
    "receive",
    "send_receive",
    "request",
    "one_sided",
    "other",
]
"""The part of ``mpi_time`` that includes a function's time; in C, ``AA_MPI_…`` in ``probe/share.h``."""

PathRule = Literal[
    "",
    "send",
    "synchronous",
    "receive",
    "exchange",
    "matched",
    "everyone",
    "from_root",
    "to_root",
    "from_lower",
    "from_neighbours",
    "partitioned",
]
"""The ranks on which the critical path may continue, backwards from the end of a call; see ``probe/mpi_path.h``."""


@dataclass(frozen=True, slots=True)
class ByteRule:
    """The rule for the bytes of functions with the same parameters.

    Attributes:
        names: The blocking functions, without ``MPI_``, separated by blanks.
        parameters: The functions' parameters; if the last one is named ``status``, it shows how much was received.
        kind: The part of ``mpi_time`` to which the time of all forms belongs.
        sent: C expression for the bytes passed to MPI.
        received: C expression for the bytes received from MPI, except bytes that only a status contains.
        source: The parameter with the rank to receive from, if the status shows the bytes.
        path: The ranks whose work a rank needs to continue; empty if the critical path does not follow the call.
    """

    names: str
    parameters: str
    kind: MpiKind
    sent: str = "0"
    received: str = "0"
    source: str = ""
    path: PathRule = ""

    @property
    def by_status(self) -> bool:
        """Whether the received bytes are known only from a status."""
        return self.parameters.endswith(" status")

    @property
    def sends_message(self) -> bool:
        """Whether a call sends a message to the rank ``dest``, which the communication matrix includes."""
        return " dest " in self.parameters


@dataclass(frozen=True, slots=True)
class FileRule:
    """The rule for MPI-IO functions that read or write a file; a status contains the number of bytes.

    Attributes:
        names: The blocking functions, without ``MPI_``, separated by blanks.
        parameters: The functions' parameters; the last one is ``status``.
        direction: Whether the file is read or written.
    """

    names: str
    parameters: str
    direction: Literal["read", "written"]


_SEND = "buf count type dest tag comm"
_SENT = "aa_peer_bytes(dest, count, type)"
_REDUCTION = "sendbuf recvbuf count type op comm"
_GATHER = "sendbuf sendcount sendtype recvbuf recvcount recvtype"
_GATHER_V = "sendbuf sendcount sendtype recvbuf recvcounts displs recvtype"
_ALLTOALL_V = "sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm"
_ALLTOALL_W = "sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm"
_SENT_PART = "aa_bytes(sendcount, sendtype)"
_RECEIVED_PART = "aa_bytes(recvcount, recvtype)"
_ALL = "aa_bytes(count, type)"
_ORIGIN = "buf count type target displacement target_count target_type"
_FETCH = "aa_peer_bytes(target, 1, type)"

RULES: Final = (
    ByteRule(
        "Send Bsend Rsend",
        _SEND,
        "send",
        sent=_SENT,
        path="send",
    ),
    ByteRule("Ssend", _SEND, "send", sent=_SENT, path="synchronous"),
    ByteRule("Recv", "buf count type source tag comm status", "receive", source="source", path="receive"),
    ByteRule("Mrecv", "buf count type message status", "receive", path="matched"),
    ByteRule(
        "Sendrecv",
        "sendbuf sendcount sendtype dest sendtag recvbuf recvcount recvtype source recvtag comm status",
        "send_receive",
        sent="aa_peer_bytes(dest, sendcount, sendtype)",
        source="source",
        path="exchange",
    ),
    ByteRule(
        "Sendrecv_replace",
        "buf count type dest sendtag source recvtag comm status",
        "send_receive",
        sent="aa_peer_bytes(dest, count, type)",
        source="source",
        path="exchange",
    ),
    # Partitioned communication has only a persistent form; its bytes count at each start.
    ByteRule(
        "Psend",
        "buf partitions count type dest tag comm",
        "send",
        sent="partitions * aa_peer_bytes(dest, count, type)",
        path="partitioned",
    ),
    ByteRule(
        "Precv",
        "buf partitions count type source tag comm",
        "receive",
        received="partitions * aa_peer_bytes(source, count, type)",
        path="partitioned",
    ),
    ByteRule("Barrier", "comm", "barrier", path="everyone"),
    ByteRule(
        "Bcast",
        "buf count type root comm",
        "collective",
        sent=f"aa_is_root(root, comm) ? {_ALL} : 0",
        received=f"aa_is_leaf(root, comm) ? {_ALL} : 0",
        path="from_root",
    ),
    ByteRule(
        "Reduce",
        "sendbuf recvbuf count type op root comm",
        "collective",
        sent=f"aa_has_part(root) ? {_ALL} : 0",
        received=f"aa_is_root(root, comm) ? {_ALL} : 0",
        path="to_root",
    ),
    ByteRule("Allreduce", _REDUCTION, "all_to_all", sent=_ALL, received=_ALL, path="everyone"),
    ByteRule("Scan", _REDUCTION, "collective", sent=_ALL, received=_ALL, path="from_lower"),
    ByteRule(
        "Exscan",
        _REDUCTION,
        "collective",
        sent=_ALL,
        received=f"aa_rank(comm) == 0 ? 0 : {_ALL}",  # rank 0 receives nothing, because no rank precedes it
        path="from_lower",
    ),
    ByteRule(
        "Gather",
        f"{_GATHER} root comm",
        "collective",
        sent=f"aa_has_part(root) && sendbuf != MPI_IN_PLACE ? {_SENT_PART} : 0",
        received=f"aa_is_root(root, comm) ? aa_parts(comm, sendbuf) * {_RECEIVED_PART} : 0",
        path="to_root",
    ),
    ByteRule(
        "Gatherv",
        f"{_GATHER_V} root comm",
        "collective",
        sent=f"aa_has_part(root) && sendbuf != MPI_IN_PLACE ? {_SENT_PART} : 0",
        received="aa_is_root(root, comm) ? aa_sum(recvcounts, recvtype, comm, sendbuf) : 0",
        path="to_root",
    ),
    ByteRule(
        "Scatter",
        f"{_GATHER} root comm",
        "collective",
        sent=f"aa_is_root(root, comm) ? aa_parts(comm, recvbuf) * {_SENT_PART} : 0",
        received=f"aa_has_part(root) && recvbuf != MPI_IN_PLACE ? {_RECEIVED_PART} : 0",
        path="from_root",
    ),
    ByteRule(
        "Scatterv",
        "sendbuf sendcounts displs sendtype recvbuf recvcount recvtype root comm",
        "collective",
        sent="aa_is_root(root, comm) ? aa_sum(sendcounts, sendtype, comm, recvbuf) : 0",
        received=f"aa_has_part(root) && recvbuf != MPI_IN_PLACE ? {_RECEIVED_PART} : 0",
        path="from_root",
    ),
    # In place, a rank's own part of an allgather is sent from the receive buffer, but not received again.
    ByteRule(
        "Allgather",
        f"{_GATHER} comm",
        "all_to_all",
        sent=f"sendbuf == MPI_IN_PLACE ? {_RECEIVED_PART} : {_SENT_PART}",
        received=f"aa_parts(comm, sendbuf) * {_RECEIVED_PART}",
        path="everyone",
    ),
    ByteRule(
        "Allgatherv",
        f"{_GATHER_V} comm",
        "all_to_all",
        sent=f"sendbuf == MPI_IN_PLACE ? aa_bytes(recvcounts[aa_rank(comm)], recvtype) : {_SENT_PART}",
        received="aa_sum(recvcounts, recvtype, comm, sendbuf)",
        path="everyone",
    ),
    ByteRule(
        "Alltoall",
        f"{_GATHER} comm",
        "all_to_all",
        sent=f"aa_parts(comm, sendbuf) * (sendbuf == MPI_IN_PLACE ? {_RECEIVED_PART} : {_SENT_PART})",
        received=f"aa_parts(comm, sendbuf) * {_RECEIVED_PART}",
        path="everyone",
    ),
    ByteRule(
        "Alltoallv",
        _ALLTOALL_V,
        "all_to_all",
        sent="sendbuf == MPI_IN_PLACE ? aa_sum(recvcounts, recvtype, comm, sendbuf)"
        " : aa_sum(sendcounts, sendtype, comm, sendbuf)",
        received="aa_sum(recvcounts, recvtype, comm, sendbuf)",
        path="everyone",
    ),
    ByteRule(
        "Alltoallw",
        _ALLTOALL_W,
        "all_to_all",
        sent="sendbuf == MPI_IN_PLACE ? aa_sum_types(recvcounts, recvtypes, comm, sendbuf)"
        " : aa_sum_types(sendcounts, sendtypes, comm, sendbuf)",
        received="aa_sum_types(recvcounts, recvtypes, comm, sendbuf)",
        path="everyone",
    ),
    # The counts of MPI_Reduce_scatter are those of the local group, on an intercommunicator as well.
    ByteRule(
        "Reduce_scatter",
        "sendbuf recvbuf recvcounts type op comm",
        "all_to_all",
        sent="aa_sum_local(recvcounts, type, comm)",
        received="aa_bytes(recvcounts[aa_rank(comm)], type)",
        path="everyone",
    ),
    ByteRule(
        "Reduce_scatter_block",
        "sendbuf recvbuf recvcount type op comm",
        "all_to_all",
        sent="aa_local_size(comm) * aa_bytes(recvcount, type)",
        received="aa_bytes(recvcount, type)",
        path="everyone",
    ),
    ByteRule(
        "Neighbor_allgather",
        f"{_GATHER} comm",
        "collective",
        sent=f"aa_neighbour_count(AA_TARGETS, comm) > 0 ? {_SENT_PART} : 0",
        received=f"aa_neighbour_count(AA_SOURCES, comm) * {_RECEIVED_PART}",
        path="from_neighbours",
    ),
    ByteRule(
        "Neighbor_allgatherv",
        f"{_GATHER_V} comm",
        "collective",
        sent=f"aa_neighbour_count(AA_TARGETS, comm) > 0 ? {_SENT_PART} : 0",
        received="aa_neighbour_sum(AA_SOURCES, recvcounts, recvtype, comm)",
        path="from_neighbours",
    ),
    ByteRule(
        "Neighbor_alltoall",
        f"{_GATHER} comm",
        "collective",
        sent=f"aa_neighbour_count(AA_TARGETS, comm) * {_SENT_PART}",
        received=f"aa_neighbour_count(AA_SOURCES, comm) * {_RECEIVED_PART}",
        path="from_neighbours",
    ),
    ByteRule(
        "Neighbor_alltoallv",
        _ALLTOALL_V,
        "collective",
        sent="aa_neighbour_sum(AA_TARGETS, sendcounts, sendtype, comm)",
        received="aa_neighbour_sum(AA_SOURCES, recvcounts, recvtype, comm)",
        path="from_neighbours",
    ),
    ByteRule(
        "Neighbor_alltoallw",
        _ALLTOALL_W,
        "collective",
        sent="aa_neighbour_sum_types(AA_TARGETS, sendcounts, sendtypes, comm)",
        received="aa_neighbour_sum_types(AA_SOURCES, recvcounts, recvtypes, comm)",
        path="from_neighbours",
    ),
    # One-sided transfers count at the call, and only at the origin, because the target does not take part. MPI_NO_OP
    # only fetches.
    ByteRule("Put", f"{_ORIGIN} win", "one_sided", sent="aa_peer_bytes(target, count, type)"),
    ByteRule("Get", f"{_ORIGIN} win", "one_sided", received="aa_peer_bytes(target, count, type)"),
    ByteRule("Accumulate", f"{_ORIGIN} op win", "one_sided", sent="aa_peer_bytes(target, count, type)"),
    ByteRule(
        "Get_accumulate",
        "buf count type fetched fetched_count fetched_type target displacement target_count target_type op win",
        "one_sided",
        sent="aa_is_no_op(op) ? 0 : aa_peer_bytes(target, count, type)",
        received="aa_peer_bytes(target, fetched_count, fetched_type)",
    ),
    ByteRule(
        "Fetch_and_op",
        "buf fetched type target displacement op win",
        "one_sided",
        sent=f"aa_is_no_op(op) ? 0 : {_FETCH}",
        received=_FETCH,
    ),
    # The value to compare with is a condition, not payload.
    ByteRule(
        "Compare_and_swap",
        "buf compare fetched type target displacement win",
        "one_sided",
        sent=_FETCH,
        received=_FETCH,
    ),
)

FILE_RULES: Final = (
    FileRule("File_read File_read_all File_read_ordered File_read_shared", "file buf count type status", "read"),
    FileRule("File_read_at File_read_at_all", "file offset buf count type status", "read"),
    FileRule("File_write File_write_all File_write_ordered File_write_shared", "file buf count type status", "written"),
    FileRule("File_write_at File_write_at_all", "file offset buf count type status", "written"),
)
"""MPI-IO functions; each rule also covers the non-blocking (``File_i…``) and split (``…_begin``, ``…_end``) forms."""
