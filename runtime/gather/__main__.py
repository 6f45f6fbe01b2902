"""One process of the job that brings shards home: ``python -m autoanalyzer.runtime.gather SHARDS HOME``."""

import sys
from pathlib import Path

from mpi4py import MPI  # starts MPI

from .bring_home import bring_home

try:
    bring_home(MPI.COMM_WORLD, Path(sys.argv[1]), sys.argv[2])
except Exception as error:  # whatever it is, the other processes must not wait for this one
    sys.stderr.write(f"autoanalyzer: {error}\n")
    MPI.COMM_WORLD.Abort(2)
