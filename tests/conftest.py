"""Fixtures for all tests: MPI launchers that work for root, too, and skips that CI forbids."""

from __future__ import annotations

import gc
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from signal import SIGSEGV
from tempfile import TemporaryFile
from threading import Lock
from time import sleep
from typing import TYPE_CHECKING, Any, TypeVar

import hypothesis
import pytest

from autoanalyzer.cli.main import main

from .command_server import SECONDS
from .costs import Costs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

with pytest.MonkeyPatch.context() as _patch:  # as in commands: idle BLAS threads would occupy cores in use
    _patch.setenv("OPENBLAS_NUM_THREADS", "1")
    import scipy.linalg  # noqa: F401 - scipy and numpy each have their own BLAS, which reads the variable here

hypothesis.settings.register_profile("unhurried", deadline=None)  # on a busy machine, a slow example is no failure
hypothesis.settings.load_profile("unhurried")

Done = subprocess.CompletedProcess[bytes]
_Result = TypeVar("_Result")

BIN = Path(sys.executable).parent
LOADS = Path("/proc/loadavg")  # contains the number of threads that run or wait for a core
LIBOMP = [f"-L{each.parent}" for each in sorted(Path("/usr/lib").glob("llvm-*/lib/libomp.so"))[-1:]]  # for clang
SPAWNING = Path(__file__).parent / "programs" / "spawning.c"  # a program whose two processes spawn a third one
FAST_LINKER = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []  # a fast linker, for programs that only have to run


class CommandServer:
    """Runs commands of ``autoanalyzer`` in forks of one process, which saves the time that Python takes to start."""

    COMMANDS = ("autoanalyzer", "aa-mpicc", "aa-mpicxx", "aa-mpifort")
    AT_START = ("PYTHON", "LC_", "LANG", "LIBCLANG")  # prefixes of variables that Python or its libraries read at start
    ALL_MODULES = (
        *("analyze", "advise", "timelines", "cli", "experiment", "instrument", "runs", "view"),
        "runtime.gather.gather",
    )
    # A process with few modules forks in a tenth of the time.
    COMPILING = ("compile", "instrument", "regions")
    COMPILER_MODULES = ("instrument", "runtime.build", *(f"cli.{each}" for each in COMPILING))

    def __init__(self, modules: Sequence[str]) -> None:
        self._turn = Lock()
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            server = Path(__file__).with_name("command_server.py")
            self._process = subprocess.Popen([sys.executable, server, *modules], stdin=theirs)

    @property
    def process(self) -> int:
        """The server's process ID."""
        return self._process.pid

    def close(self) -> None:
        self._requests.close()
        self._process.wait()

    def run(self, words: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: bytes) -> Done:
        with TemporaryFile() as given, ThreadPoolExecutor(2) as pool:
            given.write(stdin)
            given.seek(0)
            (printed, out), (complained, error) = os.pipe(), os.pipe()
            streams = [os.dup(given.fileno()), out, error]
            status, said = self.carry_out(
                words, folder, environment, streams, lambda: pool.map(_all_of, (printed, complained))
            )
            return Done(words, status, said[0], without_progress(said[1]))

    def carry_out(
        self,
        words: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        streams: Sequence[int],
        read: Callable[[], Iterable[bytes]],
    ) -> tuple[int, list[bytes]]:
        """Run a command with three streams, which are closed here; return its exit status and what ``read`` returns."""
        request = json.dumps([words, str(folder), environment])
        with self._turn:
            with suppress(ConnectionError):
                socket.send_fds(self._requests, [request.encode()], streams)
            for stream in streams:
                os.close(stream)
            said = [*read()]
            return self._status(), said

    def _status(self) -> int:
        status = b""
        with suppress(ConnectionError):
            status = self._requests.recv(16)
        if not status:
            raise RuntimeError("the command server ended")
        return int(status)


def without_progress(said: bytes) -> bytes:
    """Return a command's output without progress messages, which depend on the load of the machine."""
    return re.sub(rb"^autoanalyzer: [^\n]*( so far|: [\d,]+ of [\d,]+)\n", b"", said, flags=re.MULTILINE)


