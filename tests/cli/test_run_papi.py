"""Counting with a libpapi other than the system's: the user names it, or it is in a Python package."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.errors import UsageError
from autoanalyzer.experiment import Experiment, load
from autoanalyzer.runtime.measure import measure
from autoanalyzer.runtime.packaged_papi import packaged_papi, papi_variables
from autoanalyzer.runtime.papi.kernel import may_count_all, paranoid_level
from autoanalyzer.runtime.papi.library import named_papi
from autoanalyzer.runtime.papi.lookup import look_up
from autoanalyzer.view.caveats import how_counted

from ..perf_event import counts_events_of_the_kernel
from .conftest import refused
from .test_counters import LIBRARIES
from .test_run_named_events import WORK

ALL = ["perf::PAGE-FAULTS", *(["perf::CONTEXT-SWITCHES"] if may_count_all() or int(paranoid_level()) < 2 else [])]
BETWEEN = 4  # between the entry of the region and the kernel's answer
MPIRUN = ("mpirun", "--oversubscribe", "-n", "3", "./app")
# Like an extension module, it refers to a variable and a function of the interpreter.
EXTENSION = """
extern char _Py_NoneStruct[];
void *PyErr_Occurred(void);
void *unused(void) { return PyErr_Occurred() ? _Py_NoneStruct : 0; }
"""
RUN = ("autoanalyzer", "run", "--no-calibrate", "-o", "out")


@pytest.fixture
def without(tool, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return variables that hide the system's libpapi."""
    for name in LIBRARIES:
        tool.write(f"none/{name}", "no library")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tool.folder / "none"))
    return {"LD_LIBRARY_PATH": str(tool.folder / "none")}


@pytest.fixture
def own(tool) -> Path:
    """Return the system's libpapi under another name, so that it is only found if it is named."""
    listing = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True, env={"PATH": "/sbin"})
    found = re.search(r"=> (/\S*/libpapi\.so\.\d\.\d)$", listing.stdout, re.M)
    assert found, "libpapi is not installed"
    library = tool.write("own/libmine.so.7.0", "")
    library.write_bytes(re.sub(rb"\0libpapi(\.so\.\d\.\d\0)", rb"\0libmine\1", Path(found[1]).read_bytes()))
    return library


@pytest.fixture
def package(tool, own: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a package like python_papi, but with the system's PAPI, which knows this processor; return its file."""
    tool.write("extension.c", EXTENSION)
    tool.write("site/pypapi/__init__.py", "")
    made = tool.folder / "site" / "pypapi" / "_papi.abi3.so"
    linking = ["-Wl,--no-as-needed", str(own), f"-Wl,-rpath,{own.parent}"]
    words = ["gcc", "-shared", "-fPIC", str(tool.folder / "extension.c"), *linking, "-o", str(made)]
    subprocess.run(words, check=True)
    monkeypatch.syspath_prepend(str(tool.folder / "site"))
    return made


def check(found: Experiment, printed: str, library: str) -> None:
    """Compare the counts of each rank with the kernel's, and the metrics' source with the library."""
    told = sorted((json.loads(line) for line in printed.splitlines() if line[:1] == "{"), key=lambda each: each["rank"])
    assert len(told) == 3
    (work,) = [row for row, path in enumerate(found.call_paths) if path.region.name == "work"]
    for event, key in zip(ALL, ("faults", "switches"), strict=False):
        assert found.inclusive(event)[work] == pytest.approx([each[key] for each in told], rel=0.01, abs=BETWEEN)
        assert re.fullmatch(rf"measured:papi:{event}\S* by PAPI [\d.]+ \({library}\)", found.metric(event).source)
    assert how_counted(analyze(found)).partition(f", only {', '.join(ALL)} by PAPI ")[1]


@counts_events_of_the_kernel
def test_a_library_that_the_user_names_counts_what_the_kernel_says(tool, without: dict[str, str], own: Path) -> None:
    tool.build(WORK)
    options = ("--papi", str(own.relative_to(tool.folder)), "--counters", f"papi:{','.join(ALL)}")
    done = tool(*RUN, *options, "--", *MPIRUN, env=without)
    assert done.returncode == 0, done.stderr
    check(load(tool.folder / "out" / "experiment.cube"), done.stdout.decode(), "--papi")


@counts_events_of_the_kernel
@pytest.mark.usefixtures("without", "package")
def test_the_packages_library_counts_where_the_system_has_none(
    tool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    tool.build(WORK)
    monkeypatch.chdir(tool.folder)
    (spelt,) = look_up(ALL, variables=papi_variables()).groups
    run = measure(MPIRUN, tool.folder / "out", counters=f"papi:{','.join(spelt)}", say=print)
    assert run.experiment
    check(run.experiment, capfd.readouterr().out, "python_papi")


def test_the_systems_library_has_precedence(package: Path) -> None:
    found = look_up([], variables=papi_variables())
    assert (found.whose, found.library[:11]) == ("system", "libpapi.so.")
    found = look_up([], variables=papi_variables("python_papi"))
    assert (found.whose, found.library) == ("python_papi", str(package))
    assert packaged_papi() == packaged_papi()


def test_the_package_is_made_loadable_only_for_counting_and_a_defect_stops_no_run(package: Path) -> None:
    assert papi_variables(counters="none") == papi_variables(counters="") == {}
    assert papi_variables(counters="auto") == papi_variables(counters="papi:PAPI_TOT_INS") == papi_variables()
    package.unlink()
    package.symlink_to("nothing")
    assert papi_variables(counters="auto") == {}
    with pytest.warns(UserWarning, match="python_papi is not used: "):
        assert papi_variables() == {}


def test_without_the_package_a_line_says_what_to_install(tool, without: dict[str, str]) -> None:
    tool.build(WORK)
    way = "install PAPI (Debian: libpapi-dev), or pip install 'autoanalyzer[papi]'"
    done = tool(*RUN, "--counters", "papi:perf::PAGE-FAULTS", "--", *MPIRUN, env=without)
    assert refused(done).endswith(f"papi:perf::PAGE-FAULTS: found no libpapi of version 5.6 to 7.2; {way}")


def test_a_library_that_cannot_be_loaded_is_named(tool, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a libpapi or python_papi, but there is no file "):
        named_papi(str(tmp_path / "none.so"))
    (tmp_path / "bad.so").write_text("no library")
    reason = look_up(["perf::PAGE-FAULTS"], variables=papi_variables(str(tmp_path / "bad.so"))).reason
    assert str(tmp_path / "bad.so") in reason
    done = tool("autoanalyzer", "run", "--papi", "libm.so.6", "--counters", "simulated", "--", "./app")
    assert "--papi needs --counters papi, found simulated" in refused(done)
