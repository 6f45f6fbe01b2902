import fcntl
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from autoanalyzer.experiment import load

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[1]

SOURCE = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    double sum = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (long i = 0; i < 1000000L * (1 + 2 * rank); i++)
        sum += 1.0 / (i + 1);
    printf("%d\\n", sum > 0);
    MPI_Finalize();
    return 0;
}
"""


def test_every_package_folder_is_listed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    tracked = subprocess.run(["git", "ls-files", "*__init__.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    folders = [Path(line).parent.parts for line in tracked.stdout.splitlines() if not line.startswith("tests/")]
    assert sorted(project["tool"]["setuptools"]["packages"]) == sorted(".".join(("autoanalyzer", *f)) for f in folders)


def test_the_image_contains_the_tool_but_not_the_checkout():
    stages = (ROOT / "packaging" / "container" / "Containerfile").read_text().split("\nFROM ")
    copied = [[line for line in stage.splitlines() if line.startswith("COPY ")] for stage in stages]
    assert ["COPY . /usr/src/autoanalyzer"] in copied[:-1]
    assert copied[-1] == ["COPY --from=build /opt/autoanalyzer /opt/autoanalyzer"]


def test_a_python_that_is_too_old_is_refused_in_one_line():
    older = "import sys; sys.version_info = (3, 9, 2); sys.version = '3.9.2 (default)'"
    program = f"{older}; import runpy; runpy.run_path('setup.py')"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    told = "expected Python 3.11 or later, found 3.9.2; use the pip of a later Python\n"
    assert (done.returncode, done.stderr) == (1, told)


def _built(hook: str, source: Path, folder: Path, **environment: str) -> Path:
    """Call the build backend directly; pip and build would first call it twice more."""
    backend = tomllib.loads((source / "pyproject.toml").read_text())["build-system"]["build-backend"]
    program = f"import sys, {backend} as backend; backend.{hook}(sys.argv[1])"
    command = [sys.executable, "-P", "-c", program, folder]
    subprocess.run(command, cwd=source, check=True, capture_output=True, env=environment or None)
    (made,) = (each for each in folder.iterdir() if each.is_file())
    return made


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with (ROOT / "pyproject.toml").open() as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)  # simultaneous builds in one tree disturb each other
        return _built("build_sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel built from the sdist, without network and git."""
    folder = tmp_path_factory.mktemp("wheel")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    return _built("build_wheel", source, folder, PATH="/nonexistent", HOME=str(folder))


def _metadata(wheel: Path) -> str:
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(next(each for each in archive.namelist() if each.endswith("METADATA"))).decode()


def test_the_wheel_carries_the_sources_of_the_probe_library(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    sources = {f"autoanalyzer/runtime/probe/{file.name}" for file in (ROOT / "runtime" / "probe").glob("*.[ch]")}
    sources |= {f"autoanalyzer/runtime/rtcount/{file.name}" for file in (ROOT / "runtime" / "rtcount").iterdir()}
    sources |= {
        f"autoanalyzer/runtime/python_hook/{file.name}" for file in (ROOT / "runtime" / "python_hook").glob("*.py")
    }
    calibration = ROOT / "runtime" / "calibration"
    sources |= {f"autoanalyzer/runtime/calibration/{file.name}" for file in calibration.glob("*.[ch]")}
    assert sources <= names
    assert {"autoanalyzer/instrument/stub.h", "autoanalyzer/instrument/fortran_stub.c"} <= names
    page = {f"autoanalyzer/view/page/{name}" for name in ("page.js", "page.css", "charts.js", "charts.css", "LICENSES")}
    assert {*page, "autoanalyzer/view/marks/marks.css"} <= names
    assert not any("/src/" in name or "package.json" in name for name in names)
    assert "plotly" not in _metadata(wheel)
    assert not any(name.startswith(("autoanalyzer/tests", "autoanalyzer/samples")) for name in names)


def test_no_link_of_the_description_is_dead_on_an_index(wheel: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    from long_description import long_description  # noqa: PLC0415

    readme = (ROOT / "README.md").read_text()
    address = "https://example.org/a/b"
    linked = long_description(readme, address, "v1.0")
    assert f"[single HTML page]({address}/blob/v1.0/docs/view.md)" in linked
    assert f"source]({address}/raw/v1.0/docs/pictures/page.png)" in linked
    assert linked.count("](") == linked.count(f"]({address}/") == readme.count("](")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    repository = project.get("urls", {}).get("Repository")
    assert _metadata(wheel).count("](") == (_metadata(wheel).count(f"]({repository}/") if repository else 0)


def test_a_build_writes_no_man_pages_beside_the_sources(wheel: Path):
    assert not (ROOT / "man").exists()


def test_distributions_are_such_as_an_index_takes(wheel: Path, sdist: Path):
    command = [sys.executable, "-m", "twine", "--no-color", "check", "--strict", wheel, sdist]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.count("PASSED") == 2, done.stdout + done.stderr


def test_all_licences_are_named_and_there(wheel: Path, sdist: Path):
    expression = "License-Expression: BSD-3-Clause AND GPL-2.0-or-later AND MIT AND Apache-2.0\n"
    texts = [ROOT / name for name in ("LICENSE", "runtime/rtcount/LICENSE", "view/page/LICENSES")]
    assert expression in _metadata(wheel)
    with zipfile.ZipFile(wheel) as archive:
        held = {archive.read(name) for name in archive.namelist() if ".dist-info/licenses/" in name}
    assert held == {text.read_bytes() for text in texts}
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {str(text.relative_to(ROOT)) for text in texts} <= names


def _environment(folder: Path) -> Path:
    """Make a virtual environment that sees the tests' packages, for installing ours; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    here = next(path for path in sys.path if path.endswith("site-packages"))
    Path(site, "needs.pth").write_text(f"{here}\n")
    return python


def test_a_wheel_that_the_sdist_gave_is_installed_and_builds_and_runs_outside_the_checkout(
    wheel: Path, sdist: Path, tmp_path: Path
):
    python = _environment(tmp_path)
    options = ["--no-index", "--no-deps", "--no-compile"]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), "install", "-q", *options, wheel], check=True)
    (tmp_path / "x.c").write_text(SOURCE)
    environment = {**os.environ, "PATH": f"{python.parent}:{os.environ['PATH']}"}

    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    said = run("autoanalyzer", "--version")
    assert sdist.name == f"{said.strip().replace(' ', '-')}.tar.gz"
    assert (tmp_path / "venv" / "share" / "man" / "man1" / "autoanalyzer-run.1").is_file()
    where = run(str(python), "-c", "import autoanalyzer; print(autoanalyzer.__file__)")
    assert where.startswith(f"{tmp_path}/venv/")
    run("aa-mpicc", "-O1", "-g", "x.c", "-o", "x", "-lm")
    run("autoanalyzer", "run", "-o", "out", "--", "mpirun", "-n", "2", "./x")
    assert "loop@9" in {path.region.name for path in load(tmp_path / "out" / "experiment.cube").call_paths}
