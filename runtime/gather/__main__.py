"""One process of the job that brings shards home: ``python -m autoanalyzer.runtime.gather SHARDS HOME [MPICH]``.

For a library of MPICH's kind it starts once more, with a folder of this node in which mpi4py finds it.
"""

import os
import shutil
import sys
from pathlib import Path
from tempfile import mkdtemp

from ...temporary_folder import owned_prefix
from .bring_home import bring_home
from .mpi_job import loading

_, shards, home, *more = sys.argv
if len(more) == 1:
    links = mkdtemp(prefix=owned_prefix("links"))
    again = [sys.executable, "-W", "ignore", "-m", str(__package__), shards, home, *more, links]
    os.execve(sys.executable, again, loading(Path(more[0]), links))

from mpi4py import MPI  # noqa: E402 - starts MPI

for each in more[1:]:
    shutil.rmtree(each, ignore_errors=True)
try:
    bring_home(MPI.COMM_WORLD, Path(shards), home)
except Exception as error:  # whatever it is, the other processes must not wait for this one
    sys.stderr.write(f"autoanalyzer: {error}\n")
    MPI.COMM_WORLD.Abort(2)
