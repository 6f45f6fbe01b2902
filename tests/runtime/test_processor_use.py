"""What the processors did while a program ran."""

import subprocess
import sys

from autoanalyzer.runtime.processor_use import ProcessorUse, busy_ticks

TEXT = """cpu  111 22 33 4000 500 6 7 8 90 0
cpu0 100 20 30 3000 400 5 6 7 90 0
cpu1 11 2 3 1000 100 1 1 1 0 0
intr 9 0
"""


def test_time_that_a_processor_does_nothing_or_waits_for_a_disk_is_not_busy():
    assert busy_ticks(TEXT, {0, 1}) == 100 + 20 + 30 + 5 + 6 + 7 + 11 + 2 + 3 + 1 + 1 + 1
    assert busy_ticks(TEXT, {1}) == 19


def test_of_processors_that_are_not_told_nothing_is_known():
    assert busy_ticks(TEXT, {0, 2}) is None
    assert busy_ticks("", {0}) is None
    assert busy_ticks("cpu0 1 2\n", {0}) is None


def test_what_a_child_computed_is_our_own_and_keeps_processors_busy():
    before = ProcessorUse.now()
    subprocess.run([sys.executable, "-c", "sum(range(10**7))"], check=True)
    after = ProcessorUse.now()
    assert before and after
    use = after.since(before)
    assert use.keys() == {"elapsed", "busy", "own"}
    assert min(use.values()) > 0
    assert after.since(None) == {}
