"""Runs that were kept: folders with an experiment, and with the truth with which a verdict on it is compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from autoanalyzer.experiment import Experiment, Region, load, select
from autoanalyzer.experiment.metric import COUNT_METRICS

from .key import NAME, Key
from .program import Position

_COUNTS = {each.name for each in COUNT_METRICS}


@dataclass(frozen=True)
class Kept:
    """A run, and the truth with which a verdict on it is compared."""

    key: Key
    experiment: Experiment
    file: Path

    @classmethod
    def opened(cls, folder: Path, *, counts: bool = True) -> Kept:
        """Open the run in a folder; without ``counts``, as if it had been measured without them."""
        key = Key.load(folder)
        file = folder / "out" / "experiment.cube"
        experiment = load(file)
        if counts:
            return cls(key, experiment, file)
        timed = [each.name for each in experiment.metrics if each.name not in _COUNTS]
        return cls(replace(key, counted=False), select(experiment, metrics=timed), file)

    def computing(self, places: Sequence[Position]) -> npt.NDArray[np.float64]:
        """Return each thread's CPU time without MPI and OpenMP waits, in seconds, at the place where it is largest."""
        return self._longest(places, "cpu_time", "mpi_cpu_time", "omp_cpu_time")

    def busiest(self, places: Sequence[Position]) -> float:
        """Return the largest value of ``computing``, in seconds."""
        return float(self.computing(places).max())

    def elapsed(self, places: Sequence[Position]) -> float:
        """Return the slowest thread's wall time, in seconds, at the place where it is largest."""
        return float(self._longest(places, "wall_time").max())

    def processing(self, places: Sequence[Position]) -> float:
        """Return the threads' mean CPU time, in seconds, including MPI, at the place where it is largest."""
        return float(self._longest(places, "cpu_time").mean())

    @property
    def has_path(self) -> bool:
        """Whether the critical path was recorded."""
        return "path_time" in self.experiment

    @property
    def path(self) -> float:
        """The length of the critical path in seconds; 0 if it was not recorded."""
        return float(self.experiment.exclusive("path_time").sum()) if self.has_path else 0.0

    def on_path(self, places: Sequence[Position]) -> float:
        """Return the time on the critical path, in seconds, at the first of these places that is a region."""
        regions = {_place(each.region) for each in self.experiment.call_paths}
        first = next((each for each in places if each in regions), places[0])
        return float(self._longest([first], "path_time").sum())

    def _longest(self, places: Sequence[Position], metric: str, *less: str) -> npt.NDArray[np.float64]:
        values = self.experiment.inclusive(metric) - sum(self.experiment.inclusive(each) for each in less)
        regions = [_place(each.region) for each in self.experiment.call_paths]
        sums = [values[[row for row, at in enumerate(regions) if at == place]].sum(axis=0) for place in places]
        return max(sums, key=np.sum)


def _place(region: Region) -> Position:
    return Position(Path(region.file).name, region.first_line)


def kept_in(folder: Path) -> Iterator[Path]:
    """Yield the folders of the runs in a folder; the runs of a case follow each other, the faulty one first."""
    found = [(Key.load(each.parent), each.parent) for each in folder.glob(f"*/{NAME}")]
    return (place for _, place in sorted(found, key=lambda each: (each[0].seed, each[0].cured)))
