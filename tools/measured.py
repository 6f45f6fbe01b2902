#!/usr/bin/env python3
"""Run the tests that judge real runs several times, and print how often each passed.

A verdict depends on times, and times on a busy machine's mood: one run proves little. Nine of ten is what is asked.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from lxml import etree


def results(tests: list[str]) -> dict[str, bool]:
    """Run the tests once; whether each passed, by its name."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-m", "measured", f"--junitxml={report}", *tests]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        if not report.exists():
            raise SystemExit(f"no report of {' '.join(command)}")
        cases = list(etree.parse(str(report)).iter("testcase"))
    return {f"{case.get('classname')}::{case.get('name')}": len(case) == 0 for case in cases}


def main() -> int:
    """Count how often each test passes; 1 if one does so in fewer than nine of ten runs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("tests", nargs="*", help="files or folders of tests, as pytest takes them")
    arguments = parser.parse_args()
    passed: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for run in range(1, arguments.runs + 1):
        found = results(arguments.tests)
        seen.update(found.keys())
        passed.update(name for name, good in found.items() if good)
        failed = sorted(name for name, good in found.items() if not good)
        print(f"run {run}: {len(found) - len(failed)} of {len(found)}", *failed, sep="\n  ", flush=True)
    for name in sorted(seen):
        print(f"{passed[name]:3} of {seen[name]}  {name}")
    if not seen:
        raise SystemExit("no test was found")
    return int(any(10 * passed[name] < 9 * seen[name] for name in seen))


if __name__ == "__main__":
    raise SystemExit(main())
