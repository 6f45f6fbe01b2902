"""Run programs under the counting tool, and read the counts of their regions."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.counting.cache_geometry import CacheGeometry
from autoanalyzer.runtime.counting.command import counting_command
from autoanalyzer.runtime.counting.tool import counting_tool
from autoanalyzer.runtime.gather.shard import Shard
from autoanalyzer.runtime.gather.shard_layout import COUNTERS
from autoanalyzer.runtime.gather.shard_reader import read_shard
from autoanalyzer.runtime.launch import measured_environment
from autoanalyzer.runtime.mpi.detection import find_mpi

from ...conftest import run

Counts = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Lab:
    """Compiles with probes, and runs under the tool, in one folder."""

    folder: Path

    def build(self, source: str, *flags: str, compiler: str = "gcc", name: str = "app") -> Path:
        path = self.folder / f"{name}.c"
        path.write_text(source)
        words = [compiler, "-O1", "-g", *flags, str(path), "-o", str(path.with_suffix(""))]
        run(["autoanalyzer", "compile", "--", *words], self.folder).check_returncode()
        return path.with_suffix("")

    def count(
        self,
        *command: str | Path,
        geometry: CacheGeometry | None = None,
        counters: str = "simulated",
        status: int = 0,
        **variables: str,
    ) -> list[Shard]:
        """Run a command as a counting run does, and return its shards by rank."""
        shards = self.folder / "shards"
        shards.mkdir(exist_ok=True)
        words = [str(word) for word in command]
        mpi = find_mpi(words)
        environment = {**measured_environment(probe_library(mpi), shards), **variables}
        environment.pop("PYTEST_CURRENT_TEST", None)  # its length would change the position of the stack in the caches
        counted, environment = counting_command(
            words, geometry or CacheGeometry(), environment, counters=counters, launcher=mpi.launcher
        )
        self.run(counted, environment, status)
        found = sorted((read_shard(path) for path in shards.glob("*.shard")), key=lambda shard: shard.rank or 0)
        for shard in found:
            shard.path.unlink()
        return found

    def run(self, words: list[str], environment: Mapping[str, str], status: int = 0) -> str:
        """Run a command, and return its output, which is also in the file ``said``."""
        done = subprocess.run(
            words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=1200
        )
        (self.folder / "said").write_text(done.stdout + done.stderr)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    def totals(self, tool: str, *words: str | Path) -> str:
        """Return a Valgrind tool's output on a program; words are its options and the program."""
        _, tools = counting_tool()
        return self.run(["valgrind", f"--tool={tool}", *map(str, words)], {**os.environ, "VALGRIND_LIB": str(tools)})


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def counts(shard: Shard, thread: int = 0) -> Counts:
    """Return the counts of each region of a thread, summed over its call paths, without those outside all regions."""
    found: Counts = {}
    for node in shard.threads[thread].nodes:
        if node["region"] < 0:
            continue
        region = found.setdefault(shard.regions[node["region"]].name, dict.fromkeys(COUNTERS, 0))
        for name in COUNTERS:
            region[name] += int(node[name])
    return found
