"""``autoanalyzer gather`` on the command line, if the job that collects the data fails."""

from __future__ import annotations

PROGRAM = """#include <mpi.h>
int main(int argc, char **argv) { MPI_Init(&argc, &argv); MPI_Finalize(); return 0; }
"""


def test_a_job_that_fails_is_an_error_with_its_reason_and_what_is_here_is_put_together(tool):
    tool.build(PROGRAM)
    tool.write("mpirun", "#!/bin/sh\necho no such partition >&2\nexit 3\n").chmod(0o755)
    assert tool("mpirun", "-n", "2", "autoanalyzer", "exec", "-o", "out", "./app").returncode == 0
    kept = sorted((tool.folder / "out" / "shards").glob("*.shard"))
    assert len(kept) == 2
    kept[1].unlink()
    done = tool("autoanalyzer", "gather", "out", "--", "./mpirun", "-n", "2", "./app")
    assert done.returncode == 1
    said = done.stderr.decode()
    assert "gathering by MPI failed (no such partition)" in said
    assert "run autoanalyzer gather out -- ./mpirun -n 2 ./app again on the same nodes" in said
    assert "found no data of 1 rank; to list it, run: autoanalyzer info out" in done.stdout.decode()
    shown = tool("autoanalyzer", "analyze", "out")
    assert b"   1 of 2 ranks   " in shown.stdout


def test_a_command_that_does_not_start_is_told_before_what_follows_from_it(tool):
    tool.build(PROGRAM)
    tool.write("mpirun", "#!/bin/sh\necho no such partition >&2\nexit 3\n").chmod(0o755)
    said = tool("autoanalyzer", "run", "-o", "out", "--", "./mpirun", "-n", "2", "./app").stderr.decode()
    assert "\nautoanalyzer: nothing was recorded: the command ended with exit status 3 (no such partition); if " in said
