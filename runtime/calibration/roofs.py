"""Measure a node's peak floating-point rate and memory bandwidth, and the time of a barrier across all its cores."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ...errors import AutoanalyzerError
from ..c_compiler import c_compilers
from .workshop import Workshop, printed_prices

__all__ = ["ROOFS", "roofs"]

ROOFS: Final = ("flop", "memory_byte", "memory_byte_shared", "omp_barrier")

_SOURCES: Final = ("roofs.c", "flops.c", "stream.c", "barrier.c", "cores.c", "first.c", "work.c")
_COMMON: Final = ("-std=gnu11", "-O3", "-pthread")
# Compiler flags for this machine's processor, in the order in which they are tried: x86-64 with the longest vectors,
# x86-64, ARM and POWER, any. A launcher's nodes may have a different processor, which does not support the first flags.
_NATIVE: Final = (("-march=native", "-mprefer-vector-width=512"), ("-march=native",), ("-mcpu=native",), ())
_CORES: Final = re.compile(r"\bcores (\d+)$", re.MULTILINE)
_LACKS: Final = re.compile(r"\blacks (\w+) (.+)$", re.MULTILINE)


def roofs(shop: Workshop, launcher: Sequence[str]) -> tuple[dict[str, float], dict[str, str], dict[str, str]]:
    """Measure the peak rates of the node on which a launcher's first process runs.

    Args:
        shop: Builds and runs the benchmark program.
        launcher: The command that starts the program; empty for this machine.

    Returns:
        Prices by name, the reasons why other prices are missing, and how the rates were measured: ``cores``, ``flags``.
    """
    failure = ""
    for flags in _NATIVE:
        try:
            compilers = c_compilers(shop.environment, "the machine benchmark")
            printed = shop.run([*launcher, shop.build("roofs", _SOURCES, compilers, flags=(*_COMMON, *flags))])
        except AutoanalyzerError as error:
            failure = failure or str(error)
            continue
        found, lacking = printed_prices(printed), dict(_LACKS.findall(printed))
        missing = {name: lacking.get(name, "the benchmark printed no result") for name in ROOFS if name not in found}
        cores = _CORES.findall(printed)
        return found, missing, {**({"cores": cores[0]} if cores else {}), "flags": " ".join((*_COMMON, *flags))}
    return {}, dict.fromkeys(ROOFS, failure), {}