def _all_of(pipe: int) -> bytes:
    with open(pipe, "rb") as stream:
        return stream.read()


command_servers: dict[bool, CommandServer] = {}


def command_server(words: Sequence[str | Path]) -> CommandServer:
    """Return the server for a command, started on first use."""
    compiles = Path(words[0]).name != "autoanalyzer" or {*words[1:2]} <= {*CommandServer.COMPILING}
    if compiles not in command_servers:
        modules = CommandServer.COMPILER_MODULES if compiles else CommandServer.ALL_MODULES
        command_servers[compiles] = CommandServer(modules)
    return command_servers[compiles]


def run(words: Sequence[str | Path], folder: Path, env: Mapping[str, str] | None = None, *, stdin: bytes = b"") -> Done:
    """Run a command as a process; commands of ``autoanalyzer`` run in the server unless they need their own Python."""
    own = env or {}
    name = Path(words[0]).name
    program = BIN / name if (BIN / name).exists() else words[0]
    command = [str(program), *map(str, words[1:])]
    environment = {**os.environ, **own}
    if name in CommandServer.COMMANDS and not any(key.startswith(CommandServer.AT_START) for key in own):
        return command_server(command).run(command, folder, environment, stdin)
    done = subprocess.run(
        command, cwd=folder, env=environment, input=stdin, capture_output=True, check=False, timeout=SECONDS
    )
    return Done(done.args, done.returncode, done.stdout, without_progress(done.stderr))


def cache_of_libraries(folder: Path) -> Path:
    """Make a cache with only the probe libraries that other tests have built; building one takes 12 s of CPU time."""
    folder.mkdir(0o755)
    for library in Path(os.environ["AUTOANALYZER_CACHE"]).glob("probe-*/libaaprobe.so"):
        shutil.copytree(library.parent, folder / library.parent.name, copy_function=os.link)
    return folder


def left_by_run(folder: Path) -> set[str]:
    """Return the files that a run has left, except the plan of throttled regions, which depends on the machine."""
    return {each.name for each in folder.iterdir() if not each.name.removeprefix(".").startswith("plan.toml")}


