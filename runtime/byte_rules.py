"""What every MPI call hands to MPI and gets from it, as data: one line a family of functions.

Bytes are payload, not what crosses a wire: what the rank contributes is sent, what lands in its buffers is
received. A part that ``MPI_IN_PLACE`` leaves where it is counts neither way; nothing goes to or comes from
``MPI_PROC_NULL``; on an intercommunicator the parts are those of the remote group. ``docs/mpi-bytes.md`` says
the same in words.

The expressions are C over the parameters as they are named here, in the standard's order, whatever a header
calls them; their vocabulary is ``probe/mpi_bytes.h``. Each rule covers all forms of its functions that the
header at hand declares: blocking, non-blocking (``I…``), persistent (``…_init``) and large-count (``…_c``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["RULES", "TIMED", "ByteRule"]


@dataclass(frozen=True, slots=True)
class ByteRule:
    """The bytes of some functions with the same parameters.

    Attributes:
        names: The blocking functions, without ``MPI_``, separated by blanks.
        parameters: Their parameters; a last one named ``status`` tells how much was received.
        sent: C expression for the bytes handed to MPI.
        received: C expression for the bytes got from MPI, besides those that a status tells.
        source: The parameter that names the rank to receive from, where the status counts.
    """

    names: str
    parameters: str
    sent: str = "0"
    received: str = "0"
    source: str = ""

    @property
    def by_status(self) -> bool:
        """Whether what was received is known from a status alone."""
        return self.parameters.endswith(" status")


_GATHER = "sendbuf sendcount sendtype recvbuf recvcount recvtype"
_GATHER_V = "sendbuf sendcount sendtype recvbuf recvcounts displs recvtype"
_ALLTOALL_V = "sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm"
_ALLTOALL_W = "sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm"
_SENT_PART = "aa_bytes(sendcount, sendtype)"
_RECEIVED_PART = "aa_bytes(recvcount, recvtype)"
_ALL = "aa_bytes(count, type)"

RULES: Final = (
    ByteRule("Send Bsend Ssend Rsend", "buf count type dest tag comm", sent="aa_peer_bytes(dest, count, type)"),
    ByteRule("Recv", "buf count type source tag comm status", source="source"),
    ByteRule("Mrecv", "buf count type message status"),
    ByteRule(
        "Sendrecv",
        "sendbuf sendcount sendtype dest sendtag recvbuf recvcount recvtype source recvtag comm status",
        sent="aa_peer_bytes(dest, sendcount, sendtype)",
        source="source",
    ),
    ByteRule(
        "Sendrecv_replace",
        "buf count type dest sendtag source recvtag comm status",
        sent="aa_peer_bytes(dest, count, type)",
        source="source",
    ),
    # Partitioned communication exists in persistent form alone; its bytes count when it starts.
    ByteRule(
        "Psend",
        "buf partitions count type dest tag comm",
        sent="partitions * aa_peer_bytes(dest, count, type)",
    ),
    ByteRule(
        "Precv",
        "buf partitions count type source tag comm",
        received="partitions * aa_peer_bytes(source, count, type)",
    ),
    ByteRule("Barrier", "comm"),
    ByteRule(
        "Bcast",
        "buf count type root comm",
        sent=f"aa_is_root(root, comm) ? {_ALL} : 0",
        received=f"aa_is_leaf(root, comm) ? {_ALL} : 0",
    ),
    ByteRule(
        "Reduce",
        "sendbuf recvbuf count type op root comm",
        sent=f"aa_has_part(root) ? {_ALL} : 0",
        received=f"aa_is_root(root, comm) ? {_ALL} : 0",
    ),
    ByteRule("Allreduce Scan", "sendbuf recvbuf count type op comm", sent=_ALL, received=_ALL),
    ByteRule(
        "Exscan",
        "sendbuf recvbuf count type op comm",
        sent=_ALL,
        received=f"aa_rank(comm) == 0 ? 0 : {_ALL}",  # rank 0 gets nothing: there is no one before it
    ),
    ByteRule(
        "Gather",
        f"{_GATHER} root comm",
        sent=f"aa_has_part(root) && sendbuf != MPI_IN_PLACE ? {_SENT_PART} : 0",
        received=f"aa_is_root(root, comm) ? aa_parts(comm, sendbuf) * {_RECEIVED_PART} : 0",
    ),
    ByteRule(
        "Gatherv",
        f"{_GATHER_V} root comm",
        sent=f"aa_has_part(root) && sendbuf != MPI_IN_PLACE ? {_SENT_PART} : 0",
        received="aa_is_root(root, comm) ? aa_sum(recvcounts, recvtype, comm, sendbuf) : 0",
    ),
    ByteRule(
        "Scatter",
        f"{_GATHER} root comm",
        sent=f"aa_is_root(root, comm) ? aa_parts(comm, recvbuf) * {_SENT_PART} : 0",
        received=f"aa_has_part(root) && recvbuf != MPI_IN_PLACE ? {_RECEIVED_PART} : 0",
    ),
    ByteRule(
        "Scatterv",
        "sendbuf sendcounts displs sendtype recvbuf recvcount recvtype root comm",
        sent="aa_is_root(root, comm) ? aa_sum(sendcounts, sendtype, comm, recvbuf) : 0",
        received=f"aa_has_part(root) && recvbuf != MPI_IN_PLACE ? {_RECEIVED_PART} : 0",
    ),
    # In place, the own part of a gather to all is sent from the receive buffer, but not received again.
    ByteRule(
        "Allgather",
        f"{_GATHER} comm",
        sent=f"sendbuf == MPI_IN_PLACE ? {_RECEIVED_PART} : {_SENT_PART}",
        received=f"aa_parts(comm, sendbuf) * {_RECEIVED_PART}",
    ),
    ByteRule(
        "Allgatherv",
        f"{_GATHER_V} comm",
        sent=f"sendbuf == MPI_IN_PLACE ? aa_bytes(recvcounts[aa_rank(comm)], recvtype) : {_SENT_PART}",
        received="aa_sum(recvcounts, recvtype, comm, sendbuf)",
    ),
    ByteRule(
        "Alltoall",
        f"{_GATHER} comm",
        sent=f"aa_parts(comm, sendbuf) * (sendbuf == MPI_IN_PLACE ? {_RECEIVED_PART} : {_SENT_PART})",
        received=f"aa_parts(comm, sendbuf) * {_RECEIVED_PART}",
    ),
    ByteRule(
        "Alltoallv",
        _ALLTOALL_V,
        sent="sendbuf == MPI_IN_PLACE ? aa_sum(recvcounts, recvtype, comm, sendbuf)"
        " : aa_sum(sendcounts, sendtype, comm, sendbuf)",
        received="aa_sum(recvcounts, recvtype, comm, sendbuf)",
    ),
    ByteRule(
        "Alltoallw",
        _ALLTOALL_W,
        sent="sendbuf == MPI_IN_PLACE ? aa_sum_types(recvcounts, recvtypes, comm, sendbuf)"
        " : aa_sum_types(sendcounts, sendtypes, comm, sendbuf)",
        received="aa_sum_types(recvcounts, recvtypes, comm, sendbuf)",
    ),
    # The counts of a scattered reduction are those of the local group, on an intercommunicator too.
    ByteRule(
        "Reduce_scatter",
        "sendbuf recvbuf recvcounts type op comm",
        sent="aa_sum_local(recvcounts, type, comm)",
        received="aa_bytes(recvcounts[aa_rank(comm)], type)",
    ),
    ByteRule(
        "Reduce_scatter_block",
        "sendbuf recvbuf recvcount type op comm",
        sent="aa_local_size(comm) * aa_bytes(recvcount, type)",
        received="aa_bytes(recvcount, type)",
    ),
    ByteRule(
        "Neighbor_allgather",
        f"{_GATHER} comm",
        sent=f"aa_neighbour_count(AA_TARGETS, comm) > 0 ? {_SENT_PART} : 0",
        received=f"aa_neighbour_count(AA_SOURCES, comm) * {_RECEIVED_PART}",
    ),
    ByteRule(
        "Neighbor_allgatherv",
        f"{_GATHER_V} comm",
        sent=f"aa_neighbour_count(AA_TARGETS, comm) > 0 ? {_SENT_PART} : 0",
        received="aa_neighbour_sum(AA_SOURCES, recvcounts, recvtype, comm)",
    ),
    ByteRule(
        "Neighbor_alltoall",
        f"{_GATHER} comm",
        sent=f"aa_neighbour_count(AA_TARGETS, comm) * {_SENT_PART}",
        received=f"aa_neighbour_count(AA_SOURCES, comm) * {_RECEIVED_PART}",
    ),
    ByteRule(
        "Neighbor_alltoallv",
        _ALLTOALL_V,
        sent="aa_neighbour_sum(AA_TARGETS, sendcounts, sendtype, comm)",
        received="aa_neighbour_sum(AA_SOURCES, recvcounts, recvtype, comm)",
    ),
    ByteRule(
        "Neighbor_alltoallw",
        _ALLTOALL_W,
        sent="aa_neighbour_sum_types(AA_TARGETS, sendcounts, sendtypes, comm)",
        received="aa_neighbour_sum_types(AA_SOURCES, recvcounts, recvtypes, comm)",
    ),
)

TIMED: Final = (
    "Probe Iprobe Mprobe Improbe Request_get_status Buffer_detach Parrived"
    " Comm_dup Comm_dup_with_info Comm_idup Comm_idup_with_info Comm_create Comm_create_group Comm_split"
    " Comm_split_type Comm_free Comm_disconnect Comm_accept Comm_connect Comm_join Comm_spawn"
    " Comm_spawn_multiple Intercomm_create Intercomm_merge Cart_create Cart_sub Graph_create"
    " Dist_graph_create Dist_graph_create_adjacent"
    " Win_create Win_allocate Win_allocate_shared Win_create_dynamic Win_free Win_fence Win_start Win_complete Win_post"
    " Win_wait Win_test Win_lock Win_unlock Win_lock_all Win_unlock_all Win_flush Win_flush_all Win_flush_local"
    " Win_flush_local_all Put Get Accumulate Get_accumulate Fetch_and_op Compare_and_swap"
)
"""Functions that may wait for other ranks or poll, but carry no payload."""
