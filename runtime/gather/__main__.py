"""One process of the job that gathers: ``python -m autoanalyzer.runtime.gather SHARDS HOME [TEMPORARY CALLED]``."""

import sys
from pathlib import Path

from mpi4py import MPI  # starts MPI

from .job import work

try:
    work(MPI.COMM_WORLD, Path(sys.argv[1]), *sys.argv[2:])
except Exception as error:  # whatever it is, the other processes must not wait for this one
    sys.stderr.write(f"autoanalyzer: {error}\n")
    MPI.COMM_WORLD.Abort(2)
