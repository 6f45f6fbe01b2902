#!/usr/bin/env python3
"""Run tests several times, and print how often each test passed, unless it always passed.

Tests that judge real runs depend on times, which vary on a busy machine: nine of ten runs must pass. All other tests
must always pass, no matter how busy the machine is.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from lxml import etree


def results(words: list[str]) -> dict[str, bool]:
    """Run the tests once, and map the name of each test to whether it passed.

    Args:
        words: Options and tests for pytest.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *words]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        if not report.exists():
            raise SystemExit(f"no report of {' '.join(command)}")
        cases = list(etree.parse(str(report)).iter("testcase"))
    return {f"{case.get('classname')}::{case.get('name')}": len(case) == 0 for case in cases}


def repeated(runs: int, share: float, words: list[str]) -> int:
    """Run the tests several times, and print the counts; return the exit status.

    Args:
        runs: Number of runs.
        share: The share of its runs that a test must pass, from 0 to 1.
        words: Options and tests for pytest.
    """
    passed: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for run in range(1, runs + 1):
        found = results(words)
        seen.update(found.keys())
        passed.update(name for name, good in found.items() if good)
        failed = sorted(name for name, good in found.items() if not good)
        print(f"run {run}: {len(found) - len(failed)} of {len(found)}", *failed, sep="\n  ", flush=True)
    for name in sorted(name for name in seen if passed[name] < seen[name]):
        print(f"{passed[name]:3} of {seen[name]}  {name}")
    if not seen:
        raise SystemExit("no test was found")
    return int(any(passed[name] < share * seen[name] for name in seen))


def main() -> int:
    """Count how often each test passes; return 1 if a test passes less often than it must."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--share", type=float, default=0.9, help="share of the runs in which each test must pass")
    parser.add_argument("--busy", type=int, default=0, metavar="N", help="number of processes that keep cores busy")
    arguments, words = parser.parse_known_args()  # unknown options are pytest's
    busy = [subprocess.Popen(["sh", "-c", "while kill -0 $PPID; do :; done"]) for _ in range(arguments.busy)]
    try:
        return repeated(arguments.runs, arguments.share, words)
    finally:
        for each in busy:
            each.kill()


if __name__ == "__main__":
    raise SystemExit(main())
