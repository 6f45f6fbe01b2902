"""The summary of CI's tests: their number, their cost, and which of them needed a second try."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from .conftest import Done

TOOLS = Path(__file__).parents[1] / "tools"
REPORT = '<testsuites><testsuite name="pytest">{}</testsuite></testsuites>'


def case(name: str, failure: str = "", *, seconds: float = 1.0, properties: str = "") -> str:
    failed = f'<failure message="{failure}">a traceback</failure>' if failure else ""
    return (
        f'<testcase classname="tests.room.test_it" name="{name}" time="{seconds}">'
        f"<properties>{properties}</properties>{failed}</testcase>"
    )


def write(file: Path, *cases: str) -> None:
    file.write_text(REPORT.format("".join(cases)))


def summary(folder: Path, ledger: Path) -> Done:
    words = [sys.executable, TOOLS / "ci_summary.py", folder, "--ledger", ledger]
    return subprocess.run(words, capture_output=True, check=False)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    file = tmp_path / "flaky.toml"
    file.write_text("# Second tries.\n")
    return file


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    folder = tmp_path / "ci"
    folder.mkdir()
    return folder


def test_stages_the_slowest_and_the_sum_are_printed(reports: Path, ledger: Path) -> None:
    write(reports / "cluster.xml", case("test_nodes", seconds=40))
    write(reports / "tests.xml", *(case(f"test_{number}", seconds=number) for number in range(12)))
    done = summary(reports, ledger)
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0, done.stderr
    assert lines[:2] == [
        "cluster: 1 tests, 40 s of all workers, 0 s of CPU time",
        "tests: 12 tests, 66 s of all workers, 0 s of CPU time",
    ]
    assert [line.rpartition("::")[2] for line in lines[3:13]] == [
        "test_nodes",
        *(f"test_{n}" for n in range(11, 2, -1)),
    ]
    assert lines[-1] == "13 passed, 0 failed"  # CI's runners read this line
    assert ledger.read_text() == "# Second tries.\n"


def test_a_second_try_is_kept_with_date_and_reason(reports: Path, ledger: Path) -> None:
    write(reports / "tests.xml", case("test_it[&quot;x&quot;]", "assert 1 &lt; 0&#10;where"), case("test_other"))
    write(reports / "tests-again.xml", case("test_it[&quot;x&quot;]"))
    done = summary(reports, ledger)
    assert done.returncode == 0, done.stderr
    assert b'second try: tests.room.test_it::test_it["x"]: assert 1 < 0\n2 passed, 0 failed\n' in done.stdout
    day = datetime.now().astimezone().date().isoformat()
    assert ledger.read_text() == (
        '# Second tries.\n\n[[second_try]]\ntest = "tests.room.test_it::test_it[\\"x\\"]"\n'
        f'date = {day}\nreason = "assert 1 < 0"\n'
    )
    again = summary(reports, ledger)
    assert again.returncode == 1
    assert b'needed a second try in two runs: tests.room.test_it::test_it["x"]\n' in again.stdout


@pytest.mark.parametrize(("count", "status"), [(3, 0), (4, 1)])
def test_three_tests_may_be_on_the_list(reports: Path, ledger: Path, count: int, status: int) -> None:
    write(reports / "tests.xml", *(case(f"test_{number}", "late") for number in range(count)))
    write(reports / "tests-again.xml", *(case(f"test_{number}") for number in range(count)))
    done = summary(reports, ledger)
    assert done.returncode == status
    assert (b"expected at most 3 tests that needed a second try, found 4" in done.stdout) == bool(status)


def test_what_fails_twice_has_failed(reports: Path, ledger: Path) -> None:
    write(reports / "tests.xml", case("test_a", "one"), case("test_b", "two"))
    write(reports / "tests-again.xml", case("test_a", "one"))  # test_b had no second try
    done = summary(reports, ledger)
    assert done.returncode == 1
    assert b"failed: tests.room.test_it::test_a: one\nfailed: tests.room.test_it::test_b: two\n" in done.stdout
    assert done.stdout.endswith(b"0 passed, 2 failed\n")
    assert ledger.read_text() == "# Second tries.\n"


def test_the_list_of_this_project_is_short() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import ci_summary as s; print(s.too_many(s.recorded(s.LEDGER)))"],
        cwd=TOOLS,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "\n"


TESTS = """
import subprocess
import time
import pytest

@pytest.fixture(scope="module")
def slow():
    time.sleep(0.1)

def test_waits(slow):
    assert True

def test_computes():
    loop = "import time\\nwhile time.process_time() < 0.5: pass"
    subprocess.run(["python3", "-c", loop], check=True)
    assert True
"""


def test_durations_part_waiting_from_cpu_time_by_file_test_and_fixture(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(
        "from costs import Costs\ndef pytest_configure(config): config.pluginmanager.register(Costs(lambda: []))\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=report.xml", "test_it.py"]
    environment = {"PYTHONPATH": str(TOOLS.parent / "tests"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout
    words = [sys.executable, TOOLS / "durations.py", "report.xml"]
    printed = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    table = [line.split() for line in printed.splitlines() if line and "seconds" not in line]
    rows = {words[3]: [float(word) for word in words[:3]] for words in table}
    assert rows["test_it::test_computes"][1] >= 0.5  # by a process that the test has started
    assert rows["test_it::test_waits"][0] >= 0.1 > rows["test_it::test_waits"][1]
    assert rows["slow"][0] >= 0.1
    assert rows["test_it"][2] == 2
