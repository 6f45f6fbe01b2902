"""Prices: what one instruction, cache miss, call or byte costs on a machine, in seconds, to explain a run's time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

__all__ = ["Prices"]


@dataclass(frozen=True, slots=True)
class Prices:
    """The time that single operations take on a machine, in seconds; None if not measured.

    A miss costs most if the next access waits for it, as in pointer chasing. It costs least if the core prefetches, as
    in a walk through consecutive numbers.

    Attributes:
        instruction: The mean time per instruction of plain code whose data are in the first-level cache.
        instruction_independent: The minimum time per instruction of plain code: no operation waits for another.
        instruction_dependent: The maximum time per instruction of plain code: each operation waits for the previous
            one, and some are divisions.
        division_independent: The additional time of a division, compared with a product, if none waits for another.
        division_dependent: The additional time of a division, compared with a product, if each waits for the previous
            one.
        denormal: The additional time of a product with a denormal number.
        branch_miss: The additional time of a mispredicted branch.
        l1_miss_streamed: An access that the second-level cache serves, in a walk.
        l1_miss_chased: An access that the second-level cache serves, in pointer chasing.
        l2_miss_streamed: An access that misses the first two caches, in a walk; a third-level cache may serve it.
        l2_miss_chased: An access that memory serves, in pointer chasing.
        memory_streamed: A cache line that memory serves, in a walk, while only one process reads.
        memory_byte: A byte that a core moves to or from memory, as in STREAM's triad, while the other cores are idle.
        memory_byte_shared: A byte that a core moves while all cores of the node do the same.
        allocation: Allocating a small block with ``malloc``, and freeing it.
        page_fault: Touching a page of the usual size for the first time, and freeing it.
        huge_page_fault: Touching a huge page for the first time, and freeing it.
        flop: A double-precision operation at the peak rate, in independent vector products and sums.
        omp_barrier: A barrier of one thread on each core of the node; the threads spin until all have arrived.
        mpi_call: A message of a few bytes between two ranks of a node, per rank.
        mpi_byte: Each further byte of a long message between two ranks of a node.
        mpi_call_across: A message of a few bytes between ranks on two nodes, per rank.
        mpi_byte_across: Each further byte of a long message between ranks on two nodes.
        read_call: A call that reads a few bytes of a file.
        read_byte: Each further byte of a long read.
        write_call: A call that writes a few bytes to a file.
        write_byte: Each further byte of a long write.
    """

    instruction: float | None = None
    instruction_independent: float | None = None
    instruction_dependent: float | None = None
    division_independent: float | None = None
    division_dependent: float | None = None
    denormal: float | None = None
    branch_miss: float | None = None
    l1_miss_streamed: float | None = None
    l1_miss_chased: float | None = None
    l2_miss_streamed: float | None = None
    l2_miss_chased: float | None = None
    memory_streamed: float | None = None
    memory_byte: float | None = None
    memory_byte_shared: float | None = None
    allocation: float | None = None
    page_fault: float | None = None
    huge_page_fault: float | None = None
    flop: float | None = None
    omp_barrier: float | None = None
    mpi_call: float | None = None
    mpi_byte: float | None = None
    mpi_call_across: float | None = None
    mpi_byte_across: float | None = None
    read_call: float | None = None
    read_byte: float | None = None
    write_call: float | None = None
    write_byte: float | None = None

    @classmethod
    def of(cls, values: Mapping[str, float]) -> Prices:
        """Select the known prices from a mapping of names to seconds, such as an experiment's notes or a file."""
        return cls(**{each.name: values[each.name] for each in fields(cls) if each.name in values})

    def known(self) -> dict[str, float]:
        """Map the names of the measured prices to seconds, as in an experiment's notes."""
        return {name: value for name, value in asdict(self).items() if value is not None}
