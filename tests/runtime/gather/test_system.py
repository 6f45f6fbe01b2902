"""The system's data on each process are at its root."""

from __future__ import annotations

import json

import numpy as np
import pytest

from autoanalyzer.experiment import load

from ...conftest import Tool

# The launcher's process may have used more memory than the program, which must not count for the program.
USES_MEMORY = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
static struct rusage before; /* as libraries are loaded, but none of them has begun */
static void load(void) { getrusage(RUSAGE_SELF, &before); }
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = load;
static long peak(void) {
    char line[256];
    long found = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status))
        sscanf(line, "VmHWM: %ld", &found);
    fclose(status);
    return found;
}
static void use(size_t bytes) {
    volatile char *memory = malloc(bytes);
    for (size_t i = 0; i < bytes; i += 4096)
        memory[i] = 1;
    free((void *)memory);
}
int main(int argc, char **argv) {
    int rank;
    struct rusage usage;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    use((size_t)(20 << rank) << 20);
    for (int i = 0; i < 200; i++)
        usleep(10);
    MPI_Finalize();
    getrusage(RUSAGE_SELF, &usage);
    printf("{\\"rank\\": %d, \\"page_faults\\": %ld, \\"major_page_faults\\": %ld, \\"context_switches\\": %ld, "
           "\\"involuntary_context_switches\\": %ld, \\"peak_memory\\": %ld}\\n",
           rank, usage.ru_minflt + usage.ru_majflt - before.ru_minflt - before.ru_majflt,
           usage.ru_majflt - before.ru_majflt, usage.ru_nvcsw + usage.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw,
           usage.ru_nivcsw - before.ru_nivcsw, peak() * 1024);
    return 0;
}
"""


@pytest.mark.by_day(mpi=["mpich"])
def test_what_the_system_says_of_each_process_is_at_its_root(tool: Tool, mpi: tuple[str, str]) -> None:
    launcher, compiler = mpi
    tool.build(USES_MEMORY, compiler=compiler)
    command = [launcher, *(["--oversubscribe"] if "mpich" not in launcher else []), "-n", "3", "./app"]
    done = tool("autoanalyzer", "run", "--no-calibrate", "--no-analyze", "-o", "out", "--", *command)
    assert done.returncode == 0, done.stderr
    told = sorted((json.loads(line) for line in done.stdout.decode().splitlines()), key=lambda each: each["rank"])
    found = load(tool.folder / "out" / "experiment.cube")
    assert found.metric("peak_memory").unit == "bytes"
    system = {name: found.exclusive(name) for name in told[0] if name != "rank"}
    assert not any(values[1:].any() for name, values in system.items() if name != "page_faults")
    ours = {name: values.sum(axis=0) for name, values in system.items()}
    asked = {name: np.array([each[name] for each in told]) for name in ours}
    for counts in (ours, asked):
        counts["context_switches"] = counts["context_switches"] - counts["involuntary_context_switches"]
    # The differences are from the library's start and end. A busy machine may take the core away at these moments, but
    # all that the program has seen is counted.
    few = {"peak_memory": 1 << 20, "page_faults": 120}
    assert (ours["involuntary_context_switches"] >= asked["involuntary_context_switches"] - 40).all()
    for name in ours.keys() - {"involuntary_context_switches"}:
        assert ours[name] == pytest.approx(asked[name], abs=few.get(name, 40)), name
    first, second, third = found.exclusive("peak_memory")[0]
    assert third - second > 30 << 20
    assert second - first > 15 << 20
