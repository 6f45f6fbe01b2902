"""The probe library, built on first use for the MPI library of the program under study, and kept."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ..errors import BuildError
from .mpi import Mpi
from .mpi_compiler import mpi_compilers
from .mpi_library import MpiLibrary, linked_mpi
from .wrappers import function_list, read_prototypes, wrapper_text

__all__ = ["build_ahead", "cache_folder", "probe_library"]

LIBRARY: Final = "libaaprobe.so"

_ROOM: Final = Path(__file__).parent
_SOURCES: Final = _ROOM / "probe"
_FLAGS: Final = (
    *(
        "-std=gnu11",
        "-O2",
        "-g0",
        "-U_FORTIFY_SOURCE",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        "-ftls-model=initial-exec",
    ),
    # Of what the MPI compiler adds nothing must be linked, as the library is preloaded into shells too; that
    # nothing of it is missing shows here. Bound at once, for no symbol may be looked up in a signal handler.
    *("-Wl,--as-needed", "-Wl,-z,defs", "-Wl,-z,now"),
)


def probe_library(mpi: Mpi, environment: Mapping[str, str] = os.environ) -> Path:
    """Give the probe library for an MPI library, which is built if the cache has none yet.

    Without MPI a C compiler alone is asked for. Two processes that ask at once build it once.

    Raises:
        BuildError: There is no compiler, it fails, or the cache cannot be written.
    """
    cache = cache_folder(environment)
    folder = _folder(cache, mpi.library)
    if not (folder / LIBRARY).exists():
        with _locked(cache):
            if not (folder / LIBRARY).exists():
                _build(mpi, folder, environment)
    return folder / LIBRARY


def build_ahead(compiler: Sequence[str], program: Path, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Build the library for an MPI program that was just linked, where its compiler is at hand for sure.

    Nothing depends on it: a library that cannot be built now is missed, and reported, when the program is run.

    Returns:
        The library; None if there is none now.
    """
    library = linked_mpi(program, environment)
    if library is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if _log(cache_folder(environment), library).exists():
                return None  # it failed before; a build system would wait for the same failure at each link
            return probe_library(Mpi(library), {**environment, "AUTOANALYZER_CC": shlex.join(compiler)})
        except BuildError:
            return None


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of built libraries: ``AUTOANALYZER_CACHE``, else below the user's own cache folder.

    Where the user has no folder that can be written, a private one among the temporary files is taken, with a
    warning.

    Raises:
        BuildError: ``AUTOANALYZER_CACHE`` names a folder that cannot be made or written.
    """
    if chosen := environment.get("AUTOANALYZER_CACHE"):
        folder = Path(chosen).expanduser().absolute()
        if not _is_writable(folder):
            raise BuildError(f"AUTOANALYZER_CACHE={chosen} cannot be written: name another folder")
        return folder
    base = environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME") or "~").expanduser() / ".cache"
    folder = Path(base, "autoanalyzer").absolute()
    return folder if _is_writable(folder) else _private_folder(folder)


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _private_folder(unusable: Path) -> Path:
    folder = Path(tempfile.gettempdir(), f"autoanalyzer-{os.getuid()}")
    with suppress(OSError):
        folder.mkdir(mode=0o700)
    # What is preloaded into the user's programs must not come from where others can write.
    status = folder.lstat() if os.path.lexists(folder) else None
    if status is None or status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise BuildError(f"neither {unusable} nor {folder} can be written: set AUTOANALYZER_CACHE to a folder")
    warnings.warn(
        f"{unusable} cannot be written: the probe library is kept in {folder}, which other nodes may not see "
        "(AUTOANALYZER_CACHE names a better place)",
        stacklevel=3,
    )
    return folder


def _folder(cache: Path, library: MpiLibrary | None) -> Path:
    return cache / f"probe-{_key(library)}"


def _log(cache: Path, library: MpiLibrary | None) -> Path:
    return _folder(cache, library).with_suffix(".log")


def _key(library: MpiLibrary | None) -> str:
    """What the result depends on: our sources and the MPI library's file. No compiler is run to find it."""
    digest = hashlib.sha256()
    for path in (*sorted(_SOURCES.glob("*.[ch]")), _ROOM / "wrappers.py", _ROOM / "byte_rules.py"):
        digest.update(path.read_bytes())
    digest.update(repr(_FLAGS).encode())
    if library:
        status = library.path.stat()
        digest.update(f"{library.path} {library.soname} {status.st_size} {status.st_mtime_ns}".encode())
    return digest.hexdigest()[:20]


