"""Build the probe library on first use for the MPI library of the program, and cache it."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from ..errors import BuildError
from .c_compiler import c_compilers, compiled
from .cache import built_in, cache_folder, kept, locked, note_use
from .mpi.compiler import compiler_of
from .mpi.detection import Mpi
from .mpi.library import MpiLibrary, linked_mpi
from .usage.names import ALLOCATION_FLAGS, ALLOCATION_LIBRARY

__all__ = ["build_ahead", "probe_library"]

LIBRARY: Final = "libaaprobe.so"
WARNINGS: Final = "warnings.txt"

_ROOM: Final = Path(__file__).parent
_VALGRIND: Final = Path("/usr/include/valgrind/valgrind.h")  # needed for simulated counts
_SOURCES: Final = _ROOM / "probe"
_GENERATORS: Final = (
    *("mpi/byte_rules.py", "mpi/c_wrappers.py", "mpi/fortran_wrappers.py", "mpi/prototypes.py"),
    *("mpi/timed_functions.py", "mpi/wrapped_functions.py", "papi/events.toml"),
)
# The MPI compiler's own libraries are not linked, because the library is preloaded into shells, too; -z,defs reveals
# missing symbols. All symbols are bound at load time, because signal handlers must not look up symbols.
_FLAGS: Final = (
    *("-std=gnu11", "-O2", "-g0", "-U_FORTIFY_SOURCE", "-Wall", "-Wextra"),
    *("-fPIC", "-fvisibility=hidden", "-ftls-model=initial-exec"),
)
_LINKING: Final = ("-shared", "-Wl,--as-needed", "-Wl,-z,defs", "-Wl,-z,now")


def probe_library(
    mpi: Mpi, environment: Mapping[str, str] = os.environ, *, say: Callable[[str], object] | None = None
) -> Path:
    """Return the probe library for an MPI library; build it if no cache contains it.

    Without MPI, only a C compiler is needed. If several processes need the library at the same time, one of them builds
    it.

    Args:
        mpi: The MPI library that the program uses, if any.
        environment: Variables that determine the compilers and the cache.
        say: Callback that shows the user a message before a longer wait.

    Raises:
        BuildError: There is no compiler, the compiler fails, or the cache cannot be written.
    """
    if library := kept(f"{_name(mpi.library)}/{LIBRARY}", environment):
        note_use(library.parent)
        return library
    cache = cache_folder(environment)
    folder = cache / _name(mpi.library)
    if not (folder / LIBRARY).exists():
        with locked(cache):
            if not (folder / LIBRARY).exists():
                if say:
                    say(f"building the probe library for {mpi.library.path if mpi.library else 'programs without MPI'}")
                _build(mpi, folder, environment)
    return built_in(cache, f"{folder.name}/{LIBRARY}")


def build_ahead(
    compiler: Sequence[str],
    program: Path,
    environment: Mapping[str, str] = os.environ,
    *,
    say: Callable[[str], object] | None = None,
) -> Path | None:
    """Build the library for an MPI program right after linking, when the program's compiler is certainly available.

    Failure is harmless: if the library cannot be built now, the error is reported when the program is run.

    Args:
        compiler: The C or Fortran compiler that linked the program; for Fortran, the C compiler in the same folder is
            used.
        program: The linked program.
        environment: Variables that determine the compilers and the cache.
        say: Callback that shows the user a message before a longer wait.

    Returns:
        The library; None if it could not be built.
    """
    library = linked_mpi(program, environment)
    if library is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if _log(cache_folder(environment), library).exists():
                # An earlier build failed. It is not repeated, because a build system would wait for the same failure at
                # each link.
                return None
            return probe_library(Mpi(library), {**environment, "AUTOANALYZER_CC": shlex.join(compiler)}, say=say)
        except BuildError:
            return None


def _name(library: MpiLibrary | None) -> str:
    return f"probe-{_key(library)}"


def _log(cache: Path, library: MpiLibrary | None) -> Path:
    return cache / f"{_name(library)}.log"


def _key(library: MpiLibrary | None) -> str:
    """Return the cache key of a build: a digest of our sources, flags, and the MPI library's path, size and time."""
    digest = hashlib.sha256()
    for path in (*sorted(_SOURCES.rglob("*.[ch]")), *(_ROOM / name for name in _GENERATORS)):
        digest.update(path.read_bytes())
    digest.update(f"{_FLAGS} {_LINKING} {ALLOCATION_FLAGS} {_VALGRIND.exists()}".encode())
    if library:
        status = library.path.stat()
        digest.update(f"{library.path} {status.st_size} {status.st_mtime_ns}".encode())
    return digest.hexdigest()[:20]


