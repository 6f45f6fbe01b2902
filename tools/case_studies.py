"""Run the samples that follow section 6 of Liu et al. 2011, before and after the cure; print the page of case studies.

This file contains the text between the outputs. The script needs Valgrind, Open MPI and libbz2, and takes about two
minutes on two cores::

    python tools/case_studies.py > docs/evidence/case-studies.md
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
SCRIPTS: Final = Path(sysconfig.get_path("scripts"))
METRICS: Final = ("crnm", "cpi", "wall_time")


@dataclass(frozen=True)
class Case:
    """A sample program: how to build and run it before and after the cure, and the text below each output."""

    name: str
    title: str
    language: str
    size: tuple[str, ...]
    cure: tuple[str, ...]
    options: tuple[str, ...]
    before: str
    after: str


CASES: Final = (
    Case(
        "st",
        "A seismic tomography (section 6.1)",
        "FC",
        ("21", "6000"),
        ("DISPATCH=dynamic", "LOCALITY=good"),
        ("--exclude-rank", "0"),
        """The loop in `STACK` (region 8 in the article) is slow because of disk I/O. The loop in `RAMOD3` (region 11)
is slow because of L2 misses. `analyze --all` also shows that the workers differ in region 11, because they
execute different numbers of instructions. The article reports the same three results.""",
        """In the improved version, shots are handed out on demand, so the workers are balanced. The loops in region 11
are interchanged, so L2 misses are no longer a cause. The only cause left is the number of instructions, as
in the article. Region 8 keeps its data in memory and is no longer a finding.""",
    ),
    Case(
        "pvalue",
        "Exact tests (section 6.2)",
        "CC",
        ("11", "12"),
        ("VERSION=lean",),
        (),
        """The two tests together execute most of the instructions, and `location_test` transfers nearly all of the
data. In the article, `shape_test` is region 3, `location_test` is region 12, and region 3 transfers the
data.""",
        """In the improved version, the program computes each product once, and each rank sends a single number. It
therefore executes fewer instructions and transfers almost no data. Both regions are still hot spots, because the
program does nothing else. In the article, the amount of data transferred did not change.""",
    ),
    Case(
        "blocks",
        "Parallel compression (section 6.3)",
        "CC",
        ("240",),
        ("COLLECT=packed",),
        ("--exclude-region", "image_read@0", "--exclude-region", "report@0"),
        """`share_compress` executes most of the instructions, and `collect` transfers most of the data. In the
article, they are regions 6 and 7: region 6 executes 96 % of the instructions, and region 7 transfers 50 %
of the data.""",
        """In the improved version, blocks are packed before they are sent, so `collect` is no longer a finding. The
compression library, which the article's authors did not change, executes the remaining instructions.""",
    ),
)


def main() -> None:
    """Print the page docs/evidence/case-studies.md."""
    print("# Case studies\n")
    print("These samples follow the case studies in section 6 of Liu et al. (JPDC 71, 2011), here called *the")
    print("article*. `python tools/case_studies.py > docs/evidence/case-studies.md` runs the samples and writes this")
    print("page with their real output. Shares and times depend on the machine.\n")
    with tempfile.TemporaryDirectory() as folder:
        found = {case.name: list(study(case, Path(folder))) for case in CASES}
    compare(found)


def study(case: Case, folder: Path) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Build and run a sample before and after its cure, and print commands and verdicts.

    Yields:
        ``before`` or ``after``, and for each metric the names of the disparity's culprits.
    """
    print(f"## {case.title}\n")
    print(f"[samples/{case.name}](../../samples/{case.name}/README.md).\n")
    for version, cure, said in (("before", (), case.before), ("after", case.cure, case.after)):
        place = Path(shutil.copytree(ROOT / "samples" / case.name, folder / version / case.name))
        tool = SCRIPTS / f"aa-{'mpifort' if case.language == 'FC' else 'mpicc'}"
        call(place, "make", "-s", f"{case.language}={tool}", *cure)
        command = ("mpirun", "-n", "4", f"./{case.name}", *case.size)
        call(place, SCRIPTS / "autoanalyzer", "run", "--counters", "simulated", "-o", "out", "--", *command)
        verdict, _ = analyzed(place, *case.options)
        print("```console")
        print(f"$ make {case.language}={tool.name}{''.join(f' {each}' for each in cure)}")
        print(f"$ autoanalyzer run --counters simulated -o out -- {' '.join(command)}")
        print(f"$ autoanalyzer analyze {' '.join((*case.options, 'out'))}")
        print(f"{verdict}\n```\n\n{said}\n")
        yield version, {metric: heavy(analyzed(place, "--disparity-metric", metric)[1]) for metric in METRICS}


def compare(found: dict[str, list[tuple[str, dict[str, list[str]]]]]) -> None:
    """Print a table of the regions that are critical according to each metric, as in section 6.4 of the article."""
    print("## Three metrics (section 6.4)\n")
    print("For each metric of `--disparity-metric`, the table shows the regions in `disparity.cccr` of the")
    print("[findings](../findings.md#disparity), largest value first. The metrics are CRNM (share of wall time ×")
    print("cycles per instruction), CPI (cycles per instruction), and wall time.\n")
    print("| sample | " + " | ".join(METRICS) + " |\n|---|" + "---|" * len(METRICS))
    for name, versions in found.items():
        for version, regions in versions:
            cells = (", ".join(regions[metric]) or "none" for metric in METRICS)
            print(f"| {name}, {version} | {' | '.join(cells)} |")
    print("""
CPI measures how slowly a region's instructions execute, not how much time it takes. As in the article, CPI ranks the
disk I/O in `STACK` last, and names regions that mostly wait. CRNM and wall time name the same regions
here. In the article, wall time also singled out four short regions. Here, for each metric, a region must take at
least 3 % of the program's time to be named.

With `--method paper`, there is no such minimum. CPI then names fewer regions in *st, before*: only two
loops that take less than 0.1 % of the run. As in the article, CPI names neither the loop in `STACK` nor
the loop over the passes in `RAMOD3`.""")


def heavy(found: dict[str, Any]) -> list[str]:
    """Return the function names of the disparity's culprits as code in Markdown, the largest value first."""
    regions = sorted(found["disparity"]["cccr"], key=lambda region: -region["value"])
    named = (f"`{region['function']}`" for region in regions)
    return list(dict.fromkeys(named))


def analyzed(folder: Path, *options: str) -> tuple[str, dict[str, Any]]:
    """Analyse the run in a folder; return the printed verdict, and the findings as parsed JSON."""
    verdict = call(folder, SCRIPTS / "autoanalyzer", "analyze", *options, "--json", "found.json", "out")
    return re.sub(r"\ndata: .*", "", verdict.strip()), json.loads((folder / "found.json").read_text())


def call(folder: Path, *command: str | Path) -> str:
    """Run a command in a folder; return its standard output."""
    env = {
        **os.environ,
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    return subprocess.run(command, cwd=folder, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    main()
