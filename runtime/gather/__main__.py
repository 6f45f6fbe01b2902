"""Run one process of the gathering job: ``python -m autoanalyzer.runtime.gather MPICH SHARDS HOME [TEMPORARY CALLED]``.

``MPICH`` is the program's MPI library if it is MPICH or compatible with MPICH, or else empty.
"""

import sys
from pathlib import Path

from ..mpi.own_job import use_mpich

_, mpich, shards, *more = sys.argv
if mpich:
    use_mpich(Path(mpich))

from mpi4py import MPI  # noqa: E402 - starts MPI

from .job import work  # noqa: E402

try:
    work(MPI.COMM_WORLD, Path(shards), *more)
except Exception as error:  # on any error, abort the job, because the other processes would wait for this one
    sys.stderr.write(f"autoanalyzer: {error}\n")
    MPI.COMM_WORLD.Abort(2)
