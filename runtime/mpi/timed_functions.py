"""MPI functions without a byte rule: they transfer no payload, but may wait for other ranks.

For the critical path, some of them have C statements, which use their arguments and call functions in
``probe/mpi_path.h``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .byte_rules import MpiKind

__all__ = [
    "DERIVED",
    "FILE_COLLECTIVES",
    "FILE_TIMED",
    "LEAVINGS",
    "MEETINGS",
    "MEETINGS_BEGUN",
    "POLLS",
    "TIMED",
    "TOPOLOGIES",
    "WINDOWS_AFTER",
    "WINDOWS_BEFORE",
]

TIMED: Final[Mapping[MpiKind, str]] = {
    "send": "Pready Pready_range Pready_list Buffer_detach Buffer_flush Buffer_iflush"
    " Comm_detach_buffer Comm_flush_buffer Comm_iflush_buffer"
    " Session_detach_buffer Session_flush_buffer Session_iflush_buffer",
    "receive": "Probe Iprobe Mprobe Improbe Parrived",
    "request": "Request_get_status Request_get_status_all Request_get_status_any Request_get_status_some",
    "one_sided": "Win_create Win_allocate Win_allocate_shared Win_create_dynamic Win_attach Win_detach Win_set_info"
    " Win_free Win_fence Win_start Win_complete Win_post Win_wait Win_test Win_lock Win_unlock Win_lock_all"
    " Win_unlock_all Win_flush Win_flush_all Win_flush_local Win_flush_local_all Win_sync",
    "other": "Comm_dup Comm_dup_with_info Comm_idup Comm_idup_with_info Comm_create Comm_create_group"
    " Comm_create_from_group Comm_split Comm_split_type Comm_set_info Comm_free Comm_disconnect Comm_accept"
    " Comm_connect Comm_join Comm_spawn Comm_spawn_multiple Intercomm_create Intercomm_create_from_groups"
    " Intercomm_merge Open_port Close_port Publish_name Unpublish_name Lookup_name"
    " Cart_create Cart_sub Cart_map Graph_create Graph_map Dist_graph_create Dist_graph_create_adjacent",
}
"""Functions that may wait for other ranks or poll, but transfer no data, by the kind of MPI time they belong to."""

POLLS: Final = (
    "Iprobe Improbe Parrived Win_test"
    " Request_get_status Request_get_status_all Request_get_status_any Request_get_status_some"
)
"""Functions in ``TIMED`` whose calls count only if the last ``int *`` parameter reports that they found anything."""

TOPOLOGIES: Final = "Cart_create Graph_create Dist_graph_create Dist_graph_create_adjacent"
"""Functions that create a communicator with a topology, which is the last parameter."""

DERIVED: Final = f"Comm_create Comm_create_group Comm_split Comm_split_type Cart_sub {TOPOLOGIES}"
"""Functions that derive a communicator, the last parameter, from the first parameter; plain copies are excluded."""

_OF_FIRST: Final = f"Comm_dup Comm_dup_with_info {DERIVED}".replace("Comm_create_group ", "")

MEETINGS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(_OF_FIRST.split(), ("argument_1",)),
    "Comm_create_group": ("*argument_4",),
    "Intercomm_create": ("argument_1", "*argument_6"),
    "Intercomm_merge": ("*argument_3",),
}
"""Functions that create a communicator → the communicators whose members wait for each other in the call."""

MEETINGS_BEGUN: Final = "Comm_idup Comm_idup_with_info"
"""Non-blocking functions that create a communicator; all members of the first argument's communicator wait."""

WINDOWS_AFTER: Final[Mapping[str, str]] = {
    "Win_create": "aa_path_window_made(argument_5, *argument_6)",
    "Win_allocate": "aa_path_window_made(argument_4, *argument_6)",
    "Win_allocate_shared": "aa_path_window_made(argument_4, *argument_6)",
    "Win_create_dynamic": "aa_path_window_made(argument_2, *argument_3)",
    "Win_fence": "aa_path_fence(argument_1, argument_2)",
    "Win_start": "aa_path_started(argument_1, argument_3)",
    "Win_complete": "aa_path_completed(argument_1)",
    "Win_wait": "aa_path_waited(argument_1)",
    **dict.fromkeys(("Win_lock", "Win_lock_all"), "aa_path_leaves_out(AA_PATH_LOCKS)"),
    "Win_test": "if (*argument_2) aa_path_waited(argument_1)",
}
"""Function on a window → statement for the critical path after the call."""

WINDOWS_BEFORE: Final[Mapping[str, str]] = {
    "Win_free": "aa_path_window_ends(*argument_1)",
    "Win_fence": "aa_path_fence_begins(argument_1, argument_2)",
    "Win_post": "aa_path_post(argument_1, argument_3)",
    "Win_complete": "aa_path_completes(argument_1)",
}
"""Function on a window → statement for the critical path before the call."""

LEAVINGS: Final = "Comm_free Comm_disconnect"
"""Functions that free a communicator."""

FILE_TIMED: Final = (
    "File_delete File_sync File_set_size File_preallocate File_get_size File_set_view File_set_info"
    " File_set_atomicity File_seek File_seek_shared File_get_position_shared"
)
"""Functions on a file that read and write no data; ``File_open`` and ``File_close`` have hand-written wrappers."""

FILE_COLLECTIVES: Final = (
    "File_sync File_set_size File_preallocate File_set_view File_set_info File_set_atomicity File_seek_shared"
)
"""Functions in ``FILE_TIMED`` that are collective over the processes of the file, which is the first argument."""
