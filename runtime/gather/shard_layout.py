"""The layout of a shard, the same as in ``runtime/probe/shard.h``; a test compares the two."""

from __future__ import annotations

import struct
from typing import Final

import numpy as np

MAGIC: Final = b"AASHARD\0"  # the same as AA_SHARD_MAGIC in shard.h, which also has the following constants
VERSION: Final = 26
BYTE_ORDER: Final = 0x01020304
ALIGNMENT: Final = 64
SOURCE_LENGTH: Final = 96
NO_REGION: Final = 0xFFFFFFFF

STATES: Final = ("running", "finalizing", "finalized", "exited", "aborted")  # the same as enum aa_state

# events named by the user; their number must equal AA_MOST_EVENTS
EVENTS: Final = tuple(f"event_{number}" for number in range(1, 7))
COUNTERS: Final = (  # the same as enum aa_counter
    *["instructions", "cycles", "l1_accesses", "l1_misses", "l2_accesses", "l2_misses"],
    *EVENTS,
    "mpi_instructions",
)

COUNTS_IN_MPI: Final = 1  # bits of the field ``counting``
COUNTS_IN_IO: Final = 2
COUNTS_BY_TURNS: Final = 4
COUNTS_BY_CHOSEN_PAPI: Final = 8
COUNTS_BY_PACKAGED_PAPI: Final = 16

SHARES: Final = ("own", "io", "omp", "mpi")  # the same as enum aa_share, whose last entry is divided by kind of call
MPI_KINDS: Final = (
    *["start_end", "barrier", "all_to_all", "collective", "send", "receive", "send_receive"],
    *["request", "one_sided", "other", "wait"],
)

REGION_RECORD: Final = 1  # the same as enum aa_record_type
THREAD_RECORD: Final = 2
NODE_RECORD: Final = 3
FILE_RECORD: Final = 4
THROTTLE_RECORD: Final = 5
TOPOLOGY_RECORD: Final = 6
CHUNK_RECORD: Final = 7
PATH_RECORD: Final = 8
OBJECT_RECORD: Final = 9
WAIT_RECORD: Final = 10
SAMPLES_RECORD: Final = 11
MAPPING_RECORD: Final = 12
MESSAGES_RECORD: Final = 13

PATH_STATES: Final = ("not_asked", "alone", "sessions", "known", "too_dear", "missed")  # the same as enum aa_path_state
PATH_LEFT_OUT: Final = ("locks", "partitioned", "strangers")  # the same as enum aa_path_left_out, one bit each
PATH_KINDS: Final = ("chain", "segment", "total", "delay", "team", "message_delay")  # the same as enum aa_path_kind
PATH_ENTRY: Final = np.dtype([(name, "u4") for name in ("rank", "node", "what", "visits")] + [("work", "f8")])
PATH_ENTRIES: Final = 40
PATH_LAYOUT: Final = np.dtype(
    {
        "names": ["kind", "number", "length", "base", "rank", "segment", "count", "from", "entries"],
        "formats": ["u4", "u4", "f8", "f8", "u4", "u4", "u4", "u4", (PATH_ENTRY, PATH_ENTRIES)],
        "offsets": [4, 8, 16, 24, 32, 36, 40, 44, 48],
        "itemsize": 1024,
    }
)

TRACE_VALUES: Final = 43

TOPOLOGY_KINDS: Final = ("grid", "graph", "distributed_graph")  # the same as enum aa_topology_kind
MOST_TOPOLOGIES: Final = 16
MOST_DIMENSIONS: Final = 32

SYSTEM_VALUES: Final = ("minor_faults", "major_faults", "voluntary_switches", "involuntary_switches", "resident")
"""Operating system data about a process or thread, which follow a sample's values; the same as enum aa_system_value."""

ANCHOR = np.dtype([("monotonic", "u8"), ("ticks", "u8")])

HEADER_LAYOUT: Final = np.dtype(
    [
        ("magic", "V8"),
        *[(name, "u4") for name in ("version", "byte_order")],
        *[(name, "u4") for name in ("header_size", "region_size", "thread_size", "node_size")],
        *[(name, "u8") for name in ("used", "base")],
        *[(name, "i4") for name in ("pid", "rank", "size", "thread_level", "state", "exit_code", "cpus")],
        *[(name, "u4") for name in ("unrecorded", "refused", "regions", "threads", "uncounted")],
        ("ticks_per_second", "f8"),
        *[(name, "f4") for name in ("pair_cost", "fortran_cost")],
        *[(name, "f4") for name in ("throttled_cost", "passing_cost", "left_cost", "opened_cost")],
        ("slot_cost", "f4"),
        ("messages_left_out", "u4"),
        ("start_realtime", "u8"),
        ("start", ANCHOR),
        ("latest", ANCHOR),
        *[(name, "u8") for name in ("mpi_initialised", "mpi_finalising", "mpi_finalised", "end")],
        ("wall_clock", "S16"),
        ("cpu_clock", "S16"),
        ("host", "S256"),
        ("executable", "S512"),
        ("sources", f"S{SOURCE_LENGTH}", (len(COUNTERS),)),
        *[(name, "i4") for name in ("forked_from", "spawned")],
        ("deepest", "u4"),
        ("script", "S144"),
        ("topologies_left_out", "u4"),
        ("run_delay", "i8"),
        ("involuntary", "u8"),
        ("trace_interval", "u8"),
        *[(name, "u4") for name in ("trace_generation", "trace_slowed", "trace_lost", "trace_left")],
        ("trace_left_out", "u8"),
        ("barriers", "u8"),
        ("counting", "u4"),
        ("call_cost", "f4"),
        ("system", "u8", (len(SYSTEM_VALUES),)),
        ("mpi_bypassed", "u8"),
        *[(name, "u4") for name in ("path_state", "path_lost")],
        *[(name, "u8") for name in ("path_messages", "path_ticks", "path_left_out")],
    ]
)

