"""Derived metrics: their formulas, and the message if one cannot be computed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.errors import UsageError
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region
from autoanalyzer.multivariate.derivations import (
    DERIVATIONS,
    about,
    built_in,
    cache_line,
    derivations,
    possible,
    why_absent,
)
from autoanalyzer.multivariate.formula import Formula
from autoanalyzer.multivariate.metric_space import MetricSpace

OWN = ("wall_time", "cpu_time", "mpi_cpu_time", "omp_cpu_time", "instructions", "l2_misses")


def computed(values: dict[str, float], line: int | None = None) -> dict[str, float]:
    columns = {name: np.array([value]) for name, value in values.items()}
    for formula in possible(values, line):
        columns[formula.name] = formula.evaluate(columns)
    return {name: float(columns[name][0]) for name in columns.keys() - values.keys()}


def experiment(source: str = "measured", **calibrated: str) -> Experiment:
    return Experiment(
        metrics=[Metric("l2_misses", "occ", source=source)],
        call_paths=[CallPath(Region("function", "main", "a.c", "main", 0, 1, 2), None)],
        locations=[Location("m", "n", 0, 0)],
        severities={"l2_misses": np.ones((1, 1))},
        notes=Notes(calibrated=calibrated),
    )


def test_a_loop_of_known_work_has_the_rates_that_are_worked_out_by_hand():
    found = computed(
        {
            "wall_time": 9.0,
            "cpu_time": 5.0,
            "mpi_cpu_time": 2.0,
            "omp_cpu_time": 1.0,
            "instructions": 8e9,
            "cycles": 4e9,
            "l2_misses": 2e6,
            "PAPI_DP_OPS": 256e6,
        },
        64,
    )
    assert found == pytest.approx(
        {
            "compute_time": 3.0,
            "cpi": 0.5,
            "ipc": 2.0,
            "l2_mpki": 0.25,
            "counted_time": 2.0,
            "instruction_rate": 4e9,
            "memory_bytes": 128e6,
            "memory_rate": 64e6,
            "instruction_intensity": 62.5,
            "flops": 256e6,
            "flop_rate": 128e6,
            "arithmetic_intensity": 2.0,
        }
    )


def test_of_profiles_that_lack_times_the_next_best_is_taken():
    assert computed({"cpu_time": 4.0, "mpi_cpu_time": 3.0, "PAPI_FP_OPS": 8.0})["flop_rate"] == 8.0
    assert computed({"cpu_time": 4.0, "wall_time": 5.0, "PAPI_FP_OPS": 8.0})["flop_rate"] == 2.0
    assert computed({"wall_time": 5.0, "PAPI_FP_OPS": 10.0})["flop_rate"] == 2.0


def test_what_formats_text_for_files_is_counted_so_its_time_is_in_that_of_counts():
    times = {"cpu_time": 6.0, "mpi_cpu_time": 2.0, "io_cpu_time": 3.0, "omp_cpu_time": 0.0}
    assert computed({**times, "instructions": 8e9})["instruction_rate"] == 2e9


def test_the_last_cache_that_was_counted_tells_the_bytes():
    assert computed({"l2_misses": 3.0, "PAPI_L3_TCM": 1.0}, 128)["memory_bytes"] == 128


def test_what_was_measured_is_not_computed_and_a_taken_name_stands_for_something_else():
    assert "flops" not in {each.name for each in possible(["flops", "PAPI_DP_OPS", "cpu_time"])}
    names = {each.name for each in possible(["cycles", "instructions"], taken=["ipc"])}
    assert names == {"cpi"}


def test_without_the_length_of_a_line_no_bytes_are_computed():
    assert not {"memory_bytes", "memory_rate"} & computed(dict.fromkeys(OWN, 1.0)).keys()
    assert why_absent("memory_rate", OWN).endswith("missing here: the size of a cache line")
    assert why_absent("memory_rate", OWN, 64) == ""


def test_what_cannot_be_computed_names_what_is_lacking_and_a_stranger_nothing():
    assert why_absent("ipc", OWN) == (
        "ipc is computed as instructions / cycles or instructions / ref_cycles or PAPI_TOT_INS / PAPI_TOT_CYC; "
        "missing here: cycles"
    )
    assert why_absent("arithmetic_intensity", OWN, 64).endswith("missing here: PAPI_DP_OPS")
    assert why_absent("flop_rate", ["PAPI_FP_OPS"]).endswith("missing here: cpu_time")
    assert why_absent("speed", OWN) == why_absent("cpu_time", OWN) == ""


def test_the_line_is_that_of_the_simulation_else_of_the_machine_else_unknown():
    assert cache_line(experiment("simulated:rtcount L1=32K/8/128 L2=1M/8/128")) == 128
    assert cache_line(experiment("measured:papi:PAPI_L2_DCM", caches="L1=64K/4/256 L2=1M/8/256")) == 256
    assert cache_line(experiment("measured:papi:PAPI_L2_DCM")) is None


def test_each_formula_of_the_table_is_one_and_parts_stand_before_what_they_are_part_of():
    texts = derivations(64)
    assert len(texts) == len(DERIVATIONS)
    names = [each.name for each in texts]
    for place, each in enumerate(texts):
        assert all(part not in names or part in names[:place] for part in each.metrics), each.name
    assert {each.name for each in built_in()} == {"compute_time", "l1_miss_rate", "l2_miss_rate", "cpi", "ipc"}


def test_what_is_said_of_a_formula_is_said_of_that_one_and_not_of_the_first_of_its_name():
    assert [about(each) for each in derivations(64)] == [each.about for each in DERIVATIONS]
    (time, flops, _) = possible(["wall_time", "PAPI_FP_OPS"])
    assert (about(time), about(flops)) == ("wall-clock time", "floating-point operations")


def test_a_formula_is_written_for_a_page():
    text = "a = -1.5 * (b + [c d]) ** 2 / max(b, log(4))"
    assert Formula.parse(text).written() == [
        "/",
        ["*", ["-", 1.5], ["**", ["+", "b", "c d"], 2]],
        ["max", "b", ["log", 4]],
    ]


@pytest.mark.parametrize("text", ["rate=[bytes sent]/wall_time", "rate = [bytes sent] / [wall_time]"])
def test_a_formula_may_begin_with_a_bracket(text):
    columns = {"bytes sent": np.array([6.0]), "wall_time": np.array([3.0])}
    assert Formula.parse(text).evaluate(columns).tolist() == [2.0]


def test_the_table_is_that_of_the_documents():
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()
    rows = {row.split("`")[1]: row.split("|") for row in page.splitlines() if row.startswith("| `")}
    for each in DERIVATIONS:
        _, _, formulas, unit, about, _ = rows[each.name]
        assert f"`{each.said}`" in formulas
        assert (unit.strip(), each.about in about) == (each.unit, True)


def test_a_space_has_derived_metrics_in_their_units():
    known = experiment("simulated:rtcount L1=32K/8/64 L2=1M/8/64")
    locations = [Location("m", "n", rank, 0) for rank in range(2)]
    values = {"l2_misses": np.array([[2.0, 3.0]]), "wall_time": np.array([[4.0, 1.0]])}
    metrics = [*known.metrics, Metric("wall_time", "sec")]
    made = Experiment(metrics=metrics, call_paths=known.call_paths, locations=locations, severities=values)
    space = MetricSpace.of(made, metrics=["memory_rate"])
    assert space.values.ravel().tolist() == [32.0, 192.0]
    assert space.units == {"memory_rate": "bytes/sec"}
    with pytest.raises(UsageError, match=r"no metric 'ipc'; ipc is computed .* missing here: instructions"):
        MetricSpace.of(made, metrics=["ipc"])
