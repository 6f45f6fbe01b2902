"""Requests of probes to the tool, without leaving the program's code."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.counting.cache_geometry import CacheGeometry
from autoanalyzer.runtime.counting.command import counting_command
from autoanalyzer.runtime.launch import measured_environment
from autoanalyzer.runtime.mpi.detection import find_mpi

from .conftest import Lab

pytestmark = pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")

SHORT_VISITS = """
#include <stdlib.h>
static int part(int n) {
    char text[2] = {'0' + n % 10};
    return atoi(text);
}
int main(int argc, char **argv) {
    int sum = 0;
    for (int i = 0; i < atoi(argv[1]); i++)
        sum += part(i);
    return sum & 0;
}
"""


def scheduled(lab: Lab, program: Path, visits: int) -> int:
    """Return how often Valgrind's scheduler ran while a program entered a region this often and was counted."""
    shards = lab.folder / "shards"
    shards.mkdir(exist_ok=True)
    environment = measured_environment(probe_library(find_mpi([str(program)])), shards)
    words, environment = counting_command([str(program), str(visits)], CacheGeometry(), environment)
    said = lab.run([words[0], "--stats=yes", *words[1:]], environment)
    found = re.search(r"/([\d,]+) major/minor sched events", said)
    assert found, said
    return int(found[1].replace(",", ""))


@pytest.mark.skipif("os.uname().machine != 'x86_64'")
def test_entering_a_region_leaves_translated_code_as_seldom_as_not_entering_it(lab: Lab) -> None:
    program = lab.build(SHORT_VISITS, "-fno-inline")
    assert scheduled(lab, program, 20000) - scheduled(lab, program, 1) < 1000