THREAD_LAYOUT: Final = np.dtype(
    {
        "names": [
            *["current", "last", "index", "tid", "taken", "in_use"],
            *["repairs", "unmatched", "collapsed", "fortran", "passed", "opened", "left"],
            *["reentered", "stopped", "slotted", "synchronised"],
        ],
        "formats": ["u8"] * 2 + ["u4"] * 4 + ["u8"] * 11,
        "offsets": [8, 16, 88, 92, 96, 100, 104, 112, 120, 128, 136, 144, 152, 360, 368, 384, 408],
        "itemsize": 512,
    }
)

NODE_COUNTS: Final = ("mpi_calls", "mpi_sent", "mpi_received", "io_read", "io_written")

NODE_LAYOUT: Final = np.dtype(
    {
        "names": [
            *["thread", "parent", "region", "visits", "io_calls", "mpi_calls", "mpi_sent", "mpi_received"],
            *["wall", "off", "io_read", "io_written", "counters"],
        ],
        "formats": [
            *["u4"] * 3,
            *["u8"] * 5,
            ("i8", len(SHARES) - 1 + len(MPI_KINDS)),
            ("i8", len(SHARES)),
            *["u8"] * 2,
            ("u8", len(COUNTERS)),
        ],
        "offsets": [4, 8, 12, 16, 24, 32, 40, 48, 56, 168, 200, 208, 216],
        "itemsize": 320,
    }
)

SAMPLE_LAYOUT: Final = np.dtype(
    [
        ("size", "u4"),
        *[(name, "u2") for name in ("parts", "unused")],
        *[(name, "u4") for name in ("thread", "node")],
        *[(name, "u8") for name in ("begin", "end", "present", "recorded")],
    ]
)
"""The head of a sample. After it come the values whose bits are set in ``present``, then the parts."""

PART_LAYOUT: Final = np.dtype(
    {
        "names": ["node", "computing", "visits", "ticks"],
        "formats": ["u4", "u4", "u8", "u8"],
        "offsets": [0, 4, 8, 16],
    }
)
PART_WHOLE: Final = 2**32 - 1
"""The CPU time of a sample's part is stored in units of the part's ticks divided by this number (AA_WHOLE)."""

CHUNK_LAYOUT: Final = struct.Struct("<4xIQ")
"""The head of a chunk: its generation, and the number of bytes of the samples that follow."""

NODE_VALUES: Final = (
    "visits",
    "io_calls",
    "mpi_calls",
    "mpi_sent",
    "mpi_received",
    "wall",
    "off",
    "io_read",
    "io_written",
    "counters",
)
"""The fields of a node whose values are in a sample, in this order; three of them are arrays."""

REGION_LAYOUT: Final = struct.Struct("<4xII")

THROTTLE_LAYOUT: Final = np.dtype(
    {
        "names": ["node", "visits", "again"],
        "formats": ["u4", "u8", "u8"],
        "offsets": [4, 8, 16],
        "itemsize": ALIGNMENT,
    }
)

FILE_LAYOUT: Final = struct.Struct("<4xIQQQQ")
"""Fields: the name's length, calls, bytes read, bytes written, ticks; the name follows."""

OBJECT_LAYOUT: Final = struct.Struct("<4xI")
"""Field: the name's length; the name follows."""

WAIT_KINDS: Final = ("critical", "atomic", "lock", "ordered", "barrier", "single", "tasks")  # as in enum aa_wait_kind
WAIT_LAYOUT: Final = np.dtype(
    {
        "names": ["kind", "node", "length", "entries", "contended", "waited", "waited_off"],
        "formats": ["u4"] * 3 + ["u8"] * 2 + ["i8"] * 2,
        "offsets": [4, 8, 12, 16, 24, 32, 40],
        "itemsize": 48,
    }
)
WAIT_DESCRIPTOR: Final = 64

# the same as enum aa_sampling
SAMPLING_STATES: Final = ("on", "old_kernel", "theirs", "blocked", "refused", "small_stack", "masking")
SAMPLES_LAYOUT: Final = np.dtype(
    {
        "names": ["thread", "state", "room", "used", "period", "signals", "periods", "crowded", "lost"],
        "formats": ["u4"] * 4 + ["u8"] * 5,
        "offsets": [4, 8, 12, 16, 24, 32, 40, 48, 56],
        "itemsize": ALIGNMENT,
    }
)
"""The head of a table of samples; ``room`` entries follow."""

SAMPLE_COUNT_LAYOUT: Final = np.dtype([("place", "u8"), ("node", "u4"), ("periods", "u4")])
"""An entry of a table of samples: an address with ``enum aa_share`` in the highest byte (struct aa_sample_count)."""

MAPPING_LAYOUT: Final = struct.Struct("<4xIQQQ")
"""Fields: the name's length; the start, end and bias of an object's code; the name follows."""

MESSAGES_LAYOUT: Final = struct.Struct("<4xII4x")
"""Fields: the number of ranks in a block, and the number of blocks; what the process exchanges with each block follows.
"""

TRAFFIC_LAYOUT: Final = np.dtype([("messages", "u8"), ("bytes", "u8"), ("waited", "f8")])
"""The messages and bytes sent to a block of ranks, and the time waited for messages from it (struct aa_traffic)."""

TOPOLOGY_LAYOUT: Final = struct.Struct("<4xIQI")
"""Fields: the kind of topology, a hash of its members, the number of axes; the axes follow."""

AXIS_LAYOUT: Final = struct.Struct("<iii")
"""Fields: the size of the axis, whether it is periodic, and the process's coordinate."""
