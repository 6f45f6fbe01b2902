"""The CI snippets run as scripts, with a real program and a server that takes the place of GitHub and GitLab."""

import json
import os
import re
import shutil
import subprocess
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs

import pytest
import yaml
from lxml import etree

from autoanalyzer.experiment import load, save
from autoanalyzer.experiment.run_folder import experiment_of

from ..conftest import BIN

FILES = Path(__file__).parents[2] / "docs" / "ci"
SCRIPT = (FILES / "performance.sh").read_text()
MEASURING = re.compile(r"^ *autoanalyzer (run|view) .*\n", re.M)
GITHUB, GITLAB = (yaml.safe_load((FILES / name).read_text()) for name in ("github.yml", "gitlab.yml"))

APP = """
#include <mpi.h>
#include <unistd.h>
void work(void) { for (int i = 0; i < 4; i++) usleep(100000); }
int main(int argc, char **argv) { MPI_Init(&argc, &argv); work(); MPI_Finalize(); return 0; }
"""


@pytest.fixture
def server():
    """Return a server's address, the requests that it received (path, token, body), and the files that it serves."""
    told: list[tuple[str, str, bytes]] = []
    kept: dict[str, bytes] = {}

    class Forge(BaseHTTPRequestHandler):
        def do_GET(self):
            found = kept.get(self.path)
            self.send_response(404 if found is None else 200)
            self.end_headers()
            self.wfile.write(found or b"")

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            told.append((self.path, self.headers["Authorization"] or self.headers["PRIVATE-TOKEN"], body))
            self.send_response(201)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Forge) as forge:
        Thread(target=forge.serve_forever).start()
        yield f"http://127.0.0.1:{forge.server_port}", told, kept
        forge.shutdown()


@pytest.fixture
def project(tool):
    """Write a project with the script of docs/ci."""
    tool.write("ci/performance.sh", SCRIPT)
    tool.write("app.c", APP)
    tool.write("Makefile", "app: app.c\n\t$(CC) -O1 -g app.c -o app\n")
    return tool.folder


@pytest.fixture
def shell(project):
    """Return a function that runs a job's lines as CI would; it returns exit status and error output."""

    def run(text, **own):
        environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "RUNS": "2", **own}
        environment["PROGRAM"] = "mpirun -n 2 ./app"
        words = ["bash", "-e", "-o", "pipefail", "-c", text]
        done = subprocess.run(words, cwd=project, env=environment, capture_output=True, timeout=1200, check=False)
        return done.returncode, done.stderr.decode()

    return run


@pytest.mark.long
@pytest.mark.nightly  # by day: scripts that need no run; `ci` has its own tests
def test_a_branch_makes_a_base_and_a_slower_change_is_said_and_fails(project, shell, server):
    address, told, kept = server
    steps = {step.get("name"): step.get("run") for step in GITHUB["jobs"]["performance"]["steps"]}
    hub = {"GITHUB_API_URL": address, "GITHUB_REPOSITORY": "we/app", "GITHUB_STEP_SUMMARY": "summary.md"}
    for step in ("build", "measure and compare", "make these runs the base"):
        status, said = shell(steps[step], **hub)
        assert status == 0, said
    assert (project / "performance.md").read_text() == "There is no base yet to compare with.\n"
    assert "<html" in (project / "public" / "index.html").read_text()
    assert sorted(each.name for each in (project / "base").glob("run-*")) == ["run-1", "run-2"]

    _make_faster(project / "base")
    status, said = shell(steps["measure and compare"], **hub)
    assert status == 3, said
    markdown = (project / "performance.md").read_text()
    assert markdown.startswith("## SLOWER by ")
    assert etree.parse(project / "performance.xml").xpath("count(//failure)") > 0
    for step in ("job summary", "comment"):
        status, said = shell(steps[step], TOKEN="secret", NUMBER="5", **hub)
        assert status == 0, said
    assert (project / "summary.md").read_text() == markdown
    ((path, token, body),) = told
    assert (path, token, json.loads(body)) == ("/repos/we/app/issues/5/comments", "Bearer secret", {"body": markdown})

    with zipfile.ZipFile(project / "artifacts.zip", "w") as archive:
        for each in (project / "base").rglob("experiment.cube*"):
            archive.write(each, Path("new") / each.relative_to(project / "base"))
    shutil.rmtree(project / "base")
    (project / "ci" / "performance.sh").write_text(MEASURING.sub("", SCRIPT))  # it only compares the existing runs
    kept["/projects/7/jobs/artifacts/main/download?job=performance"] = (project / "artifacts.zip").read_bytes()
    lab = {"CI_API_V4_URL": address, "CI_PROJECT_ID": "7", "CI_DEFAULT_BRANCH": "main", "PERFORMANCE_TOKEN": "secret"}
    job = GITLAB["performance"]
    status, said = shell("\n".join(job["script"]), **lab, CI_MERGE_REQUEST_IID="9")
    assert status == 3, said
    status, said = shell("\n".join(job["after_script"]), **lab, CI_MERGE_REQUEST_IID="9")
    assert status == 0, said
    path, token, body = told[-1]
    assert (path, token) == ("/projects/7/merge_requests/9/notes", "secret")
    assert parse_qs(body.decode()) == {"body": [(project / "performance.md").read_text()]}
    assert shell("\n".join(GITLAB["pages"]["script"]))[0] == 0


def test_without_artifacts_of_a_base_there_is_nothing_to_compare_with(project, shell, server):
    address, told, _ = server
    (project / "ci" / "performance.sh").write_text("test ! -d base\n")
    lab = {"CI_API_V4_URL": address, "CI_PROJECT_ID": "7", "CI_DEFAULT_BRANCH": "main", "PERFORMANCE_TOKEN": "secret"}
    job = GITLAB["performance"]
    status, said = shell("\n".join([*job["script"], *job["after_script"]]), **lab, CI_MERGE_REQUEST_IID="9")
    assert (status, told) == (0, []), said
    assert "404" in said
    assert shell("\n".join([*job["script"], *job["after_script"]]), **lab)[0] == 0


def _make_faster(folder):
    """Divide the times of a folder's runs by 100, which no disturbance can hide."""
    for each in (folder, *folder.glob("run-*")):
        file = experiment_of(each)
        found = load(file)
        severities = {metric.name: found.exclusive(metric.name) / 100 for metric in found.metrics}
        save(found.replaced(severities=severities), file)
