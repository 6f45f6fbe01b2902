"""Run instrumented and untouched programs side by side, with a probe library that checks nesting."""

from __future__ import annotations

import gzip
import re
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from autoanalyzer.experiment.region import Region

from ..conftest import FAST_LINKER

HERE = Path(__file__).parent
TEMPORARY = re.compile(rb"/tmp/[\w.-]+")  # the linker's messages name the compiler's temporary objects


@dataclass(frozen=True)
class Run:
    """The events of an instrumented program that printed the same as the untouched one, and its build's messages."""

    events: tuple[tuple[str, Region], ...]
    messages: str

    @property
    def visits(self) -> dict[str, int]:
        """The number of entries by the region's name; loops are named ``function:loop@line``."""
        return dict(Counter(_label(region) for event, region in self.events if event == "enter"))


def _label(region: Region) -> str:
    return region.name if region.kind in {"function", "program"} else f"{region.function}:{region.name}"


@pytest.fixture(autouse=True)
def _starts_no_daemon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prevent programs without a launcher from starting Open MPI's daemon, which hangs once in some thousand starts."""
    monkeypatch.setenv("OMPI_MCA_ess_singleton_isolated", "1")


@pytest.fixture(scope="session")
def probe_check(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("probe") / "probe_check.so"
    flags = ["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["gcc", *flags, HERE / "probe_check.c", "-o", library], check=True)
    return library


@dataclass(frozen=True)
class Lab:
    """Builds a program untouched and instrumented, runs both, and compares.

    The untouched one is built once for all compilers, standards and plans, because its output does not depend on them.
    """

    tool: Any
    probe: Path
    printed: dict[tuple[str | bytes, ...], Any] = field(default_factory=dict)

    def run(
        self,
        source: str | bytes,
        *flags: str,
        cc: str = "gcc",
        name: str = "x.c",
        modes: str = "",
        plan: str = "",
        quiet: bool = True,
        still_open: Sequence[str] | None = (),
    ) -> Run:
        """Build and run a program, untouched and instrumented, and make the assertions of ``compare``.

        Args:
            source: The source.
            flags: Flags for the compiler.
            cc: The compiler.
            name: The source's file name.
            modes: The modes of instrumentation; empty: the default.
            plan: The text of a plan, without its version; may be empty.
            quiet: Whether to assert that the build prints nothing.
            still_open: As in ``compare``.
        """
        path = self.tool.folder / name
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
        command = [cc, "-O1", name, *FAST_LINKER, *flags]
        untouched = self.untouched(source, *command)
        built = self.tool("autoanalyzer", "compile", "--", *command, "-o", "probed", env=self.wanted(modes, plan))
        assert built.returncode == 0, built.stderr.decode()
        assert not (quiet and built.stderr), built.stderr.decode()
        return self.compare(built.stderr.decode(), untouched, still_open)

    def untouched(self, source: str | bytes, *command: str) -> Any:
        """Run the program without probes, and return its exit status and output; it is built and run only once."""
        speaks = command[0] if command[0].startswith("flang") else ""  # flang's programs print numbers in another way
        program = (source, speaks, *(word for word in command[1:] if not word.startswith(("-std=", "x."))))
        if program not in self.printed:
            plain = self.tool(*command, "-o", "plain")
            assert plain.returncode == 0, plain.stderr.decode()
            self.printed[program] = self.tool("./plain")
        return self.printed[program]

    def wanted(self, modes: str = "", plan: str = "") -> dict[str, str]:
        """Return the environment of a build with modes and the text of a plan."""
        environment = {"AUTOANALYZER_MODES": modes} if modes else {}
        if plan:
            (self.tool.folder / "plan.toml").write_text(f"version = 2\n{plan}")
            environment["AUTOANALYZER_PLAN"] = "plan.toml"
        return environment

    def compare(self, messages: str = "", untouched: Any = None, still_open: Sequence[str] | None = ()) -> Run:
        """Assert that both programs print the same, and that the probes nest.

        Args:
            messages: The messages of the instrumented program's build.
            untouched: The result of the untouched program; None: run it.
            still_open: The names of the regions that are not left at the end; None: nesting is not checked.
        """
        events = self.tool.folder / "events"
        untouched = untouched or self.tool("./plain")
        silent = self.tool("./probed")
        watched = self.tool("./probed", env={"LD_PRELOAD": str(self.probe), "PROBE_EVENTS": str(events)})
        for done in (silent, watched):
            assert (done.returncode, done.stdout) == (untouched.returncode, untouched.stdout)
        run = Run(tuple(_events(events)), messages)
        if still_open is not None:
            assert {event for event, _ in run.events} <= {"enter", "exit", "resync", "open"}
            assert [region.name for event, region in run.events if event == "open"] == list(still_open)
        return run

    def left_out(self, *words: str, modes: str = "", plan: str = "") -> dict[str, str]:
        """Return region name → why it has no probes, as ``autoanalyzer regions`` prints it.

        The command runs once for all compilers.
        """
        compilers = ("--cc", "gcc", "--cxx", "g++", "--fc", "gfortran")
        environment = self.wanted(modes, plan)
        files = [path.name.encode() + path.read_bytes() for path in sorted(self.tool.folder.glob("*.*"))]
        listing = ("regions", *words, modes, *files)
        if listing not in self.printed:
            done = self.tool("autoanalyzer", "regions", *compilers, *(words or ("x.c",)), env=environment)
            assert done.returncode == 0, done.stderr.decode()
            self.printed[listing] = done
        lines = self.printed[listing].stdout.decode().partition("left out\n")[2].splitlines()
        return {line.split()[0]: line.partition(": ")[2] for line in lines}


def _events(path: Path) -> list[tuple[str, Region]]:
    if not path.exists():
        return []
    lines = path.read_bytes().decode("utf-8", "surrogateescape").splitlines()
    return [(event, Region.from_descriptor(text)) for event, _, text in (line.partition(" ") for line in lines)]


@pytest.fixture(scope="session")
def _printed() -> dict[tuple[str | bytes, ...], Any]:
    return {}


@pytest.fixture
def lab(tool: Any, probe_check: Path, _printed: dict[tuple[str | bytes, ...], Any]) -> Lab:
    return Lab(tool, probe_check, _printed)


def assert_the_same_with_probes(
    tool: Any, sources: Mapping[str, str], *words: str, env: dict[str, str] | None = None
) -> None:
    """Assert that a command has the same files, messages, exit status, dependencies and modules with probes."""
    done = {}
    for kind, prefix in (("plain", []), ("probed", ["autoanalyzer", "compile", "--"])):
        there = replace(tool, folder=tool.folder / kind)
        for name, text in sources.items():
            there.write(name, text)
        done[kind] = there(*prefix, *words, env=env)
    plain, probed = (_files(tool.folder / kind) for kind in ("plain", "probed"))
    assert set(probed) == set(plain)
    for name in plain:
        if name.suffix in {".d", ".x"}:
            assert probed[name].read_text() == plain[name].read_text()
        if name.suffix in {".mod", ".smod"}:
            assert _plain(probed[name].read_bytes()) == _plain(plain[name].read_bytes())
    assert done["probed"].returncode == done["plain"].returncode
    assert done["probed"].stdout == done["plain"].stdout
    assert TEMPORARY.sub(b"", done["probed"].stderr) == TEMPORARY.sub(b"", done["plain"].stderr)


def _plain(module: bytes) -> bytes:
    """Return the text of a module file, which GNU's compiler compresses."""
    return gzip.decompress(module) if module.startswith(b"\x1f\x8b") else module


def _files(folder: Path) -> dict[Path, Path]:
    return {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
