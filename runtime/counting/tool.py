"""Build the counting tool for Valgrind on first use, from Valgrind's headers and libraries, and cache it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...errors import BuildError
from ..c_compiler import c_compilers, compiled
from ..cache import built_in, cache_folder, kept, locked, note_use

__all__ = ["TOOL", "Valgrind", "counting_tool", "find_valgrind"]

TOOL: Final = "rtcount"

_ROOM: Final = Path(__file__).parents[1]
_SOURCES: Final = _ROOM / "rtcount"
_REQUESTS: Final = _ROOM / "probe" / "counter_requests.h"
# Options for a tool: no C library, its own entry point, an address that no program uses. Vectorising is off, because
# the processor stalls if it reads two counts as one vector just after they were written separately.
_COMPILE: Final = (
    "-O2 -g0 -std=gnu11 -fno-stack-protector -fno-strict-aliasing -fno-builtin -fno-pie -fno-tree-slp-vectorize"
)
_LINK: Final = "-static -nodefaultlibs -nostartfiles -u _start -no-pie -Wl,--build-id=none"
_WAY_OUT: Final = (
    "install the valgrind package of your distribution with its headers, or choose other counters with --counters"
)


@dataclass(frozen=True, slots=True)
class Valgrind:
    """An installed Valgrind for which tools can be built.

    Attributes:
        program: The ``valgrind`` program, which starts a tool.
        headers: The folder of ``pub_tool_*.h``.
        libraries: The folder of ``libcoregrind-PLATFORM.a`` and similar archives.
        tools: The folder of Valgrind's tools and of the libraries that it preloads.
        platform: For example ``amd64-linux``.
        address: The address at which tools are loaded, in the linker's notation.
    """

    program: Path
    headers: Path
    libraries: Path
    tools: Path
    platform: str
    address: str

    @property
    def archives(self) -> tuple[Path, ...]:
        """The static libraries that are linked into a tool."""
        names = ("coregrind", "vex", "gcc-sup")
        return tuple(self.libraries / f"lib{name}-{self.platform}.a" for name in names)


def find_valgrind(environment: Mapping[str, str] = os.environ) -> Valgrind:
    """Find Valgrind and the files from which tools are built.

    Raises:
        BuildError: Valgrind, its headers or its libraries are not installed.
    """
    program = shutil.which("valgrind", path=environment.get("PATH"))
    if program is None:
        raise BuildError(f"simulating counts needs valgrind, which is not on PATH; {_WAY_OUT}")
    found = ""
    for description in _descriptions(Path(program), environment):
        valgrind = _described(Path(program), description)
        missing = _missing(valgrind)
        if missing is None:
            return valgrind
        found = found or f"{description} without {missing}"
    raise BuildError(f"expected valgrind.pc, headers and libraries of {program}, found {found or 'none'}; {_WAY_OUT}")


def _descriptions(program: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield pkg-config files of installed Valgrinds, beginning with the file of ``program``."""
    chosen = [Path(folder) for folder in environment.get("PKG_CONFIG_PATH", "").split(":") if folder]
    prefixes = dict.fromkeys([program.resolve().parents[1], Path("/usr"), Path("/usr/local")])
    places = ("lib*/pkgconfig", "lib*/*/pkgconfig", "share/pkgconfig")
    below = [folder for prefix in prefixes for place in places for folder in sorted(prefix.glob(place))]
    for folder in dict.fromkeys([*chosen, *below]):
        if (folder / "valgrind.pc").is_file():
            yield folder / "valgrind.pc"


def _described(program: Path, description: Path) -> Valgrind:
    values: dict[str, str] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", description.read_text(), re.MULTILINE):
        values[name] = re.sub(r"\$\{(\w+)\}", lambda match: values.get(match[1], ""), value.strip())
    prefix, libraries = Path(values.get("prefix", "/usr")), Path(values.get("libdir", "/usr/lib"), "valgrind")
    platform = values.get("platform", "")
    places = (prefix / "libexec" / "valgrind", libraries, prefix / "lib" / "valgrind")
    tools = next((place for place in places if (place / f"none-{platform}").exists()), places[0])
    headers = Path(values.get("includedir", "/usr/include/valgrind"))
    return Valgrind(program, headers, libraries, tools, platform, values.get("valt_load_address", ""))


