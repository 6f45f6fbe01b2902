"""Read samples of a running program from its shards, while processes write them."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import InputError
from ...experiment.trace import EqualSteps, KnownSoFar, Samples
from ..facts import RunFacts
from ..folder import RunFolder
from .processes import number_processes
from .sampled_metrics import SampledMetrics
from .samples import read_samples
from .shard import Shard
from .shard_reader import read_shard

__all__ = ["LiveSamples"]


class LiveSamples:
    """The samples so far of the processes whose shards are on this disk."""

    def __init__(self, folder: RunFolder, width: float) -> None:
        """Start with the first sample.

        Args:
            folder: The run's folder.
            width: The length of the shortest step in seconds; steps are longer if samples are.
        """
        self._folder = folder
        self._width = width
        self._start: float | None = None
        self._sampled: SampledMetrics | None = None
        self._steps: EqualSteps | None = None

    @property
    def ended(self) -> bool:
        """Whether the program has ended."""
        return RunFacts.read(self._folder.shards).status is not None

    def new(self) -> Samples:
        """Return the samples since the last call; samples that cannot be read yet are returned by a later call."""
        shards = [shard for shard in self._shards() if shard.tracing and shard.threads]
        if not shards:
            return Samples.none()
        if self._steps is None:
            step = max(self._width, *(shard.tracing.interval for shard in shards if shard.tracing))
            self._sampled = SampledMetrics.of(shards)
            self._steps = EqualSteps(self._sampled.metrics, step)
            self._start = min(shard.start_realtime for shard in shards)
        return self._steps.new(self._lines(shards))

    def _shards(self) -> Iterator[Shard]:
        for file in self._folder.shard_files():
            try:
                yield read_shard(file)
            except InputError:  # the shard is just being written
                continue

    def _lines(self, shards: list[Shard]) -> Iterator[KnownSoFar]:
        if self._sampled is None or self._start is None:
            return
        for process, shard in number_processes(shards).items():
            try:
                threads = read_samples(shard, rest=False)
            except InputError:
                continue
            offset = shard.start_realtime - self._start
            for thread, line in enumerate(threads):
                values = self._sampled.values_of(line)
                yield KnownSoFar((process, thread), line.begin + offset, line.end + offset, values)
