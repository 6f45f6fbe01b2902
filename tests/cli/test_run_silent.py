"""A recorded program prints the same as without the tool, even if libraries that the tool loads print messages."""

from __future__ import annotations

from ..conftest import Tool

PROGRAM = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    puts("to the output");
    fputs("to the error\\n", stderr);
    MPI_Finalize();
    return 0;
}
"""

# Like PAPI if a vendor's library finds no device.
PAPI = """
#include <stdio.h>
int PAPI_library_init(int version) {
    printf("Failed to open drm root directory\\n");
    fprintf(stderr, "Exception caught: rsmi_init\\n");
    return version;
}
int PAPI_thread_init(unsigned long (*id)(void)) { (void)id; return -1; }
int PAPI_register_thread(void) { return 0; }
int PAPI_unregister_thread(void) { return 0; }
int PAPI_create_eventset(int *set) { (void)set; return -1; }
int PAPI_add_named_event(int set, const char *name) { (void)set, (void)name; return -1; }
int PAPI_cleanup_eventset(int set) { (void)set; return 0; }
int PAPI_destroy_eventset(int *set) { (void)set; return 0; }
int PAPI_start(int set) { (void)set; return -1; }
int PAPI_stop(int set, long long *values) { (void)set, (void)values; return -1; }
int PAPI_read(int set, long long *values) { (void)set, (void)values; return -1; }
"""


def test_a_papi_that_prints_adds_nothing_to_what_programs_print(tool: Tool) -> None:
    tool.build(PROGRAM)
    tool.write("papi.c", PAPI)
    assert tool("gcc", "-shared", "-fPIC", "papi.c", "-o", "libpapi.so.7.2").returncode == 0
    noisy = {"LD_LIBRARY_PATH": str(tool.folder)}
    for program in (["./app"], ["sh", "-c", "true; ./app; true"]):
        plain = tool("mpirun", "-n", "2", *program, env=noisy)
        recorded = tool("mpirun", "-n", "2", "autoanalyzer", "exec", "-o", "out", *program, env=noisy)
        assert (recorded.stdout, recorded.stderr) == (plain.stdout, plain.stderr)
        assert recorded.stderr == b"to the error\n" * 2

        launched = tool(
            "autoanalyzer", "run", "-o", "out", "--no-analyze", "--", "mpirun", "-n", "2", *program, env=noisy
        )
        others = [line for line in launched.stderr.splitlines() if not line.startswith(b"autoanalyzer: ")]
        assert (launched.stdout, others) == (plain.stdout, plain.stderr.splitlines())
