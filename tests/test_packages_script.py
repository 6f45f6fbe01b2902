"""What ``make`` says where Debian's package manager is missing."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "tools" / "packages.sh"
PROGRAMS = ("gcc", "g++", "gfortran", "make", "mpicc", "mpirun", "valgrind")


def said(folder: Path, *programs: str, words: tuple[str, ...] = ()) -> tuple[int, str]:
    """Run the script where only these programs are on PATH; none of them is run."""
    for name in ("sh", "grep"):
        (folder / name).symlink_to(shutil.which(name) or "")
    for name in programs:
        (folder / name).write_text("#!/bin/sh\nexit 9\n")
        (folder / name).chmod(0o755)
    done = subprocess.run(
        ["sh", SCRIPT, *words], env={"PATH": str(folder)}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("manager", "line"),
    [
        ("dnf", "    export PATH=/usr/lib64/openmpi/bin:$PATH # and make PYTHON=python3.11\n"),
        ("zypper", "    sudo zypper install python311 "),
        ("pacman", "    sudo pacman -S python "),
        ("other", "install the equivalents of these Debian packages and run make again: python3 "),
    ],
)
def test_each_package_manager_has_its_line(tmp_path: Path, manager: str, line: str) -> None:
    status, text = said(tmp_path, manager, "gcc", "make")
    assert status == 1
    assert line in text
    assert manager == "other" or text.startswith("no g++ gfortran mpicc mpirun valgrind on PATH; ")


def test_where_all_programs_are_there_nothing_is_installed(tmp_path: Path) -> None:
    assert said(tmp_path, "dnf", *PROGRAMS) == (0, "")


def test_packages_that_are_named_are_not_replaced(tmp_path: Path) -> None:
    status, text = said(tmp_path, "dnf", *PROGRAMS, words=("slurmd",))
    assert (status, text.endswith("run make again: slurmd\n")) == (1, True)
