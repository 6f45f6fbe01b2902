"""One process of the job that gathers: ``python -m autoanalyzer.runtime.gather FOLDER``."""

import sys
from pathlib import Path

from mpi4py import MPI  # starts MPI

from ..folder import RunFolder
from .gather import gather_here
from .mpi_job import collect

folder = RunFolder(Path(sys.argv[1]))
try:
    collect(MPI.COMM_WORLD, folder.shards)
    if MPI.COMM_WORLD.Get_rank() == 0:
        gather_here(folder)
except Exception as error:  # whatever it is, the other ranks must not wait for this one
    sys.stderr.write(f"autoanalyzer: {error}\n")
    MPI.COMM_WORLD.Abort(2)
