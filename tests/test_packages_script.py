"""The messages of ``make`` if Debian's package manager is missing."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "tools" / "packages.sh"
OTHERS = "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
PROGRAMS = ("gcc", "g++", "gfortran", "make", "mpicc", "mpirun", "valgrind")


def said(folder: Path, *programs: str, words: tuple[str, ...] = ()) -> tuple[int, str]:
    """Run the script with only these programs on PATH; of these, only uname is executed."""
    for name in ("sh", "grep"):
        (folder / name).symlink_to(shutil.which(name) or "")
    for name, text in {**dict.fromkeys(programs, "exit 9"), "uname": 'echo "processor$1"'}.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    done = subprocess.run(
        ["sh", SCRIPT, *words], env={"PATH": str(folder)}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("manager", "line"),
    [
        ("dnf", "    module load mpi/openmpi-processor-m # "),
        ("dnf", f"export PATH=/usr/lib64/openmpi/bin:$PATH LD_LIBRARY_PATH=/usr/lib64/openmpi/lib{OTHERS}\n"),
        ("zypper", f"bin:$PATH LD_LIBRARY_PATH=/usr/lib64/mpi/gcc/openmpi4/lib64{OTHERS}\n"),
        ("zypper", "    sudo zypper install python311 "),
        ("pacman", "    sudo pacman -S python "),
        ("other", "install the equivalents of these Debian packages and run make again: python3 "),
    ],
)
def test_each_package_manager_has_its_line(tmp_path: Path, manager: str, line: str) -> None:
    status, text = said(tmp_path, manager, "gcc", "make")
    assert status == 1
    assert line in text
    assert manager == "other" or text.startswith("no mpicc mpirun g++ gfortran valgrind on PATH; ")


def test_where_all_programs_are_there_nothing_is_installed(tmp_path: Path) -> None:
    assert said(tmp_path, "dnf", *PROGRAMS) == (0, "")


def test_what_only_some_tests_need_is_not_required(tmp_path: Path) -> None:
    lacking = "no gfortran valgrind on PATH: some tests will be skipped or fail\n"
    assert said(tmp_path, "dnf", "gcc", "g++", "make", "mpicc", "mpirun") == (0, lacking)


APT = {
    "apt-get": 'case "$*" in *install*) echo "$*" >>"$0.said" ;; esac',
    "apt-cache": '[ "$2" != flang-19 ]',
}
OFFLINE = {**APT, "apt-get": "exit 100", "dpkg-query": '[ "$4" != flang-19 ] && echo install ok installed'}


def write_apt(folder: Path, user: str, scripts: dict[str, str]) -> None:
    """Write Debian's package manager, which has no flang-19, and the other programs that the script calls."""
    for name, text in {**scripts, "id": f"echo {user}"}.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    for name in ("mktemp", "rm", "tail"):
        (folder / name).symlink_to(shutil.which(name) or "")


@pytest.mark.parametrize("user", ["0", "1000"])
def test_packages_that_a_release_lacks_are_not_asked_for(tmp_path: Path, user: str) -> None:
    write_apt(tmp_path, user, APT)
    status, text = said(tmp_path)
    asked = text if user != "0" else (tmp_path / "apt-get.said").read_text()
    assert status == (user != "0")
    assert "install -y --no-install-recommends python3 " in asked
    assert " libomp-dev " in asked
    assert "flang-19" not in asked


@pytest.mark.parametrize("user", ["0", "1000"])
def test_without_network_nothing_is_asked_for_if_only_what_a_release_lacks_is_missing(
    tmp_path: Path, user: str
) -> None:
    write_apt(tmp_path, user, OFFLINE)
    assert said(tmp_path) == (0, "")


def test_packages_that_are_named_are_not_replaced(tmp_path: Path) -> None:
    status, text = said(tmp_path, "dnf", *PROGRAMS, words=("slurmd",))
    assert (status, text.endswith("run make again: slurmd\n")) == (1, True)
