"""The core of the probe library, preloaded into a program that enters the regions named by its arguments."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from autoanalyzer.runtime import build
from autoanalyzer.runtime.cache import locked
from autoanalyzer.runtime.gather.shard import Shard
from autoanalyzer.runtime.gather.shard_reader import read_shard
from autoanalyzer.runtime.papi.choices import choices_text

PROBE = Path(build.__file__).parent / "probe"
WRAPPERS = ("file_use", "io_f", "io_posix", "io_stdio", "libc_dlsym", "meeting", "mpi_", "pthread", "python")
WRAPPERS += ("openmp_gnu", "openmp_tool", "sample_start")
CORE = [each for each in sorted(PROBE.glob("*.c")) if not each.stem.startswith(WRAPPERS)]
PROGRAMS = Path(__file__).parents[1] / "programs"
# Sources that read the clock are compiled for each of the two clocks, the others only once.
READERS = [each for each in CORE if re.search(r"aa_clock_(count|ticks)\(", each.read_text()) and each.stem != "clock"]
OTHERS = [each for each in CORE if each not in READERS and each.stem != "clock"]
CLOCK = [*READERS, PROBE / "clock.c"]
FAKE_CLOCK = ["-DAA_FAKE_CLOCK", *READERS, PROGRAMS / "fake_clock.c"]
EVENTS = PROGRAMS / "events.c"
WARNINGS = ["-Wall", "-Wextra", "-Werror", f"-I{PROBE}"]
LIBRARIES = ["-ldl", "-lpthread"]
HIDDEN = ["-O2", "-fPIC", "-fvisibility=hidden"]
SANITIZER = os.environ.get("AUTOANALYZER_SANITIZER", "address,undefined")  # make sanitize takes them in turn
CHECKED = ["-O1", "-g1", f"-fsanitize={SANITIZER}"]
# make test-arm64: the library and the program are built for this processor, and an emulator runs the program.
FOREIGN = os.environ.get("AUTOANALYZER_FOREIGN", "")
COMPILER = f"{FOREIGN}-linux-gnu-gcc" if FOREIGN else "gcc"
EMULATOR = [f"qemu-{FOREIGN.replace('powerpc', 'ppc')}-static", "-L", f"/usr/{FOREIGN}-linux-gnu"]
NOT_EMULATED = (
    # An emulator cannot forbid system calls.
    *("test_another_clock_is_chosen_where_one_does_not_work", "test_without_timers_there_are_no_samples"),
    "test_errno_is_the_programs_though_no_file_can_be_opened",
    # exec starts a program directly, but the system cannot run programs of the other processor.
    *("test_every_image_of_a_process_has_a_shard_of_its_own", "test_a_new_image_begins_anew"),
    # The emulator has its own thread, and PAPI's messages are suppressed only in processes with one thread.
    "test_papi_says_nothing_to_users_and_looks_for_no_devices",
)
# Leaks are not checked, because test programs do not free all of their memory.
SANITIZED = {
    "ASAN_OPTIONS": "detect_leaks=0",
    "UBSAN_OPTIONS": "halt_on_error=1",
    "TSAN_OPTIONS": ":".join(
        [
            "halt_on_error=1",
            "die_after_fork=0",
            "atexit_sleep_ms=50",
            f"suppressions={Path(__file__).with_name('loader.supp')}",
        ]
    ),
}

Record = Callable[..., list[Shard]]
Visits = Callable[..., dict[str, int]]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """If the tests run for another processor, keep only those that preload the library into the program."""
    if FOREIGN:
        kept = [item for item in items if _preloads(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


def _preloads(item: pytest.Item) -> bool:
    names = getattr(item, "fixturenames", ())
    chosen = item.callspec.params.get("record") if isinstance(item, pytest.Function) and "record" in names else ""
    return "preloaded" in (*names, chosen) and not item.name.startswith(NOT_EMULATED)


def compile_c(*arguments: str | Path) -> None:
    subprocess.run([COMPILER, "-std=gnu11", *WARNINGS, *arguments, *LIBRARIES], check=True)


@pytest.fixture(scope="session")
def built_once(shared_folder: Path) -> Callable[..., Path]:
    """Return a function that compiles a program once for all workers."""

    def build(name: str, *arguments: str | Path) -> Path:
        product = shared_folder / name
        with locked(shared_folder):
            if not product.exists():
                product.parent.mkdir(exist_ok=True)
                (shared_folder / "papi_choices.h").write_text(choices_text())
                compile_c(*arguments, f"-I{shared_folder}", "-o", product)
        return product

    return build


@pytest.fixture(scope="session")
def others(built_once: Callable[..., Path]) -> Path:
    """Return the sources of the core that never read the clock, as an object for libraries."""
    return built_once("others.o", *HIDDEN, "-r", "-nostdlib", *OTHERS)


@pytest.fixture(scope="session")
def library(built_once: Callable[..., Path], others: Path) -> Path:
    """Return the core alone as a library to preload."""
    return built_once("libaacore.so", *HIDDEN, "-shared", *CLOCK, others)


@pytest.fixture(scope="session")
def portable_library(built_once: Callable[..., Path]) -> Path:
    """Return the core to preload, built as for a processor unknown to the sources, with unsigned char."""
    return built_once("libaaportable.so", "-O0", *HIDDEN[1:], "-shared", "-DAA_PORTABLE", "-funsigned-char", *CORE)


@pytest.fixture(scope="session")
def plain_program(built_once: Callable[..., Path]) -> Path:
    """Return the program into which the library is preloaded."""
    return built_once("events", "-O1", EVENTS)


@pytest.fixture(scope="session")
def sanitized_others(built_once: Callable[..., Path]) -> Path:
    """Return the sources of the core that never read the clock, as an object with sanitizers."""
    return built_once("sanitized_others.o", *CHECKED, "-r", "-nostdlib", *OTHERS)


@pytest.fixture(scope="session")
def sanitized_core(built_once: Callable[..., Path], sanitized_others: Path) -> Path:
    """Return the core as an object with sanitizers."""
    return built_once("core.o", *CHECKED, "-r", "-nostdlib", *CLOCK, sanitized_others)


@pytest.fixture(scope="session")
def linked_program(built_once: Callable[..., Path], sanitized_core: Path) -> Path:
    """Return the program linked with the core, with sanitizers."""
    return built_once("linked/events", *CHECKED, "-DLINKED", EVENTS, sanitized_core)


@pytest.fixture(scope="session")
def raced_program(built_once: Callable[..., Path]) -> Path:
    """Return the program linked with the core, with the thread sanitizer."""
    return built_once("raced/events", "-O1", "-g1", "-DLINKED", "-fsanitize=thread", EVENTS, *CORE)


# Field of a node → source of its metric, for the two events that every run samples if no others are counted.
SAMPLED = {"event_5": "measured:sampled:system_time", "event_6": "measured:sampled:page_faults"}


def recorder(tmp_path: Path, command: list[str | Path], environment: dict[str, str]) -> Record:
    """Return a function that runs a program with words (``programs/events.c``), and returns the shards that it leaves.

    Args:
        tmp_path: The working folder; the output goes to its files ``stdout`` and ``stderr``.
        command: The program, and what precedes it.
        environment: Additional environment variables.
    """

    def record(words: str, *, before: tuple[str, ...] = (), status: int = 0, **more: str) -> list[Shard]:
        shards = tmp_path / "shards"
        shards.mkdir(exist_ok=True)
        variables = {**os.environ, "AUTOANALYZER_SHARDS": str(shards), **environment, **more}
        done = subprocess.run(
            [*before, *map(str, command), *words.split()],
            env=variables,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        (tmp_path / "stdout").write_text(done.stdout)
        (tmp_path / "stderr").write_text(done.stderr)
        return [read_shard(path) for path in sorted(shards.glob("*.shard"))]

    return record


def spent(folder: Path) -> list[float]:
    """Return the seconds that each word ``spent`` printed: CPU time by the threads' own clocks."""
    return [int(line) * 1e-9 for line in (folder / "stderr").read_text().split()]


