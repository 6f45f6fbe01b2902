"""A low limit of open files, as on some batch systems and login nodes."""

from ..conftest import Tool
from .conftest import succeed
from .test_closed_streams import PROGRAM

FEW = "ulimit -n 20"


def test_sources_are_instrumented(tool: Tool) -> None:
    tool.write("app.c", PROGRAM)
    environment = {"AUTOANALYZER_CC": "gcc", "AUTOANALYZER_CACHE": str(tool.folder / "cache")}
    succeed(tool("sh", "-c", f"{FEW}; aa-mpicc -O1 -c app.c -o app.o", env=environment))
    assert b"aa1|function|work|app.c|" in (tool.folder / "app.o").read_bytes()


def test_the_data_of_more_processes_than_files_may_be_open_are_gathered(tool: Tool) -> None:
    tool.build(PROGRAM)
    ranks = "for rank in $(seq 0 29); do PMI_RANK=$rank PMI_SIZE=30 ./app || exit; done"
    succeed(tool("autoanalyzer", "exec", "-o", "out", "sh", "-c", ranks))
    done = succeed(tool("sh", "-c", f"{FEW}; autoanalyzer analyze out"))
    assert b"30 ranks" in done.stdout
