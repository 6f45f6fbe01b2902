"""Calibrations in the cache: for which runs they are valid, and what happens to earlier ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment.prices import Prices
from autoanalyzer.runtime.calibration.calibration import Calibration
from autoanalyzer.runtime.calibration.kept import keep, kept_calibration, processor_model
from autoanalyzer.runtime.mpi.detection import Mpi
from autoanalyzer.runtime.mpi.library import MpiLibrary

MPI = Mpi(MpiLibrary(Path("/opt/mpi/libmpi.so.40"), "libmpi.so.40"), "mpirun")
OTHER = Mpi(MPI.library, "srun")
PLACE = {"host": "node1", "mpi": "/opt/mpi/libmpi.so.40", "launcher": "mpirun -n 2", "day": "2025-01-31"}


@pytest.fixture
def cache(tmp_path: Path) -> dict[str, str]:
    return {"AUTOANALYZER_CACHE": str(tmp_path / "cache"), "PATH": ""}


def test_a_run_under_the_same_mpi_and_launcher_gets_all_of_it(cache: dict[str, str]) -> None:
    found = Calibration(Prices(instruction=1e-10, mpi_call=2e-7), PLACE, {"read_call": "disk full"})
    keep(found, MPI, cache)
    assert kept_calibration(MPI, cache) == found


def test_a_run_under_another_launcher_gets_what_is_not_of_mpi(cache: dict[str, str]) -> None:
    keep(Calibration(Prices(instruction=1e-10, mpi_call=2e-7), PLACE, {"mpi_byte": "one rank"}), MPI, cache)
    expected = Calibration(Prices(instruction=1e-10), {"host": "node1", "day": "2025-01-31"}, {})
    assert kept_calibration(OTHER, cache) == expected
    assert kept_calibration(Mpi(None), cache) == expected


def test_of_two_under_other_launchers_the_later_one_is_taken(cache: dict[str, str]) -> None:
    for seconds, price, mpi in ((2000, 2e-10, MPI), (1000, 1e-10, OTHER), (1500, 3e-10, Mpi(MPI.library, "prun"))):
        os.utime(keep(Calibration(Prices(instruction=price), PLACE), mpi, cache), (seconds, seconds))
    found = kept_calibration(Mpi(None), cache)
    assert found
    assert found.prices == Prices(instruction=2e-10)


def test_a_later_one_replaces_prices_and_keeps_those_that_it_lacks(cache: dict[str, str]) -> None:
    keep(Calibration(Prices(instruction=1e-10, mpi_call=2e-7), PLACE, {"mpi_call_across": "one node"}), MPI, cache)
    keep(Calibration(Prices(instruction=2e-10, mpi_call_across=3e-6), PLACE, {"mpi_call": "two nodes"}), MPI, cache)
    expected = Prices(instruction=2e-10, mpi_call=2e-7, mpi_call_across=3e-6)
    assert kept_calibration(MPI, cache) == Calibration(expected, PLACE, {})


def calibrated(version: int = 1, **prices: str) -> str:
    schema, listed = (
        f"autoanalyzer.calibration/{version}",
        ", ".join(f'"{name}": {each}' for name, each in prices.items()),
    )
    return f'{{"schema": "{schema}", "prices": {{{listed}}}, "calibrated": {{}}, "missing": {{}}}}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "calibration/1, found another kind of document"),
        ("[]", "calibration/1, found another kind of document"),
        (calibrated(version=2), r"calibration/1, found 'autoanalyzer\.calibration/2'"),
        (calibrated(instruction="-1"), "a positive price for instruction, found -1"),
        (calibrated(instruction="NaN"), "a positive price for instruction, found nan"),
    ],
)
def test_what_cannot_be_read_is_none_and_is_replaced(text: str, said: str, cache: dict[str, str]) -> None:
    found = Calibration(Prices(instruction=1e-10), PLACE)
    file = keep(found, MPI, cache)
    file.write_text(text)
    with pytest.raises(InputError, match=said):
        Calibration.read(text)
    assert kept_calibration(MPI, cache) is None
    keep(found, MPI, cache)
    assert kept_calibration(MPI, cache) == found


def test_processors_are_named_by_their_model_or_else_by_their_architecture(tmp_path: Path) -> None:
    described = tmp_path / "cpuinfo"
    described.write_text("processor\t: 0\nvendor_id\t: X\nmodel name\t: Fast 3000 @ 2.5: GHz\n")
    assert processor_model(described) == "Fast 3000 @ 2.5: GHz"
    assert processor_model(tmp_path / "none") != ""