@pytest.fixture
def preloaded(tmp_path: Path, library: Path, plain_program: Path) -> Record:
    """Return a function that runs words in the program, with the library preloaded."""
    preload = f"LD_PRELOAD={library}"
    return recorder(tmp_path, [*([*EMULATOR, "-E"] if FOREIGN else ["env"]), preload, plain_program], {})


@pytest.fixture
def linked(tmp_path: Path, linked_program: Path) -> Record:
    """Return a function that runs words in the linked program under sanitizers; words can also do what wrappers do."""
    return recorder(tmp_path, [linked_program], SANITIZED)


@pytest.fixture
def raced(tmp_path: Path, raced_program: Path) -> Record:
    """Return a function that runs words in the linked program under the thread sanitizer."""
    return recorder(tmp_path, [raced_program], SANITIZED)


@pytest.fixture(scope="session")
def fake_library(built_once: Callable[..., Path], others: Path) -> Path:
    """Return the core as a library to preload, with a clock that the program controls."""
    return built_once("libaafake.so", *HIDDEN, "-shared", *FAKE_CLOCK, others)


@pytest.fixture(scope="session")
def fake_linked_program(built_once: Callable[..., Path], sanitized_others: Path) -> Path:
    """Return the program linked with the core and the clock that the program controls, with sanitizers."""
    return built_once("fake/events", *CHECKED, "-DLINKED", EVENTS, *FAKE_CLOCK, sanitized_others)


@pytest.fixture(params=["preloaded", "linked"])
def record(request: pytest.FixtureRequest) -> Record:
    """Return a function that runs words: once with the library preloaded, once in the linked program."""
    chosen: Record = request.getfixturevalue(request.param)
    return chosen


@pytest.fixture(scope="session")
def plug(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a library with a region, which the program loads."""
    folder = tmp_path_factory.mktemp("plug")
    (folder / "plug.c").write_text('const char descriptor[] = "aa1|function|plug|p.c|plug|0|1|2";\n')
    compile_c("-shared", "-fPIC", "-nostdlib", "-s", folder / "plug.c", "-o", folder / "plug.so")
    return folder / "plug.so"


def visits_by_path(shard: Shard, thread: int = 0) -> dict[str, int]:
    """Return the visits of each call path, such as ``main/f``, without the root of the tree."""
    nodes = shard.threads[thread].nodes
    paths = [""]
    for node in nodes[1:]:
        above = paths[node["parent"]]
        name = shard.regions[node["region"]].name
        paths.append(f"{above}/{name}" if above else name)
    assert len(set(paths)) == len(paths), "a call path stands twice"
    return dict(zip(paths[1:], nodes["visits"][1:].tolist(), strict=True))


@pytest.fixture(name="visits")
def visits_fixture() -> Visits:
    """Return the function ``visits_by_path``."""
    return visits_by_path
