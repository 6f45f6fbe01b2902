"""Write commands that measure a program again, with other options or after a rebuild with probes."""

from __future__ import annotations

from shlex import join
from typing import Final

from ..experiment import Experiment
from .place import visible

__all__ = ["COUNT", "REBUILD", "with_command"]

COUNT: Final = "autoanalyzer run --counters simulated"
REBUILD: Final = "make clean && make CC=aa-mpicc CXX=aa-mpicxx FC=aa-mpifort"
_LONGEST: Final = 40  # maximum length of a program's command; longer commands are left out


def with_command(experiment: Experiment, command: str) -> str:
    """Return ``command`` with the program's command: ``autoanalyzer run --path always -- mpirun -n 4 ./app``.

    The program's command is left out if it is unknown or too long for a line.
    """
    own = visible(join(experiment.notes.command))
    return f"{command} -- {own}" if 0 < len(own) <= _LONGEST else command
