"""The documentation agrees with the program: options, variables, keys and links."""

import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.run.criteria import criterion_fields
from autoanalyzer.cli.main import COMMANDS, whole_parser
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Region
from autoanalyzer.experiment.metric import (
    COUNT_METRICS,
    COUNTED_PATH_METRICS,
    MPI_WAIT,
    PATH_METRICS,
    PATH_VISITS,
    PROCESS_METRICS,
    STORED_METRICS,
    TEAM_TIME,
    UNTIMED_VISITS,
    USAGE_METRICS,
)
from autoanalyzer.view.findings_json import findings_document

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SOURCES = ("cli", "runs", "runtime", "instrument", "experiment", "analyze", "view")

_OPTION_LINE = re.compile(r"^  (-\S.*?)(?:  .*)?$", re.M)
_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)


def _pages() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted({*(ROOT / line for line in listed.stdout.splitlines()), *DOCS.rglob("*.md")})


def _anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in titles}


def test_every_command_has_a_page_and_every_page_a_command():
    assert {page.stem for page in (DOCS / "commands").glob("*.md")} == {*COMMANDS, "aa-mpicc"}


@pytest.fixture(scope="module")
def parser():
    return whole_parser()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_of_a_command_names_every_option_of_its_help(name, tool, parser):
    done = tool("autoanalyzer", name, "--help", env={"COLUMNS": "100"})
    assert done.returncode == 0, done.stderr.decode()
    said = done.stdout.decode()
    assert max(map(len, said.splitlines())) <= 100
    options = {option for line in _OPTION_LINE.findall(said) for option in _OPTION.findall(line)} - {"-h", "--help"}
    page = (DOCS / "commands" / f"{name}.md").read_text()
    assert options <= set(_OPTION.findall(page))
    *_, last = said.splitlines()
    words = shlex.split(last.removeprefix("example: autoanalyzer "))
    assert words[0] == name
    parser.parse_args(words)  # ends the process if an option is unknown


def test_the_options_of_run_are_in_the_same_groups_in_its_help_and_on_its_page(tool):
    said = tool("autoanalyzer", "run", "--help", env={"COLUMNS": "200"}).stdout.decode()
    page = (DOCS / "commands" / "run.md").read_text()
    for title in ("counting", "time lines", "cluster", "expert"):
        helped, shown = said.partition(f"\n{title}:\n")[2], page.partition(f"\n| {title} | |\n")[2]
        options = {_OPTION.search(line)[0] for line in _OPTION_LINE.findall(helped.partition("\n\n")[0])}
        assert options == set(re.findall(r"^\| `(--[a-z-]+)", shown.partition("\n\n")[0], re.MULTILINE))


def test_every_variable_that_the_sources_read_is_in_the_reference():
    files = [file for room in SOURCES for kind in ("*.py", "*.c", "*.h") for file in (ROOT / room).rglob(kind)]
    texts = [file.read_text() for file in files]
    variables = {name for text in texts for name in re.findall(r"\bAUTOANALYZER(?:_[A-Z]+)*\b", text)}
    assert "AUTOANALYZER_CC" in variables
    assert variables <= set(re.findall(r"\bAUTOANALYZER(?:_[A-Z]+)*\b", (DOCS / "reference.md").read_text()))


def test_the_reference_knows_which_functions_are_tiny(tool):
    tool.write("x.c", "double a(double x) { return x; }\nstatic inline void b(void) { a(1); }\n")
    reasons = re.findall(r": (tiny: .*)", tool("autoanalyzer", "regions", "x.c").stdout.decode())
    assert len(reasons) == 2
    assert all(f"`{reason}`" in (DOCS / "reference.md").read_text() for reason in reasons)


def test_every_key_of_the_findings_is_described():
    described = set(re.findall(r"`(\w+)`", (DOCS / "findings.md").read_text())) | {"attributes", "rows"}
    document = findings_document(analyze(_experiment()), Path("experiment.cube"))
    document["experiment"]["sources"] = {}
    assert set(_keys(document)) <= described


def _experiment() -> Experiment:
    values = np.array([[0.0, 0.0], [1.0, 2.0], [1.0, 1.0]])
    names = ("wall_time", "cpu_time", "mpi_cpu_time")
    regions = [Region("function", "main", "a.c", "main"), *(Region("loop", f"loop@{n}", "a.c", "main") for n in "12")]
    return Experiment(
        metrics=[Metric(name, "sec") for name in names],
        call_paths=[CallPath(region, None if region.name == "main" else 0) for region in regions],
        locations=[Location("m", "n", rank) for rank in range(2)],
        severities=dict(zip(names, (values, values, np.zeros_like(values)), strict=True)),
    )


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _keys(each)


@pytest.mark.parametrize("page", _pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_within_the_documentation_lead_somewhere(page):
    for link in _LINK.findall(_CODE.sub("", page.read_text())):
        path, _, anchor = link.partition("#")
        if re.match(r"\w+:", path):
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in _anchors(target), link


def test_the_page_of_metrics_lists_each_metric():
    stored = (*STORED_METRICS, *COUNT_METRICS, *PATH_METRICS, *COUNTED_PATH_METRICS, *PROCESS_METRICS, *USAGE_METRICS)
    names = {each.name for each in (*stored, MPI_WAIT, PATH_VISITS, TEAM_TIME, UNTIMED_VISITS)}
    assert names <= set(re.findall(r"`(\w+)`", (DOCS / "metrics.md").read_text()))


def test_a_page_of_the_design_names_only_what_exists(tmp_path):
    page = tmp_path / "design.md"
    page.write_text("`cli/main.py` `cli/` `Experiment.check` `MPI_Init` `cli/gone.py` `gone/` `main.py` `GoneSymbol`")
    words = [sys.executable, ROOT / "tools" / "design_names.py", page]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    assert [line.split()[1] for line in done.stderr.splitlines()] == ["GoneSymbol", "cli/gone.py", "gone/", "main.py"]
    assert done.returncode == 1


def test_words_with_a_better_one_and_long_lines_are_named_where_users_read_them():
    check = runpy.run_path(str(ROOT / "tools" / "users_words.py"))
    faults_of_page, faults_of_source = check["faults_of_page"], check["faults_of_source"]
    page = "Each turn costs.\n`turn`\n```\nturn\n```\nThe processor is sure.\n"
    assert list(faults_of_page("docs/view.md", page)) == [
        "docs/view.md:1: 'turn': write 'iteration; waiting for a core'",
        "docs/view.md:6: 'processor': write 'core, if it is one'",
        "docs/view.md:6: 'sure': write 'confidence'",
    ]
    assert list(faults_of_page("docs/counts.md", "processor")) == []
    source = f'''"""It says so."""\ntell = "says"\nprint(f"it {{tell}} says")\nprint("{"x" * 101}\\n")\n'''
    faults = ["cli/x.py:3: 'says': write 'report, show'", "cli/x.py:4: 101 columns"]
    assert list(faults_of_source("cli/x.py", source)) == faults
    assert list(faults_of_source("advise/x.py", source)) == [faults[0].replace("cli", "advise")]


def test_the_table_of_criteria_is_what_the_record_says():
    lines = ["| name | value | unit | because | source |", "|---|---:|---|---|---|"]
    for each in criterion_fields():
        said = each.metadata
        lines.append(f"| `{each.name}` | {each.default:g} | {said['unit']} | {said['reason']} | {said['source']} |")
    assert "\n".join(lines) + "\n" in (DOCS / "evidence" / "diagnosis.md").read_text()
