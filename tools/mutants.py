#!/usr/bin/env python3
"""Insert small faults into the product, one at a time, and check that its tests find each of them.

tests/mutants.toml lists the faults, each with the tests that must find it. They are inserted into a copy of the
checkout with its own virtual environment, so that each process of a test runs the faulty code, including the scripts in
``bin``.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

ROOT: Final = Path(__file__).resolve().parents[1]
LIST: Final = ROOT / "tests" / "mutants.toml"
VENV: Final = Path(sys.prefix)
CHOSEN: Final = "not measured and not nightly and not llvm and not cluster"  # the same tests as in .ci/run
ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", re.MULTILINE)


class Mutant(NamedTuple):
    """A fault: ``find``, which occurs once in ``file``, is replaced by ``replace``, so one of ``tests`` must fail."""

    name: str
    file: str
    find: str
    replace: str
    tests: Sequence[str]

    @contextmanager
    def put_into(self, folder: Path) -> Iterator[None]:
        """Insert the fault into a copy of the checkout during the block, and remove it afterwards."""
        file, text = folder / self.file, (folder / self.file).read_text(encoding="utf-8")
        if text.count(self.find) != 1:
            raise SystemExit(f"{self.name}: expected {self.find!r} once in {self.file}, found {text.count(self.find)}")
        file.write_text(text.replace(self.find, self.replace), encoding="utf-8")
        yield
        file.write_text(text, encoding="utf-8")


def git(folder: Path, *words: str) -> str:
    """Return the output of a git command in a folder."""
    return subprocess.run(["git", *words], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def copy_checkout(folder: Path) -> None:
    """Copy the files that git tracks, with uncommitted changes, and the virtual environment, mostly as links."""
    git(ROOT, "clone", "--quiet", "--shared", "--no-checkout", ".", str(folder))
    git(folder, "checkout", "--quiet", "--detach", git(ROOT, "stash", "create") or git(ROOT, "rev-parse", "HEAD"))
    folders = [Path(sysconfig.get_path(each)) for each in ("scripts", "purelib")]
    for path in (VENV / "pyvenv.cfg", *(each for place in folders for each in place.iterdir())):
        to = folder / ".venv" / path.relative_to(VENV)
        to.parent.mkdir(parents=True, exist_ok=True)
        content = path.read_bytes() if path.is_file() else b""
        if os.fsencode(ROOT) in content:
            to.write_bytes(content.replace(os.fsencode(ROOT), os.fsencode(folder)))
            to.chmod(path.stat().st_mode)
        elif path.name != "__pycache__":  # old bytecode would hide the changes
            to.symlink_to(path)


def run_tests(folder: Path, tests: Sequence[str], *options: str) -> list[str]:
    """Run tests in the copy; return the names of those that failed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("AUTOANALYZER", "PYTHON"))}
    environment["AUTOANALYZER_FORBID_SKIPS"] = "1"
    words = [f"{folder}/.venv/bin/python", "-m", "pytest", "-q", "-n", "2", "-m", CHOSEN]
    words += [f"--basetemp={folder.with_name('tests')}", *options, *tests]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=folder, env=environment, stdout=pipe, text=True, start_new_session=True) as run:
        try:
            output = run.communicate()[0]
        finally:
            kill_session(run.pid)
    failed = FAILED.findall(output)
    if run.returncode and not failed:
        raise SystemExit(f"the tests ended with exit status {run.returncode}:\n{output[-3000:]}")
    return failed


def kill_session(leader: int) -> None:
    """Kill the remaining processes of a test run."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(ProcessLookupError):
            if os.getsid(int(process.name)) == leader:
                os.kill(int(process.name), signal.SIGKILL)


def find_each(mutants: Sequence[Mutant], folder: Path) -> int:
    """Put each fault into the copy, and print which test finds it; return how many faults no test finds."""
    missed, width = 0, max(len(each.name) for each in mutants)
    for each in mutants:
        start = time.monotonic()
        with each.put_into(folder):
            found = [*run_tests(folder, each.tests, "-x"), "NOT FOUND"][0]
        missed += found == "NOT FOUND"
        sys.stdout.write(f"{each.name:{width}} {time.monotonic() - start:5.0f} s  {found}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{len(mutants) - missed} of {len(mutants)} found\n")
    return missed


def stop(number: int, _: object) -> NoReturn:
    """Exit on a signal, so that the copy is removed."""
    raise SystemExit(128 + number)


def main() -> int:
    """Try the faults; return 1 if no test finds one of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", action="append", metavar="NAME", help="try only this fault; may be repeated")
    parser.add_argument("--control", action="store_true", help="check first that the tests pass without a fault")
    options = parser.parse_args()
    mutants = {each["name"]: Mutant(**each) for each in tomllib.loads(LIST.read_text(encoding="utf-8"))["mutant"]}
    if unknown := {*(options.only or ())} - {*mutants}:
        parser.error(f"--only: expected names of {LIST.relative_to(ROOT)}, found {', '.join(unknown)}")
    chosen = [each for name, each in mutants.items() if not options.only or name in options.only]
    for number in ENDING:
        signal.signal(number, stop)
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        try:
            folder = Path(scratch).resolve() / "checkout"
            copy_checkout(folder)
            tests = sorted({test for each in chosen for test in each.tests})
            if options.control and (failed := run_tests(folder, tests)):
                raise SystemExit("\n".join(["these tests fail even without a fault:", *failed]))
            return 1 if find_each(chosen, folder) else 0
        finally:
            for number in ENDING:  # so that the copy is removed even after a signal
                signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
