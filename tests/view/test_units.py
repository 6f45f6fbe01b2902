import pytest

from autoanalyzer.experiment import Builder
from autoanalyzer.view.dump import print_dump
from autoanalyzer.view.units import amount, joules, percent, ranks, seconds, spread


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.413, "2.41 s"), (0.083, "83 ms"), (12.14e-6, "12.1 us"), (3e-9, "3 ns"), (0.0, "0 s"), (1234.5, "1234 s")],
)
def test_times_have_three_digits_and_a_unit(value: float, text: str):
    assert seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0 J"), (3e-6, "3 uJ"), (0.0414, "41.4 mJ"), (2.7, "2.7 J"), (1234.5, "1.23 kJ"), (2e9, "2000 MJ")],
)
def test_energies_have_three_digits_and_a_unit(value: float, text: str):
    assert joules(value) == amount(value, "J") == text


@pytest.mark.parametrize(
    ("least", "most", "text"),
    [
        (0.0111, 0.0533, "11.1-53.3 ms"),
        (808e-6, 1.2, "808 us-1.2 s"),
        (0.0, 0.833, "0-833 ms"),
        (0.05331, 0.05332, "53.3 ms"),
        (0.0, 0.0, "0 s"),
    ],
)
def test_a_spread_has_its_unit_once(least: float, most: float, text: str):
    assert spread(least, most) == text


@pytest.mark.parametrize(("value", "text"), [(41.2, "41 %"), (0.31, "0.3 %"), (0.01, "< 0.1 %"), (0, "0.0 %")])
def test_percentages_are_as_exact_as_they_matter(value: float, text: str):
    assert percent(value) == text


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        ([0], "rank 0"),
        ([0, 1, 2, 5], "ranks 0-2, 5"),
        ([1, 3, 5, 7, 9, 11], "ranks 1, 3, 5, … 11"),
        (["0.0", "0.1", "1.0"], "threads 0.0-0.1, 1.0"),
        (["0#0", "1#0", "0#1", "2#1"], "ranks 0#0-1#0, 0#1, 2#1"),
        (["0.0#1", "0.1#1"], "threads 0.0#1-0.1#1"),
    ],
)
def test_ranks_are_listed_with_ranges(labels: list[int | str], text: str):
    assert ranks(labels) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (-0.083, "sec", "-83 ms"),
        (12.0, "occ", "12"),
        (-1.2e9, "bytes", "-1.2 GB"),
        (0.123456789, "1", "0.123457"),
        (float("nan"), "sec", "-"),
        (float("inf"), "occ", "inf"),
        (float("-inf"), "occ", "-inf"),
        (-0.0, "occ", "0"),
        (-0.0, "1", "0"),
        (-0.2, "occ", "0"),
        (-0.2, "bytes", "0 B"),
        (526781000.0, "", "5.3e8"),
        (-2e6, "1", "-2.0e6"),
        (999999.0, "1", "999999"),
    ],
)
def test_amounts_may_be_negative_or_missing(value: float, unit: str, text: str):
    assert amount(value, unit) == text


def test_a_table_has_units_in_its_titles_where_numbers_have_none(capsys):
    builder = Builder()
    for name, unit in (("time", "sec"), ("power", "W"), ("ratio", "1")):
        builder.metric(name, unit)
    builder.call_path("main")
    builder.location(0)
    for name in ("time", "power", "ratio"):
        builder.row(name, 0, [2.0])
    experiment = builder.experiment()
    print_dump(experiment, ["time", "power", "ratio"], None, set(), inclusive=True)
    assert capsys.readouterr().out.splitlines()[0].split() == ["time", "power", "[W]", "ratio", "region", "source"]
    print_dump(experiment, ["power"], "process", set(), inclusive=True)
    assert "power [W] by process" in capsys.readouterr().out
