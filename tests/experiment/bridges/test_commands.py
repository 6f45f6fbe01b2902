"""Every real file of other tools works with every command that takes an experiment."""

import gzip
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from autoanalyzer.cli.main import main
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import load
from autoanalyzer.experiment.bridges import darshan

from .conftest import FOREIGN

REFUSED = {"rays_spot.cali"}
LIKE_OTHERS = {"simple.darshan", "lulesh.cali"}  # Darshan's library takes seconds to start
FOLDERS = {"otf2": "otf2/traces.otf2"}
NAMES = sorted(
    each.name for each in FOREIGN.iterdir() if ".expected." not in each.name and each.name not in REFUSED | LIKE_OTHERS
)
FILES = [FOLDERS.get(each, each) for each in NAMES]


def _run(*words):
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return ended.value.code


@pytest.mark.parametrize("name", FILES)
def test_commands_take_the_file(name, tmp_path, capsys, monkeypatch, assert_equal):
    monkeypatch.setattr(darshan, "_printed", cache(darshan._printed))  # its library takes a second to start
    file = FOREIGN / name
    for words in (["info", file], ["dump", file], ["view", file, "-o", tmp_path / "page.html"], ["analyze", file]):
        assert _run(*words) == 0
    said = capsys.readouterr()
    assert all("found no source for" in line for line in said.err.splitlines())
    assert "missing: " in said.out
    title = load(file).notes.program or Path(name).name
    assert f"\n{title}   " in f"\n{said.out}"
    page = (tmp_path / "page.html").read_text()
    assert f"<h1>{title} · " in page
    assert "</html>" in page
    assert _run("convert", file, tmp_path / "copy.cubex") == 0
    assert_equal(load(file), load(tmp_path / "copy.cubex"))
    assert _run("convert", file, tmp_path / "stacks.folded") == 0
    assert (tmp_path / "stacks.folded").read_text().startswith("rank 0;")


def test_where_a_program_takes_longest_by_itself_its_page_has_its_parts_and_statistics(tmp_path):
    assert _run("view", FOREIGN / "ring.mpiP", "-o", tmp_path / "page.html") == 0
    page = (tmp_path / "page.html").read_text()
    saving = '<p class="saving">saves up to <span class="whole">847 ms</span>'
    assert f"own code of ring</span></a> <span></span>{saving}" in page
    assert "Similar locations: hierarchy" in page


def test_an_archive_of_otf2_is_read_by_its_folder_too(assert_equal):
    assert_equal(load(FOREIGN / "otf2"), load(FOREIGN / "otf2" / "traces.otf2"))


def test_without_wall_time_cpu_time_is_compared(capsys):
    file = FOREIGN / "stencil.gprof.txt"
    assert _run("compare", file, "--with", file) == 0
    assert "\n         cpu_time, sum of the ranks" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("rays.cali", "caliperreader", "caliper"),
        ("ior.darshan", "darshan", "darshan"),
        ("otf2/traces.otf2", "otf2", "otf2"),
    ],
)
def test_without_its_package_a_line_says_which_to_install(name, package, extra):
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from autoanalyzer.cli.main import main\n"
        f"main(['analyze', {str(FOREIGN / name)!r}])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert f"pip install 'autoanalyzer[{extra}]'" in done.stderr


@pytest.mark.parametrize("name", ["otf2/traces.otf2", "simple.darshan", "hpctoolkit/experiment.xml"])
def test_what_others_open_by_name_is_not_read_packed(name, tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress((FOREIGN / name).read_bytes()))
    with pytest.raises(InputError, match="run gunzip first"):
        load(tmp_path / "a.gz")


def test_what_no_tool_writes_is_refused_as_before(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("nothing\n")
    assert _run("info", tmp_path / "a.txt") == 2
    assert "found a file of another kind" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "start", "command"),
    [
        ("gmon.out", b"gmon\1\0\0\0", "gprof ./app {} > profile.txt"),
        ("perf data", b"PERFILE2h\0\0\0", "perf script -F +pid -i '{}' > profile.txt"),
    ],
)
def test_of_a_recording_a_line_says_how_to_make_a_text(name, start, command, tmp_path, capsys):
    (tmp_path / name).write_bytes(start)
    assert _run("analyze", tmp_path / name) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert command.format(tmp_path / name) in said
