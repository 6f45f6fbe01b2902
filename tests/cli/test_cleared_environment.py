"""A script that clears the environment before the program starts: nothing is recorded, and the suggested fix works."""

from autoanalyzer.experiment import load

from ..conftest import BIN, Tool
from .conftest import succeed
from .test_closed_streams import PROGRAM

# Scripts usually keep PATH; without it, no compiler could build the probe library.
CLEARED = 'exec env -i PATH="$PATH" HOME="$HOME" AUTOANALYZER_CACHE="$AUTOANALYZER_CACHE"'
RUN = ("autoanalyzer", "run", "--no-calibrate", "-o", "out", "--", "./start")


def test_the_message_names_what_clears_the_environment_and_its_way_out_works(tool: Tool) -> None:
    tool.build(PROGRAM)
    tool.write("start", f"#!/bin/sh\n{CLEARED} ./app\n").chmod(0o755)
    done = tool(*RUN)
    assert done.returncode == 2
    said = done.stderr.decode()
    assert "clears the environment (env -i, " in said
    assert "put autoanalyzer exec right before the program" in said
    tool.write("start", f"#!/bin/sh\n{CLEARED} {BIN}/autoanalyzer exec -o inner ./app\n").chmod(0o755)
    succeed(tool("./start"))
    succeed(tool("autoanalyzer", "analyze", "inner"))
    recorded = load(tool.folder / "inner" / "experiment.cube")
    assert "work" in {path.region.function for path in recorded.call_paths}
