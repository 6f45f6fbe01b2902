"""Cycles where the processor's own cannot be had: CPU time in ticks of the time-stamp counter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...experiment import Experiment
from ...experiment.metric import COUNT_METRICS

__all__ = ["with_ref_cycles"]

_REF_CYCLES = next(metric for metric in COUNT_METRICS if metric.name == "ref_cycles")


def with_ref_cycles(experiment: Experiment) -> Experiment:
    """Add ``ref_cycles`` to an experiment with instructions, but without cycles or the rate of its clock.

    CPU time outside MPI, file I/O and OpenMP's waiting, as the counts leave out what is executed there, and simulated
    ones the kernel, too.
    """
    rate = float(experiment.notes.clocks.get("ticks_per_second", 0))
    if not rate or "instructions" not in experiment or {"cycles", "ref_cycles"} & {m.name for m in experiment.metrics}:
        return experiment
    parts = [name for name in ("mpi_cpu_time", "io_cpu_time", "omp_cpu_time") if name in experiment]
    inside = sum(experiment.exclusive(name) for name in parts)
    cycles = np.maximum(experiment.exclusive("cpu_time") - inside, 0) * rate
    source = f"derived:({'-'.join(['cpu_time', *parts])})*{rate:.4g}"
    severities = {metric.name: experiment.exclusive(metric.name) for metric in experiment.metrics}
    return Experiment(
        metrics=[*experiment.metrics, replace(_REF_CYCLES, source=source)],
        call_paths=experiment.call_paths,
        locations=experiment.locations,
        severities={**severities, _REF_CYCLES.name: cycles},
        notes=experiment.notes,
    )
