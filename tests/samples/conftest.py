"""Fixtures for the tests of all samples: a sample that was built with probes and run under the tool."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autoanalyzer.experiment import Experiment, load

from ..conftest import run

SAMPLES = Path(__file__).parents[2] / "samples"
SCRIPTS = Path(sysconfig.get_path("scripts"))
LAUNCH = ("mpirun.openmpi", "--oversubscribe", "-n", "4")
LAUNCH_MPICH = ("mpirun.mpich", "-n", "4")
COMPILERS = {"CC": "mpicc", "FC": "mpifort"}


@pytest.fixture(scope="session")
def quick(pytestconfig: pytest.Config) -> bool:
    """Return whether samples may do little work, because no test checks a verdict that noise could change."""
    return pytestconfig.option.markexpr != "measured"


def apart(dissimilarity: Any, *groups: set[int] | set[str]) -> bool:
    """Return whether no cluster contains ranks, or threads, of two groups; noise may divide a group into clusters."""
    return all(any(group >= set(cluster) for group in groups) for cluster in dissimilarity["clusters"])


def copied(name: str, folder: Path) -> Path:
    """Copy a sample's sources to a hidden folder, because some tests search for sources above their own folder."""
    built = shutil.ignore_patterns("*.o", "*.out", ".built-with", name)
    return Path(shutil.copytree(SAMPLES / name, folder / ".samples" / name, ignore=built))


class Sample:
    """A sample, built in a folder of its own by the instrumenting compiler and run once under the tool."""

    def __init__(
        self,
        name: str,
        folder: Path,
        *variables: str,
        size: tuple[str, ...],
        language: str = "CC",
        launch: tuple[str, ...] = LAUNCH,
        options: tuple[str, ...] = (),
        edit: Callable[[Path], object] = lambda _: None,
    ):
        self.folder = copied(name, folder)
        edit(self.folder)
        self.command = (*launch, f"./{name}", *size)
        self.language = language
        self.untouched = launch[0].replace("mpirun", COMPILERS[language])
        self.build(SCRIPTS / f"aa-{COMPILERS[language]}", *variables)
        self.printed = self.output(
            SCRIPTS / "autoanalyzer", "run", *options, "--no-analyze", "-o", "out", "--", *self.command
        )
        self._findings: dict[tuple[str, ...], Any] = {}

    def build(self, compiler: str | Path, *variables: str) -> None:
        env = {**os.environ, f"AUTOANALYZER_{self.language}": self.untouched}
        make = ["make", "-s", f"{self.language}={compiler}", *variables]
        subprocess.run(make, cwd=self.folder, env=env, check=True)

    def output(self, *command: str | Path) -> str:
        done = run(command, self.folder)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def printed_untouched(self) -> str:
        self.build(self.untouched)
        return self.output(*self.command)

    def experiment(self) -> Experiment:
        """Return the recorded experiment."""
        return load(self.folder / "out" / "experiment.cube")

    def findings(self, *options: str) -> Any:
        """Return the findings of ``analyze`` on the run; for each set of options, it runs once for all tests."""
        if options not in self._findings:
            self.output(SCRIPTS / "autoanalyzer", "analyze", "out", "--json", "findings.json", *options)
            self._findings[options] = json.loads((self.folder / "findings.json").read_text())
        return self._findings[options]

    def dissimilarity(self, *options: str) -> Any:
        return self.findings(*options)["dissimilarity"]

    def line_of(self, file: str, text: str) -> int:
        """Return the number of the only line in a source that contains a text."""
        lines = (self.folder / file).read_text().splitlines()
        (number,) = (number for number, line in enumerate(lines, 1) if text in line)
        return number
