"""What one instruction, miss, call or byte takes on a machine: by these a run's seconds are accounted for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

__all__ = ["Prices"]


@dataclass(frozen=True, slots=True)
class Prices:
    """Seconds each; None where it was not measured.

    A miss costs most where the next access waits for it, as in a chase of pointers, and least where the processor
    fetches ahead, as in a walk through consecutive numbers.

    Attributes:
        instruction: Of plain code, whose data are in the first cache; a mean.
        instruction_independent: The least that such code takes: no operation waits for another.
        instruction_dependent: The most: each waits for the one before, and some are divisions.
        l1_miss_streamed: An access that the second cache serves, of those in a walk.
        l1_miss_chased: The same in a chase.
        l2_miss_streamed: An access that neither cache serves, of those in a walk; a third cache may.
        l2_miss_chased: The same in a chase; memory serves it.
        memory_streamed: An access that memory serves, of those in a walk: a line, where one process reads alone.
        memory_byte: A byte that a core moves to and from memory, alone on its node, as in STREAM's triad.
        memory_byte_shared: The same for each core, while all cores of the node do so.
        flop: An operation on double precision at best, in vectors of products and sums that wait for no other.
        mpi_call: A message of a few bytes between two ranks of a node, for each of them.
        mpi_byte: A byte more of a long message between two ranks of a node.
        mpi_call_across: As ``mpi_call``, between two nodes.
        mpi_byte_across: As ``mpi_byte``, between two nodes.
        read_call: A call that reads a few bytes of a file.
        read_byte: A byte more of a long read.
        write_call: A call that writes a few bytes to a file.
        write_byte: A byte more of a long write.
    """

    instruction: float | None = None
    instruction_independent: float | None = None
    instruction_dependent: float | None = None
    l1_miss_streamed: float | None = None
    l1_miss_chased: float | None = None
    l2_miss_streamed: float | None = None
    l2_miss_chased: float | None = None
    memory_streamed: float | None = None
    memory_byte: float | None = None
    memory_byte_shared: float | None = None
    flop: float | None = None
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
        """Take those that are known from an experiment's notes, or a file."""
        return cls(**{each.name: values[each.name] for each in fields(cls) if each.name in values})

    def known(self) -> dict[str, float]:
        """Give those that were measured, by name, as notes hold them."""
        return {name: value for name, value in asdict(self).items() if value is not None}