def _missing(valgrind: Valgrind) -> Path | None:
    needed = (valgrind.headers / "pub_tool_tooliface.h", *valgrind.archives, valgrind.tools)
    return next((path for path in needed if not path.exists()), None)


def counting_tool(
    environment: Mapping[str, str] = os.environ, *, say: Callable[[str], object] | None = None
) -> tuple[Valgrind, Path]:
    """Return Valgrind, and the folder of tools (``VALGRIND_LIB``) that contains the counting tool.

    The tool is built if the cache does not contain it. If several processes need it at the same time, one of them
    builds it.

    Args:
        environment: Variables that determine the compilers and the cache.
        say: Callback that shows the user a message before a longer wait.

    Raises:
        BuildError: Valgrind or a C compiler is missing, the compiler fails, or the cache cannot be written.
    """
    valgrind = find_valgrind(environment)
    name = f"rtcount-{_key(valgrind)}"
    if built := kept(name, environment):
        note_use(built)
        return valgrind, built
    cache = cache_folder(environment)
    folder = cache / name
    if not folder.exists():
        with locked(cache):
            if not folder.exists():
                if say:
                    say(f"building the counting tool for {valgrind.program}")
                _build(valgrind, folder, environment)
    return valgrind, built_in(cache, name)


def _key(valgrind: Valgrind) -> str:
    digest = hashlib.sha256()
    for path in (*sorted(_SOURCES.glob("*.[ch]")), _REQUESTS):
        digest.update(path.read_bytes())
    for path in (*valgrind.archives, valgrind.tools):
        status = path.stat()
        digest.update(f"{path} {status.st_size} {status.st_mtime_ns}".encode())
    digest.update(f"{_COMPILE} {_LINK}".encode())
    return digest.hexdigest()[:20]


def _build(valgrind: Valgrind, folder: Path, environment: Mapping[str, str]) -> None:
    """Build in a temporary folder beside ``folder``, which appears only when the build is complete."""
    with tempfile.TemporaryDirectory(prefix="build-", dir=folder.parent) as name:
        work = Path(name, "tools")
        work.mkdir(0o775)  # never world-writable, whatever the umask, so that files in it are loaded
        for tool in valgrind.tools.iterdir():
            (work / tool.name).symlink_to(tool)
        _compile(valgrind, work, folder.with_suffix(".log"), environment)
        built = work / f"{TOOL}-{valgrind.platform}"
        built.chmod(0o775 & built.stat().st_mode)
        work.rename(folder)


def _compile(valgrind: Valgrind, folder: Path, log: Path, environment: Mapping[str, str]) -> None:
    """Compile with the first compiler that succeeds.

    ``AUTOANALYZER_CC`` usually names an MPI compiler, which may link libraries that a Valgrind tool cannot use.
    """
    archives = [*map(str, valgrind.archives), "-lgcc"]
    arguments = [*_arguments(valgrind), "-o", str(folder / f"{TOOL}-{valgrind.platform}"), *archives]
    compilers = c_compilers(environment, "the counting tool")
    failures = ""
    for compiler in compilers:
        command = [*compiler, *arguments]
        run = compiled(command, environment)
        if run.returncode == 0:
            return
        failures += f"{' '.join(command)}\n{run.stderr}"
    log.write_text(failures)
    raise BuildError(
        f"{compilers[0][0]} cannot build the counting tool; see {log}, or set AUTOANALYZER_CC to another compiler"
    )


def _arguments(valgrind: Valgrind) -> list[str]:
    arch, _, system = valgrind.platform.partition("-")
    platform = f"{arch}_{system}"
    defines = [f"VGA_{arch}", f"VGO_{system}", f"VGP_{platform}", f"VGPV_{platform}_vanilla"]
    return [
        *_COMPILE.split(),
        *(f"-D{define}=1" for define in defines),
        *(f"-I{folder}" for folder in (valgrind.headers, _REQUESTS.parent)),
        *map(str, sorted(_SOURCES.glob("*.c"))),
        *_LINK.split(),
        f"-Wl,-Ttext-segment={valgrind.address}",
    ]