def _build(mpi: Mpi, folder: Path, environment: Mapping[str, str]) -> None:
    """Build in a temporary folder, so that ``folder`` appears only when the build is complete."""
    from .papi.choices import choices_text  # noqa: PLC0415 - usually, the library is already built

    compiler = _compiler(mpi, environment)
    with tempfile.TemporaryDirectory(prefix="build-", dir=folder.parent) as name:
        work = Path(name)
        log = _log(folder.parent, mpi.library)
        (work / "papi_choices.h").write_text(choices_text())
        if mpi.library:
            _generate(compiler, mpi.library, work, log, environment)
        said = _compile(compiler, mpi.library, work, log, environment)
        folder.mkdir(0o775, exist_ok=True)  # independent of the umask, because world-writable files are not loaded
        (folder / WARNINGS).write_text(said)
        for product in (ALLOCATION_LIBRARY, LIBRARY):  # the file whose presence is tested comes last
            (work / product).chmod(0o775 & (work / product).stat().st_mode)
            (work / product).replace(folder / product)
        log.unlink(missing_ok=True)


def _compiler(mpi: Mpi, environment: Mapping[str, str]) -> tuple[str, ...]:
    if mpi.library is None:
        return c_compilers(environment, "the probe library")[0]
    return compiler_of(mpi.library, environment, launcher=mpi.launcher, purpose="building the probe library")


def _generate(
    compiler: Sequence[str], library: MpiLibrary, work: Path, log: Path, environment: Mapping[str, str]
) -> None:
    """Write the wrappers for this MPI library's own header."""
    from .mpi.c_wrappers import function_list, wrapper_text  # noqa: PLC0415 - usually, the library is already built
    from .mpi.fortran_wrappers import fortran_wrapper_text  # noqa: PLC0415
    from .mpi.prototypes import read_prototypes  # noqa: PLC0415

    header = work / "header.c"
    header.write_text("#include <mpi.h>\n")
    prototypes = read_prototypes(_run([*compiler, "-E", str(header)], log, environment).stdout)
    header.unlink()
    (work / "mpi_functions.h").write_text(function_list(prototypes))
    (work / "mpi_wrappers.c").write_text(wrapper_text(prototypes))
    (work / "mpi_fortran_wrappers.c").write_text(fortran_wrapper_text(prototypes))


def _compile(
    compiler: Sequence[str], library: MpiLibrary | None, work: Path, log: Path, environment: Mapping[str, str]
) -> str:
    """Compile and link the library, and return the compiler's warnings.

    Generated sources take half of the time, so they are compiled in parallel with the others.
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - usually, the library is already built

    from .usage.trial import allocation_command  # noqa: PLC0415

    command = [str(Path(compiler[0]).absolute()) if os.sep in compiler[0] else compiler[0], *compiler[1:]]
    defines = [f'-DAA_PROBE_FILE="{LIBRARY}"', f"-I{_SOURCES}", f"-I{work}"]
    if library:
        defines += [f'-DAA_MPI_SONAME="{library.soname}"', f"-DAA_MPI_FILE={_c_string(str(library.path))}"]
    sources = sorted(path for path in _SOURCES.glob("*.c") if library or not path.name.startswith("mpi_"))
    parts = [part for part in (sources, sorted(work.glob("*.c"))) if part]
    with ThreadPoolExecutor() as pool:
        compiling = [[*command, *_FLAGS, *defines, "-c", *map(str, part)] for part in parts]
        compiled_parts = list(pool.map(lambda words: _run(words, log, environment, work), compiling))
    objects = sorted(map(str, work.glob("*.o")))
    _run([*command, *_FLAGS, *_LINKING, *objects, "-o", str(work / LIBRARY), "-ldl", "-lpthread"], log, environment)
    said = _run(allocation_command(tuple(command), work), log, environment).stderr
    return "".join(done.stderr for done in compiled_parts) + said


def _c_string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _run(
    command: Sequence[str], log: Path, environment: Mapping[str, str], folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a compiler; if it fails, keep its output in ``log``."""
    run = compiled(command, environment, folder)
    if run.returncode != 0:
        log.write_text(f"{' '.join(command)}\n{run.stderr}")
        raise BuildError(
            f"{command[0]} cannot build the probe library; see {log}, or set AUTOANALYZER_CC to another compiler"
        )
    return run
