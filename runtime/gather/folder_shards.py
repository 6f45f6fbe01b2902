"""The shards of a run: the heads of readable shards, and the defects of unreadable ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .head import Head, Shape
from .message_sums import MessageSums
from .processes import count_alone
from .sample_sums import SampleSums
from .shard import Shard

__all__ = ["FolderShards", "Told"]

Told = Callable[[int, int], object]
"""Progress callback; receives the number of shards read, and their total."""


@dataclass
class FolderShards:
    """The shards read by one or several processes.

    Attributes:
        files: The files of all shards.
        heads: The heads of the readable shards.
        shape_of: For each head, the index of its shape in ``shapes``.
        shapes: The different shapes.
        broken: The file name and the defect of each unreadable shard.
        samples: The samples of all threads' code, added up, without those in ``samples_alone``.
        samples_alone: The samples of processes without regions, added up.
        messages: The messages between ranks, added up.
    """

    files: list[Path] = field(default_factory=list)
    heads: list[Head] = field(default_factory=list)
    shape_of: list[int] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    broken: list[tuple[str, str]] = field(default_factory=list)
    samples: SampleSums = field(default_factory=SampleSums)
    samples_alone: SampleSums = field(default_factory=SampleSums)
    messages: MessageSums = field(default_factory=MessageSums)
    _numbers: dict[bytes, int] = field(default_factory=dict)

    def add(self, head: Head, shape: Shape) -> None:
        """Add a shard that was read."""
        self.heads.append(head)
        self.shape_of.append(self._number(shape))

    def joined(self, other: FolderShards) -> FolderShards:
        """Return these shards, followed by those of another process."""
        found = FolderShards(shapes=[*self.shapes], _numbers={**self._numbers})
        numbers = [found._number(shape) for shape in other.shapes]
        found.files = self.files + other.files
        found.heads = self.heads + other.heads
        found.shape_of = self.shape_of + [numbers[shape] for shape in other.shape_of]
        found.broken = self.broken + other.broken
        found.samples = self.samples.joined(other.samples)
        found.samples_alone = self.samples_alone.joined(other.samples_alone)
        found.messages = self.messages.joined(other.messages)
        return found

    def shape(self, key: bytes) -> Shape | None:
        """Return the shape with a key; None if no shard has it."""
        return self.shapes[self._numbers[key]] if key in self._numbers else None

    def _number(self, shape: Shape) -> int:
        if shape.key not in self._numbers:
            self._numbers[shape.key] = len(self.shapes)
            self.shapes.append(shape)
        return self._numbers[shape.key]

    @property
    def shards(self) -> list[Shard]:
        """The shards that can be read."""
        return [head.shard for head in self.heads]

    @property
    def helpers(self) -> set[int]:
        """The indices of the shards of helper programs, such as launchers and commands in scripts, which are ignored.

        A process is a helper if it has neither probes nor MPI calls, but other processes have. Only sampling records
        such a process.
        """
        found = {place for place, head in enumerate(self.heads) if not head.has_regions}
        return found if len(found) < len(self.heads) else set()

    @property
    def lacks_ranks(self) -> bool:
        """Whether the shard of a rank is missing."""
        helpers = self.helpers
        shards = [shard for place, shard in enumerate(self.shards) if place not in helpers]
        if count_alone(shards) > 1:
            return False
        launched = [shard for shard in shards if not shard.spawned]
        ranks = {shard.rank for shard in launched if not shard.forked_from}
        return any(rank not in ranks for rank in range(max((shard.size or 0 for shard in launched), default=0)))

    @property
    def latest(self) -> list[int]:
        """The indices of the shards that belong to the latest run, in the order of their files.

        A shard is left out if its process had ended before another process of the same rank began. Such a shard belongs
        to an earlier run: ``autoanalyzer exec`` was used twice without gathering in between. Spawned processes are an
        exception, because one may begin after another has ended. Helpers are left out, too.
        """
        starts: dict[int | None, float] = {}
        for shard in self.shards:
            if shard.mpi_initialised is not None and not shard.spawned:
                starts[shard.rank] = max(starts.get(shard.rank, 0.0), shard.start_realtime)
        found = set(_of_the_run(self.shards, starts)) - self.helpers
        return sorted(found, key=lambda place: self.heads[place].shard.path.name)


def _of_the_run(shards: Sequence[Shard], starts: dict[int | None, float]) -> Iterator[int]:
    for place, shard in enumerate(shards):
        if (
            shard.mpi_initialised is None
            or shard.spawned
            or shard.start_realtime + shard.last >= starts.get(shard.rank, 0.0)
        ):
            yield place
