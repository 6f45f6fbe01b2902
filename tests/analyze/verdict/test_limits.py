"""A saving never exceeds what the run loses, nor the region's time on the critical path."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from autoanalyzer.analyze import Findings, analyze
from autoanalyzer.analyze.verdict import Kind, LostTo, Why
from autoanalyzer.experiment import Experiment
from autoanalyzer.view.verdict import verdict_lines

from ..conftest import MakeExperiment
from ..critical_path.test_serialisation import followed

BESIDE = {Why.TRANSFER, Why.MESSAGES, Why.WAITING, Why.LOCKS, Why.BARRIERS}  # not part of the base
RANKS = 4
Rows = Mapping[str, np.ndarray]


def steps(make_experiment: MakeExperiment, times: Rows, files: Rows, *, meet: bool, **counts: Rows) -> Experiment:
    """Ranks execute the regions one by one, and meet after each one, or only after the last."""
    names, end = [*times], [*times][-1]
    busy = {name: times[name] + files.get(name, 0.0) for name in names}
    waits, delays, path = ({each: np.zeros(RANKS) for each in (*names, "end")} for _ in range(3))
    who, since = [], {}
    for name in names:
        since[name] = busy[name]
        if meet or name == end:
            arrived = sum(since.values())
            last = int(arrived.argmax())
            where = name if meet else "end"
            waits[where] += arrived.max() - arrived
            for each, spent in since.items():
                path[each][last] += spent[last]
                share = float((arrived.max() - arrived).sum()) * float(spent[last] / arrived[last])
                delays[each][last] += share
                who.append((where, each, share, 0.0))
            since = {}
    on_core = {name: 0.1 * each for name, each in files.items()}  # the CPU time contains this, too
    calls = {"io_time": files, "io_cpu_time": on_core, "io_bytes": {name: 1e9 * each for name, each in files.items()}}
    more = {**(calls if files else {}), **counts, "off": {name: -each for name, each in on_core.items()}}
    work = {**times, **{name: times[name] + each for name, each in on_core.items()}, "end": np.zeros(RANKS)}
    return followed(make_experiment, work, path=path, waits=waits, delays=delays, who=who, **more)


def some_run(make_experiment: MakeExperiment, seed: int) -> Experiment:
    chance = np.random.default_rng(seed)

    def rows(names: list[str]) -> dict[str, np.ndarray]:
        return {name: chance.choice([0.0, 0.5, 1.0, 2.0], RANKS) * chance.uniform(0.2, 1.0) for name in names}

    times, names = rows(["a", "b", "c"]), ["a", "b", "c"]
    times["a"] += 0.5
    files = rows(["b"]) if chance.random() < 0.6 else {}
    counts: dict[str, Rows] = {}
    if chance.random() < 0.5:
        stalls = {name: chance.random() < 0.5 for name in names}
        counts["instructions"] = {name: (0.2e9 if stalls[name] else 2e9) * times[name] for name in names}
        counts["ref_cycles"] = {name: 2.5e9 * times[name] for name in names}
        for level, rate in (("l1", 0.3), ("l2", 0.9)):
            counts[f"{level}_accesses"] = {name: rate * each for name, each in counts["instructions"].items()}
            counts[f"{level}_misses"] = {
                name: each * stalls[name] * 0.9 for name, each in counts[f"{level}_accesses"].items()
            }
    return steps(make_experiment, times, files, meet=bool(chance.random() < 0.5), **counts)


def assert_within_limits(found: Findings) -> None:
    for each in found.verdict.findings:
        if each.gain is not None and each.bound is not None:
            of_base = sum(part.before - part.after for part in each.gain.parts if part.why not in BESIDE)
            assert min(each.gain.seconds, of_base) <= each.bound * (1 + 1e-9), each
            assert each.gain.seconds <= found.run.program_time * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_no_region_saves_more_than_it_takes_of_the_path(seed: int, make_experiment: MakeExperiment) -> None:
    made = some_run(make_experiment, seed)
    assert_within_limits(analyze(made))
    assert_within_limits(analyze(made, exclude_ranks=[0]))
    assert_within_limits(analyze(made, metric="wall_time"))


def test_file_io_that_is_not_on_the_path_saves_nothing(make_experiment: MakeExperiment) -> None:
    times = {"compute": np.array([2.0, 0.1, 0.1, 0.1]), "read": np.zeros(RANKS)}
    found = analyze(steps(make_experiment, times, {"read": np.array([0.0, 1.5, 1.5, 1.5])}, meet=False))
    first, second = found.verdict.findings
    assert (first.region, first.kind) == (found.run.weighed.regions[0], Kind.IMBALANCE)
    assert (second.region, second.gain, second.bound) == (found.run.weighed.regions[1], None, 0.0)
    assert any("saves nothing: not on the critical path" in line for line in verdict_lines(found))


def test_time_on_the_path_is_left_out_if_it_is_the_slowest_ranks(make_experiment: MakeExperiment) -> None:
    """Because of clock resolution, the path may seem a little shorter."""
    alone = steps(make_experiment, {"a": np.array([2.0, 1.0, 1.0, 1.0])}, {}, meet=False)
    values = {each.name: alone.exclusive(each.name) for each in alone.metrics}
    made = alone.replaced(severities={**values, "path_time": 0.9999 * values["path_time"]})
    assert "    rank 0: 2 s; ranks 1-3: 1 s each; 1.25 s each if shared evenly" in verdict_lines(analyze(made))
    times = {"a": np.array([2.0, 1.6, 1.0, 1.0]), "b": np.array([1.0, 3.0, 1.0, 1.0])}
    text = " ".join(" ".join(verdict_lines(analyze(steps(make_experiment, times, {}, meet=False)))).split())
    assert "; 1.6 s on the critical path; 1.4 s each if shared evenly" in text


def test_where_balancing_saves_nothing_while_others_are_busier_elsewhere_that_is_said(
    make_experiment: MakeExperiment,
) -> None:
    times = {"a": np.array([2.0, 1.0, 1.0, 1.0]), "b": np.array([1.0, 4.0, 1.0, 1.0])}
    text = " ".join(" ".join(verdict_lines(analyze(steps(make_experiment, times, {}, meet=False)))).split())
    said = "rank 0: 2 s; ranks 1-3: 1 s each; ranks that take less time here are busy elsewhere, so balancing saves"
    assert f"{said} nothing yet" in text


def test_all_that_one_rank_writes_while_the_others_wait_is_saved(make_experiment: MakeExperiment) -> None:
    times = {"compute": np.ones(RANKS), "write": np.zeros(RANKS)}
    found = analyze(steps(make_experiment, times, {"write": np.array([2.0, 0.0, 0.0, 0.0])}, meet=True))
    first = found.verdict.findings[0]
    assert first.gain is not None
    assert (first.kind, first.gain.seconds, first.bound) == (Kind.FILE_IO, pytest.approx(2.0), 2.0)
    assert "; 2 s in file I/O on the critical path" in " ".join(verdict_lines(found))
    (lost,) = found.verdict.lost
    assert (lost.to, lost.findings, lost.is_all) == (LostTo.UNEQUAL, (1,), True)


def test_without_a_path_no_balance_gets_below_the_mean(make_experiment: MakeExperiment) -> None:
    found = analyze(make_experiment({"a": [2.0, 1.0, 1.0, 1.0], "b": [1.0, 2.0, 2.0, 2.0]}))
    assert found.critical_path is None
    assert [(each.kind, each.gain) for each in found.verdict.findings] == [(Kind.IMBALANCE, None)] * 2
    waits = analyze(make_experiment({"a": [2.0, 1.0, 1.0, 1.0], "b": [1.0, 2.0, 2.0, 2.0]}, off={"b": [0.4] * 4}))
    gains = [each.gain.seconds if each.gain else 0.0 for each in waits.verdict.findings]
    assert gains == pytest.approx([0.4, 0.25])


def test_without_a_path_threads_share_their_work_down_to_their_mean(make_experiment: MakeExperiment) -> None:
    made = make_experiment({"a": [2.0, 1.0, 1.0, 1.0], "b": [1.0, 2.0, 2.0, 2.0]}, threads=4)
    assert all(each.gain is None for each in analyze(made).verdict.findings if each.groups)


def test_imbalances_that_compensate_account_for_ranks_busy_at_different_times(make_experiment: MakeExperiment) -> None:
    times = {"a": np.array([2.0, 1.0, 1.0, 1.0]), "b": np.array([1.0, 2.0, 2.0, 2.0])}
    found = analyze(steps(make_experiment, times, {}, meet=True))
    assert [each.gain.seconds for each in found.verdict.findings if each.gain] == pytest.approx([0.75, 0.25])
    (lost,) = found.verdict.lost
    assert (lost.to, lost.seconds) == (LostTo.WAITING, pytest.approx(1.0))
    assert (lost.findings, lost.is_all, found.verdict.longest_wait) == ((1, 2), True, None)
    assert "next: " not in "".join(verdict_lines(found)[:4])