@dataclass(frozen=True)
class Tool:
    """Runs commands in one folder, and writes files there."""

    folder: Path

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def __call__(self, *words: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> Done:
        own = env or {}
        return run(words, self.folder, {"PATH": f"{BIN}:{os.environ['PATH']}", **own}, stdin=stdin)

    def build(self, source: str, *flags: str, compiler: str = "mpicc") -> None:
        """Compile ``source`` with probes to the program ``app``."""
        self.write("app.c", source)
        done = self("aa-mpicc", "-O1", "-g", "app.c", "-o", "app", "-lm", *flags, env={"AUTOANALYZER_CC": compiler})
        assert done.returncode == 0, done.stderr.decode()

    def findings(self, *options: str) -> dict[str, Any]:
        """Return the findings of ``analyze`` on the run in ``out``."""
        done = self("autoanalyzer", "analyze", "out", "--json", "findings.json", *options)
        assert done.returncode == 0, done.stderr.decode()
        found: dict[str, Any] = json.loads((self.folder / "findings.json").read_text())
        return found


@dataclass(frozen=True)
class Opened:
    """What a browser shows of a page: ``drawn`` are texts in pictures and tables, ``said`` are tooltips."""

    text: str
    drawn: list[str]
    said: list[str]
    pictures: int
    complaints: list[str]
    requests: list[str]


_DRAWN_SIMPLY = ("--disable-gpu", "--disable-gpu-compositing", "--disable-software-rasterizer", "--in-process-gpu")
_FOR_A_SECOND = "--js-flags=--no-opt --no-maglev"  # a page is open for a second, so optimising its script does not pay
_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def chromium() -> Generator[Browser, None, None]:
    """Return a browser without a window."""
    program = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if program is None:
        pytest.skip(f"none of {', '.join(_BROWSERS)} is installed")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - takes a tenth of a second of each worker

    with sync_playwright() as driver:
        arguments = ["--no-sandbox", *_DRAWN_SIMPLY, _FOR_A_SECOND]
        browser = driver.chromium.launch(executable_path=program, args=arguments, timeout=0)
        yield browser
        browser.close()


def patient_page(browser: Browser, **options: Any) -> Page:
    """Open a page without a time limit except pytest's, because it may take a minute on a busy machine."""
    page = browser.new_page(**options)
    page.set_default_timeout(0)
    return page


@pytest.fixture(scope="session")
def browse(chromium: Browser) -> Generator[Callable[[Path], Opened], None, None]:
    """Return a function that opens a page, and returns its text, pictures, errors and requests."""
    complaints: list[str] = []
    requests: list[str] = []
    page = patient_page(chromium)
    page.on("console", lambda said: complaints.append(f"{said.type}: {said.text}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))

    def opened(file: Path) -> Opened:
        complaints.clear()
        requests.clear()
        page.goto("about:blank")
        page.goto(file.as_uri())
        if page.locator("#head").count():
            page.wait_for_selector("#tree-system .row")
        drawn = page.eval_on_selector_all(
            ".mark :is(svg text, td, th, li)", "all => all.map(each => each.textContent.trim())"
        )
        said = page.eval_on_selector_all(
            ".mark svg title, .mark [title]", "all => all.map(each => each.getAttribute('title') ?? each.textContent)"
        )
        asked = [each for each in requests if each not in (file.as_uri(), "about:blank")]
        return Opened(page.inner_text("body"), drawn, said, page.locator(".mark").count(), complaints.copy(), asked)

    yield opened
    page.close()


MPIS = {"openmpi": ("mpirun.openmpi", "mpicc.openmpi"), "mpich": ("mpirun.mpich", "mpicc.mpich")}


@cache
def for_several_programs(launcher: str) -> str:
    """Return the command that starts several programs: the launcher, unless it crashes.

    mpirun of Debian 13's Open MPI 5.0.7 crashes, whatever the programs are (Open MPI's issue 13303); prterun, on which
    it is based, does not.
    """
    command = [launcher, "-n", "1", "true", ":", "-n", "1", "true"]
    crashes = subprocess.run(command, check=False, capture_output=True).returncode == -SIGSEGV
    return "prterun" if crashes else launcher


def until_spawned(attempt: Callable[[], _Result], made: Path) -> _Result:
    """Return the result of an attempt, repeated once if Open MPI hangs when it spawns processes.

    On a busy machine, 6 of 862 runs of a program without probes hung (Open MPI 4.1.4), until a time limit of Open MPI
    ended them after five minutes.

    Args:
        attempt: Runs the program.
        made: The folder that an attempt creates; removed before the second attempt.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MPIEXEC_TIMEOUT", "120")  # seconds
        try:
            return attempt()
        except AssertionError as failure:
            if "MPIEXEC_TIMEOUT" not in str(failure):
                raise
            warnings.warn("Open MPI hung when it spawned processes", stacklevel=2)
        shutil.rmtree(made)
        return attempt()


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Costs(lambda: [each.process for each in command_servers.values()]))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Start two workers per core, because tests also wait; six if other programs want more than twice the cores."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    processors = len(os.sched_getaffinity(0))
    return processors * (6 if fewest_running() > 2 * processors else 2)


def fewest_running(times: int = 40) -> int:
    """Return the smallest number of other threads that run or wait for a core within two seconds.

    The averages in the same file are not used, because they include programs that ended minutes ago.
    """
    seen = []
    for _ in range(times):
        running = LOADS.read_text("ascii").split()[3].split("/")[0]
        seen.append(int(running) - 1)
        sleep(2 / times)
    return min(seen)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Collect tests without garbage collection, because thousands of objects stay until the end; later, with little."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(100_000)  # by default 700, which takes a twentieth of all tests' CPU time
        gc.enable()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark a test as nightly if a parameter has another value than those in the test's marker ``by_day``."""
    values = getattr(getattr(item, "callspec", None), "params", {})
    for marker in item.iter_markers("by_day"):
        if any(name in values and values[name] not in kept for name, kept in marker.kwargs.items()):
            item.add_marker("nightly")


@pytest.hookimpl(trylast=True)  # once it is known which tests run
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the tests so that each worker begins with all tests in a file that are marked ``long``, which take longest.

    xdist divides the list evenly; a worker that has finished its part takes over half of another's, from its end.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    files = [*dict.fromkeys(item.path for item in items if item.get_closest_marker("long"))]
    first: list[list[pytest.Item]] = [[] for _ in range(workers)]
    others = []
    for item in items:
        is_long = item.get_closest_marker("long") is not None
        (first[files.index(item.path) % workers] if is_long else others).append(item)
    rest, ordered = iter(others), list[pytest.Item]()
    for done, longest in enumerate(first):
        room = (len(items) - len(ordered)) // (workers - done) - len(longest)
        ordered += [*longest, *islice(rest, max(room, 0))]
    items[:] = [*ordered, *rest]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("AUTOANALYZER_FORBID_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"skipped, where skips are forbidden: {item.nodeid}: {report.longrepr}"
    return report


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Write the exit status for ``.ci/run``, because make does not pass it on."""
    cache = getattr(session.config, "cache", None)
    if cache and not hasattr(session.config, "workerinput"):
        cache.set("autoanalyzer/status", int(exitstatus))


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all workers of pytest share."""
    temporary = tmp_path_factory.getbasetemp()
    return temporary.parent if os.environ.get("PYTEST_XDIST_WORKER") else temporary


@pytest.fixture(scope="session", autouse=True)
def _launchable_mpi(shared_folder: Path) -> Generator[None, None, None]:
    """Let Open MPI run as root with more ranks than cores, and keep builds out of the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        if os.geteuid() == 0:
            for launcher in ("OMPI", "PRTE"):  # mpirun, prterun
                patch.setenv(f"{launcher}_ALLOW_RUN_AS_ROOT", "1")
                patch.setenv(f"{launcher}_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        patch.setenv("OMPI_MCA_rmaps_base_oversubscribe", "1")  # for Open MPI 4; the next one for 5 and later
        patch.setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
        patch.setenv("OMPI_MCA_pml", "ob1")  # other components search for networks first
        patch.setenv("HWLOC_PLUGINS_PATH", "/nonexistent")  # these look for GPUs, for a tenth of the start-up time
        patch.setenv("OMPI_MCA_mpi_yield_when_idle", "1")  # ranks that wait leave the core to other tests
        # Once in thousands of runs, Open MPI 4 takes a rank that has finalized for one that has not (its issue 7833).
        patch.setenv("OMPI_MCA_orte_allowed_exit_without_sync", "1")
        patch.setenv("AUTOANALYZER_CALIBRATE", "off")
        if not os.environ.get("AUTOANALYZER_CACHE"):
            patch.setenv("AUTOANALYZER_CACHE", str(shared_folder / "cache"))
        yield
    for server in command_servers.values():
        server.close()


@pytest.fixture(params=sorted(MPIS))
def mpi(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Return the launcher and the C compiler of each MPI in turn."""
    launcher, compiler = MPIS[request.param]
    if not shutil.which(launcher) or not shutil.which(compiler):
        pytest.skip(f"{launcher} is not installed")
    return launcher, compiler


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """Return the test's own folder; the two folders above it, in which sources are searched, too, are also its own."""
    folder = tmp_path / "project" / "run"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Callable[..., Done]:
    """Return a function that runs a command of ``autoanalyzer`` in the test's folder and in this process."""

    def run(*words: str) -> Done:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as ended:
            main(words)
        printed, complained = capfdbinary.readouterr()
        return Done(words, int(ended.value.code or 0), printed, without_progress(complained))

    return run


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    """Return a function that runs commands as users do, in the test's own folder."""
    return Tool(tmp_path)
