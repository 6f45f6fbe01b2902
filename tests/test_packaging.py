import os
import subprocess
import sys
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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT], check=True, capture_output=True
    )
    return next(folder.glob("*.whl"))


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
    assert sources <= names
    assert {"autoanalyzer/instrument/stub.h", "autoanalyzer/instrument/fortran_stub.c"} <= names
    page = {f"autoanalyzer/view/page/{name}" for name in ("page.js", "page.css", "charts.js", "charts.css", "LICENSES")}
    assert {*page, "autoanalyzer/view/marks/marks.css"} <= names
    assert not any("/src/" in name or "package.json" in name for name in names)
    assert "plotly" not in _metadata(wheel)
    assert not any(name.startswith(("autoanalyzer/tests", "autoanalyzer/samples")) for name in names)


def test_an_installed_wheel_builds_runs_and_judges_outside_the_checkout(wheel: Path, tmp_path: Path):
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    # What the wheel needs is taken from the environment of the tests; the wheel itself from the new one.
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    here = next(path for path in sys.path if path.endswith("site-packages"))
    Path(site, "needs.pth").write_text(f"{here}\n")
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", wheel], check=True)
    (tmp_path / "x.c").write_text(SOURCE)
    environment = {**os.environ, "PATH": f"{python.parent}:{os.environ['PATH']}"}

    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    where = run(str(python), "-c", "import autoanalyzer; print(autoanalyzer.__file__)")
    assert where.startswith(site)
    run("aa-mpicc", "-O1", "-g", "x.c", "-o", "x", "-lm")
    run("autoanalyzer", "run", "-o", "out", "--", "mpirun", "-n", "2", "./x")
    assert "loop@9" in {path.region.name for path in load(tmp_path / "out" / "experiment.cube").call_paths}
