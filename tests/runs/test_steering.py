"""How long ``run --pursue`` waits for the pursuit after the program has ended."""

from __future__ import annotations

import subprocess
import sys

import pytest

from autoanalyzer.runs import steering


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import time; time.sleep(1); print('the end', file=sys.stderr)", "the end\n"),
        ("while True: pass", "the last periods took more than 0.3 seconds of CPU time"),
        ("import time\nwhile True: time.sleep(0.1)", "it was stuck for 3 seconds"),
    ],
)
def test_the_pursuit_is_given_cpu_time_and_ended_if_it_is_stuck(monkeypatch, code, words):
    monkeypatch.setattr(steering, "_LAST_PERIOD", 0.3)
    monkeypatch.setattr(steering, "_STUCK", 3)
    with subprocess.Popen([sys.executable, "-c", f"import sys\n{code}"], stderr=subprocess.PIPE, text=True) as process:
        try:
            assert steering._last_words(process) == words
        finally:
            process.kill()
