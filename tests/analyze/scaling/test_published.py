"""Numbers that other tools published with their tests or examples: factors are equal if their definitions are.

TALP-Pages (DLB 3.5) has two runs of GENE-X, and a pair of runs each for strong and weak scaling. Extra-P has series of
times that it must recognise as strong scaling, or as none. Only values are repeated here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from autoanalyzer.analyze.scaling import Mode, Scaling, find_scaling, series_of
from autoanalyzer.analyze.scaling.models import fitted
from autoanalyzer.errors import UsageError
from autoanalyzer.experiment import Experiment, load, save

from ..conftest import MakeExperiment

Judged = Callable[..., Scaling]

FALLING = (  # seconds on 20, 30, 40, 50 and 60 ranks: medians of Extra-P's one_parameter_1 for strong scaling
    726.22,
    502.53,
    315.72,
    178.92,
    81.98,
)


def profile(make: MakeExperiment, busy: Sequence[float], time: float, instructions: float | None = None) -> Experiment:
    """Make a run from what such tools record: the ranks' busy times, the run's time, and the total instructions.

    These tools record no critical path. It is set to the busiest rank, so communication efficiency is transfer
    efficiency.
    """
    path = [each if each == max(busy) else 0.0 for each in busy]
    assert path.count(0.0) == len(busy) - 1
    counted = (
        {} if instructions is None else {"instructions": {"work": [instructions * each / sum(busy) for each in busy]}}
    )
    return make(
        {"work": busy, "MPI_Wait": [0.0] * len(busy)},
        mpi_time={"MPI_Wait": [time - each for each in busy]},
        program_time={"": [time] * len(busy)},
        path_time={"work": path},
        **counted,
    )


@pytest.fixture
def judged(tmp_path: Path) -> Judged:
    """Return a function that judges runs by their CUBE files."""

    def judge(*runs: Experiment, mode: Mode | None = None) -> Scaling:
        files = [tmp_path / f"{number}.cube" for number in range(len(runs))]
        for file, each in zip(files, runs, strict=True):
            save(each, file)
        return find_scaling(series_of([[load(file)] for file in files], [*map(str, files)]), mode)

    return judge


def parallel(found: Scaling) -> list[float]:
    return [float(np.prod(each)) for each in zip(found.factors["load_balance"], found.factors["transfer"], strict=True)]


def known(most: float, total: float, ranks: int) -> list[float]:
    """Return the busy times of ranks: one has ``most``, and the others share the rest."""
    return [most, *[(total - most) / (ranks - 1)] * (ranks - 1)]


def test_load_balance_and_communication_efficiency_are_those_of_talp_pages(
    make_experiment: MakeExperiment, judged: Judged
) -> None:
    # GENE-X: normalised useful time of the mean and of the busiest process, and MPI time of the latter, in seconds.
    runs = {2: (24.833978869, 25.043816631, 0.131319194), 4: (35.791768986, 36.017849887, 0.258430208)}
    made = [
        profile(make_experiment, known(most, ranks * mean, ranks), most + in_mpi)
        for ranks, (mean, most, in_mpi) in runs.items()
    ]
    found = judged(*made, mode="weak")
    factors = found.factors
    published = {"mpiLoadBalance": (0.99, 0.99), "mpiCommunicationEfficiency": (0.99, 0.99)}
    assert factors["serialisation"] == pytest.approx((1, 1))
    for name, of_theirs in (("load_balance", "mpiLoadBalance"), ("transfer", "mpiCommunicationEfficiency")):
        assert [round(each or 0, 2) for each in factors[name]] == list(published[of_theirs])
    assert [round(each, 2) for each in parallel(found)] == [0.99, 0.99]


@pytest.mark.parametrize(
    ("instructions", "mode", "of_instructions"),
    [((2240503, 2240503), "strong", 1.0), ((2240503, 5240503), "weak", 0.855071)],
)
def test_computation_scales_as_in_talp_pages(
    make_experiment: MakeExperiment, judged: Judged, instructions: tuple[int, int], mode: str, of_instructions: float
) -> None:
    useful, elapsed, cycles = (12.514719683, 24.514719683), (10.002805067, 24.002805067), (21817855, 51817855)
    first = profile(make_experiment, known(10.002241160, useful[0], 2), elapsed[0], instructions[0])
    second = profile(make_experiment, known(10.002241160, useful[1], 4), elapsed[1], instructions[1])
    found = judged(first, second)
    assert (found.mode, found.by) == (mode, "instructions")
    assert found.factors["instructions"][1] == pytest.approx(of_instructions, rel=1e-5)
    ipc = instructions[1] / cycles[1] / (instructions[0] / cycles[0])
    frequency = cycles[1] / useful[1] / (cycles[0] / useful[0])
    assert found.factors["time_per_instruction"][1] == pytest.approx(ipc * frequency)
    assert found.factors["computation"][1] == pytest.approx(of_instructions * ipc * frequency, rel=1e-5)
    growth = 1 if mode == "strong" else 2
    assert found.speedups[1] == pytest.approx(growth * elapsed[0] / elapsed[1])
    assert parallel(found) == pytest.approx([useful[0] / 2 / elapsed[0], useful[1] / 4 / elapsed[1]])
    assert found.factors["efficiency"][1] == pytest.approx(parallel(found)[1] * found.factors["computation"][1])


@pytest.mark.parametrize(("rising", "mode"), [(False, "strong"), (True, "weak")])
def test_the_mode_is_that_of_extra_p(make_experiment: MakeExperiment, judged: Judged, rising: bool, mode: str) -> None:
    values = sorted(FALLING, reverse=not rising)
    runs = []
    for ranks, each in zip(range(20, 61, 10), values, strict=True):
        busy = [each * 1.0001, *[each] * (ranks - 1)]
        runs.append(profile(make_experiment, busy, each * 1.001, 1e9 * sum(busy)))
    found = judged(*runs)
    assert found.mode == mode
    in_all = (60 / 20) * values[-1] / values[0]
    assert found.factors["instructions"][-1] == pytest.approx((3 if rising else 1) / in_all, rel=1e-4)


def test_times_without_counts_do_not_show_the_mode(make_experiment: MakeExperiment, judged: Judged) -> None:
    runs = [
        profile(make_experiment, [each * 1.0001, *[each] * (ranks - 1)], each * 1.001)
        for ranks, each in zip((20, 30), FALLING, strict=False)
    ]
    with pytest.raises(UsageError, match="add --mode strong or --mode weak"):
        judged(*runs)


def test_models_are_those_of_counts_only() -> None:
    ranks = (1000, 2000, 4000, 8000, 16000)
    # Extra-P's one_parameter_6: repeated measurements of a constant time, and of one that falls with the square of the
    # ranks.
    constant = ((4.1, 3.9, 4.0, 4.0, 4.1),) * 2 + (
        (4.1, 3.9, 4.3, 4.0, 4.1),
        (4.1, 3.9, 4.0, 4.0, 4.1),
        (4.1, 3.9, 4.9, 4.0, 4.1),
    )
    assert fitted(ranks, [median(each) for each in constant]) is None
    assert dict(fitted(ranks[:2], [median(each) for each in constant[:2]]).terms) == {"1": 4.0}
    assert fitted(ranks, (256e6, 64e6, 16e6, 4e6, 1e6)) is None
    assert fitted(ranks, [1e9 / each for each in ranks]).at(32000) == pytest.approx(31250)