@contextmanager
def _locked(cache: Path) -> Iterator[None]:
    """Let one process at a time build. A file system without locks only costs a second build."""
    try:
        with (cache / "lock").open("w") as lock:
            with suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise BuildError(f"{cache}: {error.strerror}: set AUTOANALYZER_CACHE to a folder with space") from None


def _build(mpi: Mpi, folder: Path, environment: Mapping[str, str]) -> None:
    """Build in a folder beside the final one, which then appears at once and whole."""
    compiler = _compiler(mpi, environment)
    with tempfile.TemporaryDirectory(prefix="build-", dir=folder.parent) as name:
        work = Path(name)
        log = _log(folder.parent, mpi.library)
        if mpi.library:
            _generate(compiler, mpi.library, work, log, environment)
        _run([*compiler, *_arguments(mpi.library, work)], log, environment)
        folder.mkdir(exist_ok=True)
        (work / LIBRARY).replace(folder / LIBRARY)
        log.unlink(missing_ok=True)


def _compiler(mpi: Mpi, environment: Mapping[str, str]) -> tuple[str, ...]:
    if mpi.library is None:
        for name in (environment.get("AUTOANALYZER_CC", ""), "cc", "gcc", "clang"):
            if name and (path := shutil.which(name, path=environment.get("PATH"))):
                return (path,)
        raise BuildError("a C compiler wanted to build the probe library, found none on PATH: install gcc")
    found = []
    for compiler in mpi_compilers(environment, launcher=mpi.launcher, library=mpi.library):
        if compiler.library.path == mpi.library.path:
            return compiler.command
        found.append(compiler.command[0])
    raise BuildError(
        f"an MPI compiler that links {mpi.library.path} wanted to build the probe library, found "
        f"{', '.join(found) or 'none'}: set AUTOANALYZER_CC to it"
    )


def _generate(
    compiler: Sequence[str], library: MpiLibrary, work: Path, log: Path, environment: Mapping[str, str]
) -> None:
    """Write the wrappers for this MPI library's own header."""
    header = work / "header.c"
    header.write_text("#include <mpi.h>\n")
    prototypes = read_prototypes(_run([*compiler, "-E", str(header)], log, environment))
    header.unlink()
    (work / "mpi_functions.h").write_text(function_list(prototypes))
    (work / "mpi_wrappers.c").write_text(wrapper_text(prototypes))


def _arguments(library: MpiLibrary | None, work: Path) -> list[str]:
    sources = sorted(path for path in _SOURCES.glob("*.c") if library or not path.name.startswith("mpi_"))
    defines = [f'-DAA_PROBE_FILE="{LIBRARY}"']
    if library:
        sources.append(work / "mpi_wrappers.c")
        defines.append(f'-DAA_MPI_SONAME="{library.soname}"')
    paths = [str(path) for path in sources]
    return [*_FLAGS, *defines, f"-I{_SOURCES}", f"-I{work}", *paths, "-o", str(work / LIBRARY), "-ldl", "-lpthread"]


def _run(command: Sequence[str], log: Path, environment: Mapping[str, str]) -> str:
    """Run a compiler; what a failing one says is kept."""
    run = subprocess.run(
        command,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if run.returncode != 0:
        log.write_text(f"{' '.join(command)}\n{run.stderr}")
        raise BuildError(f"{command[0]} cannot build the probe library: see {log}, or set AUTOANALYZER_CC")
    return run.stdout
