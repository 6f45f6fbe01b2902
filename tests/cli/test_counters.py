"""``counters``: tries what can be counted here, and reports what cannot, with a remedy."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from autoanalyzer.runtime.papi.kernel import may_count_all, paranoid_level

from ..perf_event import kernel_counts, papi_counts

PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")
LIBRARIES = [f"libpapi.so{version}" for version in (".7.2", ".7.1", ".7.0", ".6.0", ".5.7", ".5.6", "")]
UNPRIVILEGED = ["setpriv", "--bounding-set=-perfmon,-sys_admin"] if os.geteuid() == 0 else []


def counters(tool, *before: str, **env: str) -> dict:
    done = tool(*before, "autoanalyzer", "counters", "--json", env=env)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return json.loads(done.stdout)


def outcomes(found: dict) -> dict[str, tuple[str, bool]]:
    return {each["event"]: (each["outcome"], each["whole"]) for each in found["events"]}


def check_truth(found: dict) -> None:
    """Compare the outcomes with what the kernel allows this process to count."""
    level = int(paranoid_level())
    events = outcomes(found)
    if not kernel_counts():
        assert not any(outcome == "counts" for outcome, _ in events.values())
        assert any("you are not allowed to count events" in each for each in found["advice"])
        return
    if level == 3:  # PAPI refuses for every user; the kernel treats 3 like 2
        assert not any(outcome == "counts" for outcome, _ in events.values())
        assert any("PAPI counts nothing if" in each for each in found["advice"])
        return
    if not papi_counts():
        assert not any(outcome == "counts" for outcome, _ in events.values())
        assert any("counts nothing on this processor" in each for each in found["advice"])
        return
    everything = level < 2 or found["kernel"]["privileged"]
    assert events["perf::TASK-CLOCK"] == ("counts", True)
    assert events["perf::PAGE-FAULTS"] == ("counts", everything)
    assert events["perf::CONTEXT-SWITCHES"] == ("counts" if everything else "starts", everything)
    assert any("counting in the kernel needs 1 or less" in each for each in found["advice"]) is not everything


def test_events_of_the_kernel_are_tried_and_so_is_which_go_together(tool):
    found = counters(tool)
    assert found["libpapi"]["version"]
    assert found["libpapi"]["reason"] == ""
    check_truth(found)
    if papi_counts():
        assert {"perf::TASK-CLOCK", "perf::CPU-CLOCK"} <= set(found["together"]["software"])
    assert found["kernel"] == {
        "perf_event_paranoid": paranoid_level(),
        "pmu": found["kernel"]["pmu"],
        "privileged": may_count_all(),
    }
    if not found["kernel"]["pmu"]:
        assert found["metrics"]["instructions"]["event"] is None
        assert found["metrics"]["instructions"]["candidates"][:2] == ["PAPI_TOT_INS", "perf::INSTRUCTIONS"]


def test_without_privileges_less_is_counted_and_said(tool):
    if UNPRIVILEGED and not shutil.which("setpriv"):
        pytest.skip("setpriv is not installed")
    found = counters(tool, *UNPRIVILEGED)
    assert not found["kernel"]["privileged"]
    check_truth(found)


# Containers forbid counting in the same way.
JAIL = """
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    (void)argc;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 1;
    execvp(argv[1], argv + 1);
    return 1;
}
"""


def test_where_the_kernel_may_not_be_asked_nothing_counts_and_a_run_is_refused(tool):
    tool.write("jail.c", JAIL)
    assert tool("gcc", "jail.c", "-o", "jail").returncode == 0
    found = counters(tool, "./jail")
    assert not any(each["outcome"] == "counts" for each in found["events"])
    if paranoid_level() != "3" and papi_counts():
        assert any("you are not allowed to count events" in each for each in found["advice"])
    done = tool("./jail", "autoanalyzer", "run", "--counters", "papi:perf::TASK-CLOCK", "--", "./none")
    assert done.returncode == 2
    assert b"--counters: perf::TASK-CLOCK cannot be counted: " in done.stderr


@pytest.fixture
def level() -> Iterator[None]:
    before = PARANOID.read_text()
    yield
    PARANOID.write_text(before)


@pytest.mark.measured  # the result depends on what others count at the same time
@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_each_level_of_the_kernel_is_told(tool, number):
    if os.geteuid() != 0:
        pytest.skip("only root sets the level")
    PARANOID.write_text(str(number))
    check_truth(counters(tool, *UNPRIVILEGED))
    check_truth(counters(tool))


def test_that_there_is_no_libpapi_is_an_answer(tool):
    for name in LIBRARIES:
        tool.write(f"none/{name}", "no library")
    done = tool("autoanalyzer", "counters", env={"LD_LIBRARY_PATH": str(tool.folder / "none")})
    assert done.returncode == 0
    said = done.stdout.decode()
    assert "found no libpapi of version 5.6 to 7.2" in said
    assert "→ install PAPI (Debian: libpapi-dev), or pip install 'autoanalyzer[papi]'" in " ".join(said.split())
    assert "instructions" not in said.partition("\n\n")[0]


def test_a_library_that_ends_the_process_is_said(tool):
    tool.write(
        "papi.c",
        "#include <stdlib.h>\nint PAPI_library_init(int v) { return v; }\nvoid *PAPI_strerror(void) "
        "{ return 0; }\nvoid *PAPI_get_component_info(int i) { (void)i; return 0; }\n"
        "int PAPI_num_components(void) { abort(); }\n",
    )
    assert tool("gcc", "-shared", "-fPIC", "papi.c", "-o", "libpapi.so.7.2").returncode == 0
    found = counters(tool, LD_LIBRARY_PATH=str(tool.folder))
    assert found["libpapi"]["version"] == "7.2"
    assert "or ended the process, so the list is incomplete" in found["libpapi"]["reason"]
