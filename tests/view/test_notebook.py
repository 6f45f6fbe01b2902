"""How a real notebook shows an experiment."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import Builder, Notes, Region, load
from autoanalyzer.view.notebook import notebook_html
from autoanalyzer.view.verdict import verdict_lines

from ..conftest import patient_page

DATA = Path(__file__).parents[1] / "data"
BAD = "<script>alert(1)</script>&\x1b[31m"


class Shown(HTMLParser):
    """The texts of cells and lines, and the elements and attributes."""

    def __init__(self, html):
        super().__init__()
        self.texts, self.tags, self.attributes, self.open = [], set(), set(), []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_a_notebook_shows_the_verdict_and_a_tree(tmp_path):
    import nbformat  # noqa: PLC0415 - takes a tenth of a second of each worker of pytest
    from nbclient import NotebookClient  # noqa: PLC0415

    file = DATA / "rays.cube.gz"
    notebook = nbformat.v4.new_notebook()
    notebook.cells.append(nbformat.v4.new_code_cell(f"from autoanalyzer.experiment import load\nload({str(file)!r})"))
    patience = {"timeout": 1200, "startup_timeout": 1200}
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": tmp_path}}, **patience).execute()
    (output,) = notebook.cells[0].outputs
    assert output.data["text/plain"].startswith("Experiment(rays: ")
    shown = Shown(output.data["text/html"])
    experiment = load(file)
    assert "\n".join(verdict_lines(analyze(experiment))) in shown.texts
    whole = experiment.inclusive("wall_time").sum(axis=1)
    row = shown.texts.index("propagate")
    assert shown.texts[row - 2 : row + 2] == ["7.59 s", "46 %", "propagate", "propagate.c:26"]
    (propagate,) = (number for number, each in enumerate(experiment.call_paths) if each.region.name == "propagate")
    assert whole[propagate] == pytest.approx(7.59, abs=0.005)
    assert shown.tags <= {"div", "pre", "table", "thead", "tbody", "tr", "th", "td"}
    assert shown.attributes == {"style"}


def test_the_package_names_what_shows_an_experiment_and_imports_it_once_one_is_shown():
    script = (
        "import sys\n"
        "from autoanalyzer.experiment import load\n"
        f"experiment = load({str(DATA / 'rays.cube.gz')!r})\n"
        "assert not any(name.startswith('autoanalyzer.view') for name in sys.modules)\n"
        "print(experiment._repr_html_())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == notebook_html(load(DATA / "rays.cube.gz")) + "\n"


def test_another_renderer_shows_an_experiment_where_the_package_names_one(monkeypatch):
    monkeypatch.setattr("autoanalyzer.NOTEBOOK_RENDERER", "builtins:repr")
    experiment = load(DATA / "rays.cube.gz")
    assert experiment._repr_html_() == repr(experiment)


def test_where_cpu_time_is_all_the_tree_shows_it():
    shown = Shown(load(DATA / "foreign" / "stencil.gprof.txt")._repr_html_())
    assert "cpu_time, inclusive" in shown.texts
    row = shown.texts.index("kernel")
    assert shown.texts[row - 2 : row] == ["230 ms", "79 %"]


def test_names_of_files_and_regions_are_text_and_no_markup():
    builder = Builder(Notes(program=BAD))
    builder.metric(f"m{BAD}", "sec")
    builder.call_path(Region("function", BAD, f"src/{BAD}.c", BAD, 0, 3, 9))
    builder.location(0)
    builder.row(f"m{BAD}", 0, [2.0])
    html = builder.experiment()._repr_html_()
    shown = Shown(html)
    assert "script" not in shown.tags
    assert "\x1b" not in html
    assert "<script>alert(1)</script>&\ufffd[31m" in shown.texts
    assert any(each.startswith("no verdict: ") for each in shown.texts)


def test_what_is_too_large_to_look_at_is_not_analysed(monkeypatch):
    monkeypatch.setattr("autoanalyzer.view.notebook._LARGEST", 10)
    shown = Shown(notebook_html(load(DATA / "rays.cube.gz")))
    assert shown.texts[1] == "too large to analyse here; to print the verdict: autoanalyzer analyze"
    assert "table" not in shown.tags


def test_a_small_tree_keeps_what_lies_above_and_counts_the_rest():
    builder = Builder()
    builder.metric("time", "sec")
    path = builder.call_path("main")
    for number in range(30):
        path = builder.call_path(f"f{number}", path if number < 20 else 0)
    builder.location(0)
    for number in range(31):
        builder.row("time", number, [float(number == 20) or 0.001 * number])
    texts = Shown(notebook_html(builder.experiment())).texts
    assert [each for each in texts if re.fullmatch(r"f\d+", each)] == [f"f{number}" for number in range(20)][:11]
    assert texts[-1] == "1 location; 19 smaller call paths left out"


def test_a_difference_has_amounts_and_no_shares(make_difference):
    texts = Shown(notebook_html(make_difference)).texts
    assert any(each.startswith("no verdict: ") for each in texts)
    row = texts.index("main")
    assert texts[row - 1] == "-1 s"


@pytest.fixture
def make_difference():
    builder = Builder()
    builder.metric("wall_time", "sec")
    builder.call_path("main")
    builder.location(0)
    builder.row("wall_time", 0, [1.0])
    one = builder.experiment()
    return one - one.replaced(severities={"wall_time": np.array([[2.0]])})


@pytest.mark.parametrize(("text", "ground"), [("rgb(0, 0, 0)", "#ffffff"), ("rgb(221, 221, 221)", "#111111")])
def test_colours_are_those_of_the_notebook(text, ground, chromium):
    page = patient_page(chromium)
    page.set_content(f"<body style='color: {text}; background: {ground}'>{load(DATA / 'rays.cube.gz')._repr_html_()}")
    found = page.evaluate(
        "[...document.body.querySelectorAll('*')].map(each => getComputedStyle(each))"
        ".map(each => [each.color, each.backgroundColor])"
    )
    page.close()
    assert {tuple(each) for each in found} == {(text, "rgba(0, 0, 0, 0)")}
