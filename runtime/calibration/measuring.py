"""Calibrate this machine, or the nodes that a launcher uses."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from math import exp, fsum, log
from pathlib import Path
from typing import Final

from ...errors import AutoanalyzerError, InputError, UsageError
from ...experiment.prices import Prices
from ..c_compiler import c_compilers
from ..counting.cache_geometry import CacheGeometry, this_machine
from ..counting.tool import TOOL, counting_tool
from ..mpi.detection import Mpi, find_mpi
from .calibration import Calibration
from .kept import processor_model
from .messages import messages
from .roofs import roofs
from .workshop import Workshop, printed_prices, workshop

__all__ = ["calibrate", "machine_alone"]

_MACHINE: Final = ("machine.c", "loops.c", "latencies.c", "memory.c", "pages.c", "files.c", "first.c", "work.c")
_LAUNCHERS: Final = ("mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich")
_TWO: Final = ("-n", "2")

_LOOP: Final = re.compile(r"\bloop (\w+) (\S+) (\S+)$", re.MULTILINE)
_COUNTED: Final = re.compile(r"\bcounted (\w+) (\S+)$", re.MULTILINE)
_HOST: Final = re.compile(r"\bhost (\S+)$", re.MULTILINE)
_LACKS: Final = re.compile(r"\blacks (\w+) (.+)$", re.MULTILINE)

_OF_LOOPS: Final = ("instruction", "instruction_independent", "instruction_dependent")
_OF_LATENCIES: Final = ("division_independent", "division_dependent", "denormal", "branch_miss")
_OF_FILES: Final = ("read_call", "read_byte", "write_call", "write_byte")
_OF_MEMORY: Final = ("l1_miss_streamed", "l1_miss_chased", "l2_miss_streamed", "l2_miss_chased", "memory_streamed")


def calibrate(
    launcher: Sequence[str],
    folder: Path,
    environment: Mapping[str, str] = os.environ,
    *,
    told: Callable[[str], object],
) -> tuple[Calibration, Mpi]:
    """Measure the times of single operations, and record why some times cannot be measured.

    Args:
        launcher: A command that starts two or more ranks, such as ``srun -N 2``. Everything except messages is measured
            on the first rank's node. Empty for this machine and the first launcher found on it.
        folder: The folder in which files are read and written; other nodes must see it, too.
        environment: The user's environment variables.
        told: Progress callback.

    Returns:
        The prices, and the MPI library and launcher for which they are valid.

    Raises:
        BuildError: No C compiler works.
        InputError: The folder cannot be written, or the launcher or a measuring program fails.
        UsageError: The command does not contain a launcher.
    """
    geometry = this_machine()
    with workshop(folder, environment) as shop:
        told("looking for MPI")
        words, mpi = _launched(launcher, environment)
        told("instructions, caches and files")
        program = _built(shop)
        printed = shop.run([*launcher, *_command(shop, program, geometry)])
        told("counting instructions")
        counted = _counted(shop, program, geometry)
        found, missing = _of_machine(printed, counted)
        told("memory bandwidth of all cores, and floating-point operations")
        found_of_node, missing_of_node, how = roofs(shop, launcher)
        told("messages")
        found_of_mpi, missing_of_mpi = messages(shop, words, mpi)
    found |= found_of_node | found_of_mpi
    missing |= missing_of_node | missing_of_mpi
    if not found:
        raise InputError(f"{shlex.join(launcher) or 'this machine'}: the benchmark printed no results")
    more = {
        **how,
        **({"mpi": str(mpi.library.path)} if mpi.library else {}),
        **({"launcher": shlex.join(words)} if words else {}),
    }
    return Calibration(Prices.of(found), _place(printed, geometry, counted, more), missing), mpi


def machine_alone(folder: Path, environment: Mapping[str, str], *, rounds: int, patience: float) -> Calibration:
    """Measure this machine without a launcher, and without counting the instructions of the loops.

    Args:
        folder: The folder in which files are read and written.
        environment: The user's environment variables.
        rounds: How many times to repeat all measurements.
        patience: Timeout in seconds.

    Raises:
        BuildError: No C compiler works.
        InputError: The folder cannot be written, the measurement takes too long, or nothing could be measured.
    """
    geometry = this_machine()
    with workshop(folder, environment) as shop:
        printed = shop.run([*_command(shop, _built(shop), geometry), str(rounds)], patience=patience)
    found, missing = _of_machine(printed, {})
    if not found:
        raise InputError("the machine benchmark printed no results")
    return Calibration(Prices.of(found), _place(printed, geometry, {}, {}), missing)


def _built(shop: Workshop) -> Path:
    return shop.build("machine", _MACHINE, c_compilers(shop.environment, "the machine benchmark"))


def _command(shop: Workshop, program: Path, geometry: CacheGeometry) -> list[str]:
    sizes = (geometry.l1.size, geometry.l2.size, geometry.l1.line)
    return [str(program), *map(str, sizes), str(shop.folder / "file")]


def _of_machine(printed: str, counted: Mapping[str, float]) -> tuple[dict[str, float], dict[str, str]]:
    """Return the printed prices, and the reasons why other prices are missing."""
    loops = _LOOP.findall(printed)
    found = printed_prices(printed) | (_instructions(loops, counted) if loops else {})
    return found, _missing_of_machine(printed)


def _place(
    printed: str, geometry: CacheGeometry, counted: Mapping[str, float], more: Mapping[str, str]
) -> dict[str, str]:
    host = _HOST.search(printed)
    return {
        "host": host[1] if host else os.uname().nodename,
        "processor": processor_model(),
        "caches": str(geometry),
        **more,
        "day": date.today().isoformat(),
        "instructions": "counted" if counted else "assumed",
    }


def _launched(launcher: Sequence[str], environment: Mapping[str, str]) -> tuple[list[str], Mpi]:
    """Return the command and the MPI library of the requested launcher, or of the first launcher that is found."""
    if launcher:
        mpi = find_mpi(launcher, environment)
        if not mpi.launcher:
            raise UsageError(f"expected a launcher, such as mpirun -n 2, found {shlex.join(launcher)}")
        return list(launcher), mpi
    for name in _LAUNCHERS:
        if shutil.which(name, path=environment.get("PATH")):
            mpi = find_mpi([name], environment)
            if mpi.library:
                return [name, *_TWO], mpi
    return [], Mpi(None)


def _instructions(loops: Sequence[tuple[str, str, str]], counted: Mapping[str, float]) -> dict[str, float]:
    """Return the prices of instructions: geometric mean, minimum and maximum over the loops, in seconds.

    Args:
        loops: For each loop, its name, seconds per repetition, and assumed instructions per repetition, as text.
        counted: Name of a loop → instructions per repetition, counted by Valgrind; loops may be missing.
    """
    prices = [float(seconds) / (counted.get(name) or float(known)) for name, seconds, known in loops]
    mean = exp(fsum(map(log, prices)) / len(prices))
    return dict(zip(_OF_LOOPS, (mean, min(prices), max(prices)), strict=True))


def _counted(shop: Workshop, program: Path, geometry: CacheGeometry) -> dict[str, float]:
    """Count the instructions of the loops with Valgrind; empty if that is impossible."""
    try:
        valgrind, tools = counting_tool(shop.environment)
        tool = [f"--tool={TOOL}", f"--l1={geometry.l1.option}", f"--l2={geometry.l2.option}"]
        words = [str(valgrind.program), "--command-line-only=yes", "-q", *tool, str(program), "count"]
        printed = shop.run(words, {"VALGRIND_LIB": str(tools)})
    except AutoanalyzerError:
        return {}
    return {name: float(number) for name, number in _COUNTED.findall(printed)}


def _missing_of_machine(printed: str) -> dict[str, str]:
    huge = ("huge_page_fault",)
    names = {
        "files": _OF_FILES,
        "huge_pages": huge,
        "memory": (*_OF_LOOPS, *_OF_LATENCIES, *_OF_MEMORY, "allocation", "page_fault", *huge, *_OF_FILES),
    }
    return {name: why for what, why in _LACKS.findall(printed) for name in names[what]}
