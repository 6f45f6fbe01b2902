"""Measure the time of a message between two ranks that are started with their MPI library's launcher."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ...errors import AutoanalyzerError
from ..mpi.compiler import compiler_of
from ..mpi.detection import Mpi
from .calibration import MPI_PRICES
from .workshop import Workshop, printed_prices

__all__ = ["messages"]

_SOURCES: Final = ("messages.c", "work.c")
_RANKS: Final = re.compile(r"\branks (\d+)$", re.MULTILINE)


def messages(
    shop: Workshop, words: Sequence[str], mpi: Mpi, *, rounds: int | None = None
) -> tuple[dict[str, float], dict[str, str]]:
    """Measure messages between two ranks.

    Args:
        shop: Builds and runs the benchmark program.
        words: The command that starts the ranks; empty if there is none.
        mpi: The ranks' MPI library and launcher.
        rounds: The number of measurements, one second apart; None for a number that usually includes a quiet moment.

    Returns:
        Prices by name, and the reasons why other prices are missing.
    """
    if not mpi.library:
        why = f"no MPI compiler for {words[0]} on PATH" if words else "no mpirun or mpiexec of an MPI library on PATH"
        return {}, dict.fromkeys(MPI_PRICES, why)
    try:
        compiler = compiler_of(mpi.library, shop.environment, launcher=mpi.launcher, purpose="measuring messages")
        program = shop.build("messages", _SOURCES, [compiler])
        printed = shop.run([*words, program, *([str(rounds)] if rounds else [])])
    except AutoanalyzerError as error:
        return {}, dict.fromkeys(MPI_PRICES, str(error))
    found = printed_prices(printed)
    ranks = [int(number) for number in _RANKS.findall(printed)]
    if len(ranks) > 1:
        why = f"{len(ranks)} processes, each rank 0 of 1: the launcher belongs to another MPI library"
    elif max(ranks, default=0) < 2:
        why = f"expected at least 2 ranks, found {max(ranks, default=0)}"
    elif "mpi_call" in found:
        why = "all ranks were on one node; to measure messages between nodes, add -- srun -N 2"
    else:
        why = "all ranks were on different nodes; run autoanalyzer calibrate again, with two ranks on one node"
    return found, {name: why for name in MPI_PRICES if name not in found}
