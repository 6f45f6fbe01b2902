"""Run the sample "rays" as in README.md, docs/reading-a-verdict.md and docs/tutorial.md, and insert the output there.

Needs Valgrind and Open MPI; takes a minute on two idle cores. Afterwards, check that the text still fits the numbers::

    python tools/rays_outputs.py
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
RUN: Final = "autoanalyzer run -o out --counters simulated -- mpirun -n 4 ./rays"
BETTER: Final = "autoanalyzer run -o better -- mpirun -n 4 ./rays"
_CHANCE: Final = re.compile(r"(?<= in )\S*/(?=out/autoanalyzer-counting)|^autoanalyzer: .* so far\n", re.MULTILINE)


def main() -> None:
    """Run the commands, and replace their output in the pages."""
    with tempfile.TemporaryDirectory() as folder:
        rays = Path(shutil.copytree(ROOT / "samples" / "rays", Path(folder) / "rays"))
        call(rays, "make CC=aa-mpicc")
        run = _CHANCE.sub("", call(rays, RUN))
        call(rays, "make clean")
        call(rays, "make CC=aa-mpicc SCHEDULE=dynamic")
        better = _CHANCE.sub("", call(rays, BETTER))
    verdict = {RUN: f"…\n{run[run.index('rays   ') :]}"}
    replace(ROOT / "README.md", verdict)
    replace(ROOT / "docs" / "reading-a-verdict.md", verdict)
    replace(ROOT / "docs" / "tutorial.md", {RUN: run, BETTER: better})


def call(folder: Path, command: str) -> str:
    """Run a command in a folder; return its standard output and standard error, interleaved as printed."""
    env = {
        **os.environ,
        "PATH": f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    made = subprocess.run(
        command.split(), cwd=folder, env=env, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return made.stdout


def replace(file: Path, outputs: dict[str, str]) -> None:
    """Replace the output below each command in a page, up to the next command or the end of the block.

    Args:
        file: The page.
        outputs: Command → its output.
    """
    text = file.read_text()
    for command, output in outputs.items():
        shown = re.compile(rf"(?<=^\$ {re.escape(command)}\n).*?(?=^\$ |^```)", re.MULTILINE | re.DOTALL)
        text, times = shown.subn(lambda _, new=output: new, text)
        assert times == 1, f"{file}: expected one $ {command}, found {times}"
    file.write_text(text)


if __name__ == "__main__":
    main()
