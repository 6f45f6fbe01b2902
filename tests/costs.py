"""Record what each test and fixture costs, in wall and CPU seconds, as properties of the test's report.

``--junitxml`` writes them; ``tools/durations.py`` prints them by file, test and fixture.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

CHEAP = 0.02  # seconds; fixtures that take less are not listed
TICKS = os.sysconf("SC_CLK_TCK")
TIMES = slice(11, 15)  # fields of /proc/PID/stat after the name: user and system time of a process and its children


class Costs:
    """A plugin of pytest.

    Args:
        helpers: Returns the IDs of other processes that work for the tests.
    """

    def __init__(self, helpers: Callable[[], Iterable[int]]) -> None:
        self._helpers = helpers
        self._before = 0.0

    def cpu(self) -> float:
        """Return the CPU seconds of this process and its helpers, including children that they waited for."""
        return sum(os.times()[:4]) + sum(map(_cpu_of, self._helpers()))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, Any, Any]:
        self._before = self.cpu()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, Any, Any]:
        try:
            return (yield)
        finally:
            item.user_properties.append(("cpu", f"{self.cpu() - self._before:.2f}"))

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Generator[None, Any, Any]:
        start, before = time.perf_counter(), self.cpu()
        try:
            return (yield)
        finally:
            seconds = time.perf_counter() - start
            if seconds > CHEAP:
                cost = (f"fixture {fixturedef.argname}", f"{seconds:.2f} {self.cpu() - before:.2f}")
                request._pyfuncitem.user_properties.append(cost)


def _cpu_of(process: int) -> float:
    with suppress(OSError):
        _, _, behind_name = Path(f"/proc/{process}/stat").read_text().rpartition(") ")
        return sum(map(int, behind_name.split()[TIMES])) / TICKS
    return 0.0
