"""The result of a calibration: prices (times of single operations), why some are missing, and where they are valid."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from typing import Any, Final

from ...errors import InputError
from ...experiment.prices import Prices

__all__ = ["MPI_PRICES", "SCHEMA", "Calibration"]

SCHEMA: Final = "autoanalyzer.calibration/1"
MPI_PRICES: Final = ("mpi_call", "mpi_byte", "mpi_call_across", "mpi_byte_across")

_OF_MPI: Final = ("mpi", "launcher")


@dataclass(frozen=True, slots=True)
class Calibration:
    """The prices of a machine.

    Attributes:
        prices: Name → seconds.
        place: Where and how the prices were measured: ``host``, ``processor``, ``caches``, ``mpi``, ``launcher``,
            ``day``; ``instructions`` (``counted`` or ``assumed``); for a node, ``cores`` and the compiler's ``flags``.
        missing: Name of a price → why it is unknown.
    """

    prices: Prices
    place: dict[str, str]
    missing: dict[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Return the calibration as JSON data."""
        return {"schema": SCHEMA, "prices": asdict(self.prices), "calibrated": self.place, "missing": self.missing}

    @classmethod
    def read(cls, text: str | bytes) -> Calibration:
        """Read the output of ``document``.

        Raises:
            InputError: The text has a different format.
        """
        try:
            found = json.loads(text)
            prices = {name: float(value) for name, value in found["prices"].items() if value is not None}
            place = {str(name): str(value) for name, value in found["calibrated"].items()}
            missing = {str(name): str(value) for name, value in found["missing"].items()}
        except (ValueError, TypeError, KeyError, AttributeError):
            raise InputError(f"expected a document of the schema {SCHEMA}, found another kind of document") from None
        if found.get("schema") != SCHEMA:
            raise InputError(f"expected the schema {SCHEMA}, found {found.get('schema')!r}")
        for name, value in prices.items():
            if not (isfinite(value) and value > 0):
                raise InputError(f"expected a positive price for {name}, found {value:g}")
        return cls(Prices.of(prices), place, missing)

    def beside(self, earlier: Calibration) -> Calibration:
        """Return this calibration, supplemented by the prices that only an earlier calibration has."""
        prices = {**earlier.prices.known(), **self.prices.known()}
        missing = {name: why for name, why in self.missing.items() if name not in prices}
        return replace(self, prices=Prices.of(prices), missing=missing)

    def without_mpi(self) -> Calibration:
        """Return the prices that are valid for any MPI library and launcher."""
        prices = {name: value for name, value in self.prices.known().items() if name not in MPI_PRICES}
        place = {name: value for name, value in self.place.items() if name not in _OF_MPI}
        missing = {name: why for name, why in self.missing.items() if name not in MPI_PRICES}
        return Calibration(Prices.of(prices), place, missing)
