"""An interrupted launcher is killed if, and only if, it waits for itself."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from autoanalyzer.runtime.stuck_launcher import StuckLauncher

# A launcher that ignores interrupts and never waits for the ranks that it starts: one rank ends, and one stays on
# request.
LAUNCHER = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
if not os.fork():
    os._exit(0)
if sys.argv[1] == "stays" and not os.fork():
    time.sleep(1000)
print(flush=True)
time.sleep(1000)
"""


@pytest.fixture
def launched(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[bytes]]:
    words = [sys.executable, "-c", LAUNCHER, request.param]
    with subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout
        process.stdout.readline()
        yield process
        os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("launched", ["ends"], indirect=True)
def test_a_launcher_that_leaves_its_dead_ranks_is_killed(launched: subprocess.Popen[bytes]) -> None:
    stuck = StuckLauncher(launched, grace=1)
    launched.send_signal(signal.SIGINT)
    with pytest.warns(UserWarning, match="the launcher did not exit after its ranks had ended, so it was killed"):
        stuck.asked_to_end()
        stuck.asked_to_end()
        assert launched.wait() == -signal.SIGKILL


@pytest.mark.parametrize("launched", ["stays"], indirect=True)
def test_a_launcher_with_a_rank_that_goes_on_is_left_alone(launched: subprocess.Popen[bytes]) -> None:
    stuck = StuckLauncher(launched, grace=0.5)
    stuck.asked_to_end()
    with pytest.raises(subprocess.TimeoutExpired):
        launched.wait(4)
