"""Split the wall time of each rank's first thread into parts, one block of ranks at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment
from ...experiment.prices import Prices
from ..run.costs import are_small
from ..run.criteria import CRITERIA
from ..run.oversubscription import of_first_threads, others_turns
from ..run.selection import complete
from ..run.thread_waits import shares_of_waiting
from .computing import Counted
from .kernel import price_of_fault
from .price_fit import event_prices, fitted_prices, own_prices

__all__ = ["Splitting"]

Values = npt.NDArray[np.float64]
Part = tuple[str, Values]

_CALLS: Final = {
    "mpi": ("mpi_calls", "mpi_bytes"),
    "io": ("io_calls", "io_bytes_read", "io_bytes_written"),
}


@dataclass(frozen=True)
class Splitting:
    """Prices and known parts, which are the same for all blocks of ranks.

    Attributes:
        times: Which times besides computing were measured: ``mpi``, ``mpi_wait`` (a part of ``mpi``), ``io``, ``omp``.
        priced: Those of ``times`` whose calls and bytes have prices.
        prices: The calibrated prices.
        counted: How computing time and its counts are derived.
        fitted: Seconds per count, fitted to all call paths together.
        own: ``float64[count, call path]``: seconds per count in each call path; empty if nothing was counted.
        fault: Seconds per page fault; 0 if kernel time is unknown.
        allocates: Whether allocations were counted and have a price.
        turns: Whether the time that first threads waited for a core is known.
        waiting: Part → ``float64[call path]``: the part's share of the time in OpenMP; empty if it is unknown.
        across: Machine and node → the share of the other ranks that are on other nodes.
    """

    times: frozenset[str]
    priced: frozenset[str]
    prices: Prices
    counted: Counted
    fitted: tuple[float, ...]
    own: Values
    fault: float
    allocates: bool
    turns: bool
    waiting: Mapping[str, Values]
    across: Mapping[tuple[str, str], float]

    @classmethod
    def of(cls, experiment: Experiment) -> Splitting:
        """Determine how an experiment's time can be split, and fit the prices of its counts."""
        prices = Prices.of(experiment.notes.prices)
        counted = Counted.of(experiment, prices)
        files = (prices.read_call, prices.read_byte, prices.write_call, prices.write_byte)
        known = {"mpi": None not in (prices.mpi_call, prices.mpi_byte), "io": None not in files}
        fitted = fitted_prices(experiment, counted, prices) if counted.names else ()
        if counted.events:
            counted = replace(counted, of_events=event_prices(experiment, counted, fitted))
        return cls(
            times=frozenset(each for each in ("mpi", "mpi_wait", "io", "omp") if complete(experiment, f"{each}_time")),
            priced=frozenset(
                each
                for each, names in _CALLS.items()
                if known[each] and all(complete(experiment, name) for name in names)
            ),
            prices=prices,
            counted=counted,
            fitted=fitted,
            own=own_prices(experiment, counted, fitted, prices) if fitted else np.empty((0, 0)),
            fault=price_of_fault(experiment, prices) if "system_time" in (counted.others or ()) else 0.0,
            allocates=prices.allocation is not None and complete(experiment, "allocations"),
            turns=bool(experiment.notes.run_delay),
            waiting=shares_of_waiting(experiment),
            across=_across(experiment),
        )

    def parts(self, experiment: Experiment) -> Iterator[Part]:
        """Yield the parts of each call path's wall time, in seconds; they add up to the wall time.

        Args:
            experiment: The whole experiment, or a block of it.

        Yields:
            A part's name, and ``float64[call path, location]``: 0 except for the first thread of each process.
        """

        def own(metric: str) -> Values:
            return of_first_threads(experiment, experiment.exclusive(metric))

        left = own("wall_time")
        later: list[Part] = []
        elsewhere: list[tuple[Values, Values]] = []  # wall time and CPU time of calls
        for name in ("io", "mpi", "omp"):
            if name in self.times:
                time = np.clip(own(f"{name}_time"), 0.0, np.maximum(left, 0.0))
                left = left - time
                split = name == "mpi" and "mpi_wait" in self.times
                later += self._of_split(experiment, time) if split else self._of_calls(experiment, name, time)
                if f"{name}_cpu_time" in (self.counted.others or ()):
                    elsewhere.append((time, own(f"{name}_cpu_time")))
        if self.counted.others is None:
            yield "computing", left
            yield from later
            return
        all_computing = self.counted.time(experiment)
        computing = np.clip(of_first_threads(experiment, all_computing), 0.0, np.maximum(left, 0.0))
        yield from self._of_computing(experiment, all_computing, computing)
        kernel = np.zeros_like(computing)
        if "system_time" in self.counted.others:
            kernel = np.clip(own("system_time"), 0.0, np.maximum(left - computing, 0.0))
            yield from self._of_kernel(experiment, kernel)
        yield from later
        off = left - computing - kernel
        if not self.turns:
            yield "off", off
            return
        room = [off, *(np.maximum(wall - cpu, 0.0) for wall, cpu in elsewhere)]
        spent = [computing + kernel, *(cpu for _, cpu in elsewhere)]
        turns = others_turns(experiment, np.concatenate(spent), np.maximum(np.concatenate(room), 0.0))[: len(off)]
        yield "turns", turns
        yield "asleep", off - turns

    def _of_allocations(self, experiment: Experiment) -> Values:
        """Return the time of allocations; if frees were counted, an allocation and a free take half the price each."""
        blocks = np.maximum(experiment.exclusive("allocations"), 0.0)
        if complete(experiment, "frees"):
            blocks = (blocks + np.maximum(experiment.exclusive("frees"), 0.0)) / 2
        return blocks * (self.prices.allocation or 0.0)

    def _of_kernel(self, experiment: Experiment, time: Values) -> Iterator[Part]:
        faults = np.maximum(experiment.exclusive("page_faults"), 0.0) * self.fault
        yield from _at_most([("page_faults", faults)], time, "system")

    def computing(self, experiment: Experiment) -> Iterator[Part]:
        """Yield the parts of all threads' computing time and kernel time, in seconds, in the form of ``parts``."""
        time = self.counted.time(experiment)
        yield from self._of_computing(experiment, time, time)
        if "system_time" in (self.counted.others or ()):
            yield from self._of_kernel(experiment, np.maximum(experiment.exclusive("system_time"), 0.0))

    def _of_computing(self, experiment: Experiment, of_all: Values, computing: Values) -> Iterator[Part]:
        left = computing
        if self.allocates:
            spent = np.minimum(self._of_allocations(experiment), computing)
            left = computing - spent
            yield "allocations", spent
        if not self.counted.names:
            yield "computing", left
            return
        counts, events = self.counted.counts(experiment, of_all), self.counted.in_events(experiment, of_all)
        share = np.divide(left, computing, out=np.ones_like(left), where=computing > 0)
        explained = [each * price[:, None] * share for each, price in zip(counts, self.own, strict=True)]
        parts = [*zip(self.counted.names, explained, strict=True)]
        yield from _at_most([*parts, *((name, each * share) for name, each in events.items())], left, "unexplained")

    def _of_calls(self, experiment: Experiment, name: str, time: Values) -> Iterator[Part]:
        if name == "omp":
            parts = [(part, share[:, None] * time) for part, share in self.waiting.items()]
            yield from _at_most(parts, time, "omp_waiting") if parts else [("omp_waiting", time)]
        elif name not in self.priced:
            yield name, time
        else:
            calls, volume = self._mpi(experiment) if name == "mpi" else self._files(experiment, time)
            rest = "mpi_waiting" if name == "mpi" else "io_rest"
            yield from _at_most([(f"{name}_calls", calls), (f"{name}_bytes", volume)], time, rest)

    def _of_split(self, experiment: Experiment, time: Values) -> Iterator[Part]:
        """Yield the parts of MPI time for a run that measured waiting with barriers; the rest is split by prices."""
        waited = np.minimum(experiment.exclusive("mpi_wait_time"), time)
        parts = dict(self._of_calls(experiment, "mpi", time - waited))
        yield from {**parts, "mpi_waiting": parts.get("mpi_waiting", 0.0) + waited}.items()

    def _mpi(self, experiment: Experiment) -> tuple[Values, Values]:
        """Return the times of MPI calls and of bytes at their prices: ``float64[call path, location]`` each.

        All pairs of ranks are assumed to communicate equally.
        """
        prices = self.prices
        across = np.array([self.across[place.machine, place.node] for place in experiment.locations])
        call, byte = prices.mpi_call or 0.0, prices.mpi_byte or 0.0
        call_across = call if prices.mpi_call_across is None else prices.mpi_call_across
        byte_across = byte if prices.mpi_byte_across is None else prices.mpi_byte_across
        return (
            experiment.exclusive("mpi_calls") * (call + across * (call_across - call)),
            experiment.exclusive("mpi_bytes") * (byte + across * (byte_across - byte)),
        )

    def _files(self, experiment: Experiment, time: Values) -> tuple[Values, Values]:
        """Return the times of I/O calls and of bytes at their prices, ``float64[call path, location]`` each.

        Calls are divided into reads and writes in proportion to their bytes. A library such as MPI-IO or the Fortran
        runtime adds its own time per call. So if calls are small, all of their time is attributed to calls rather than
        bytes, unless they took so long that they must have waited for something.
        """
        prices = self.prices
        calls, read, written = (experiment.exclusive(each) for each in _CALLS["io"])
        moved = read + written
        reads = np.divide(read, moved, out=np.full_like(moved, 0.5), where=moved > 0)
        call = reads * (prices.read_call or 0.0) + (1 - reads) * (prices.write_call or 0.0)
        volume = read * (prices.read_byte or 0.0) + written * (prices.write_byte or 0.0)
        takes_all = are_small(calls, moved) & (time <= CRITERIA.call * calls)
        return np.where(takes_all, np.maximum(time - volume, calls * call), calls * call), volume


def _across(experiment: Experiment) -> dict[tuple[str, str], float]:
    processes = {place.process: (place.machine, place.node) for place in experiment.locations}
    near, everyone = Counter(processes.values()), len(processes)
    return {node: (everyone - number) / max(1, everyone - 1) for node, number in near.items()}


def _at_most(parts: list[Part], whole: Values, rest: str) -> Iterator[Part]:
    """Yield parts, scaled down if their sum exceeds the whole time, and the remaining time under the name ``rest``."""
    together = np.sum([each for _, each in parts], axis=0)
    factor = np.divide(whole, together, out=np.ones_like(whole), where=together > whole)
    left = whole
    for name, each in parts:
        part = np.minimum(each * factor, left)  # due to rounding, a part may exceed the remaining time
        left = left - part
        yield name, part
    yield rest, left
