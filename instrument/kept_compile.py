"""The outcome of a compile, kept for the next one of the same content."""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from ..atomic_file import replacing
from ..errors import InputError
from .compiler import Argument, CompilerCommand, Role
from .compiler_calls import Finished
from .fortran_modules import included_files, module_files_read, modules_written
from .plan_file import text_of
from .store import digest, open_store
from .tool_fingerprint import own_fingerprint
from .toolchain import Toolchain, compiler_environment

__all__ = ["KeptCompile"]

_FORMAT: Final = "1"
# Options of which nothing but the object depends; what writes or reads further files is not among them.
_PLAIN_OPTION: Final = re.compile(
    r"--?(?:O|g(?!split|z=)|std=|ansi$|pedantic|w$|W(?![apl],)|pthread$|param$|m(?!llvm)|\w+=\d+$"
    r"|f\w+-prefix-map=|f(?!profile|auto-profile|branch|test-cov|plugin|dump|save|stack-usage|callgraph|opt-info|module"
    r"|intrinsic-modules|time|record|diagnostics-f|xray|cs-|memory-profile|proc-stat|sanitize-\w+list)[^/.]*$)"
)
_PLAIN_ROLES: Final = frozenset(
    [Role.SOURCE, Role.OUTPUT, Role.PREPROCESS, Role.DEPENDENCY, Role.LANGUAGE, Role.MODULES, Role.CPP]
)
_PLAIN_STEPS: Final = frozenset(["-c", "-pipe", "-static", "-shared", "-static-libgcc", "-rdynamic", "-pie", "-no-pie"])
_LINKING: Final = ("-l", "-L", "-Wl,")
_READS_MORE: Final = (b".incbin", b"pch_preprocess")
_FILES: Final = re.compile(rb'^# \d+ "([^"\n]+)"(?![ \d]* 3)', re.M)  # but for system headers, which have no regions
_CPUINFO: Final = Path("/proc/cpuinfo")
_CPU_LINES: Final = ("vendor", "cpu family", "model", "stepping", "flags", "CPU ", "Features")


class KeptCompile:
    """One source compiled to one object, where nothing else is read or written that is not known.

    The key holds all that the outcome follows from: the text behind the preprocessor, the source, the command, the
    working directory, the compiler's programs, the variables that it looks at, our own code, and for Fortran the
    modules and included files. Dependency files are not kept, but written anew by the preprocessor.

    Args:
        command: The user's command.
        texts: Its sources as the preprocessor has written them, with its messages.
    """

    def __init__(self, command: CompilerCommand, texts: list[Finished]) -> None:
        self._command = command
        self._store = open_store()
        self._modules: list[str] | None = []
        self._key: str | None = None
        self._state = (0, 0)
        one = len(texts) == 1 and "-c" in command.of(Role.COMPILE)
        if self._store.keeps and one and all(map(_is_plain, command.arguments)):
            with suppress(OSError):
                self._state = _state(command)
                self._key = self._make_key(texts[0])

    def again(self) -> tuple[bytes, list[str]] | None:
        """Write the files of an earlier compile; give what the compiler and we said, None if there was no such."""
        content = self._store.get(self._key) if self._key else None
        if content is None:
            return None
        head, _, files = content.partition(b"\n")
        facts = json.loads(head)
        try:
            for path, size in zip(self._outputs(), facts["sizes"], strict=True):
                _write(path, files[:size])
                files = files[size:]
        except (InputError, OSError, ValueError):
            return None
        return os.fsencode(facts["messages"]), facts["warnings"]

    def keep(self, messages: bytes, warnings: list[str]) -> None:
        """Keep what a compile has written and said, unless the source was written meanwhile."""
        with suppress(OSError):
            if not self._key or self._state != _state(self._command):
                return
            files = [path.read_bytes() for path in self._outputs()]
            facts = {"sizes": [*map(len, files)], "messages": os.fsdecode(messages), "warnings": warnings}
            self._store.put(self._key, b"\n".join([json.dumps(facts).encode(), b"".join(files)]))

    def _outputs(self) -> list[Path]:
        folder = self._command.module_folder
        return [*self._command.objects, *(folder / f"{name}.mod" for name in self._modules or [])]

    def _make_key(self, done: Finished) -> str | None:
        """Make the key; None if something is not known or cannot be read."""
        source = self._command.sources[0]
        (path,) = self._command.objects
        if any(each in done.output for each in _READS_MORE) or (path.exists() and not path.is_file()):
            return None
        files: list[Path] = []
        if source.is_fortran:
            included = list(included_files(self._command, done.output, source.words[0]))
            text = b"\n".join([done.output, *(each.read_bytes() for each in included)])
            self._modules = modules_written(text)
            if self._modules is None or self._command.of(Role.DEPENDENCY):
                return None
            read = module_files_read(self._command, text)
            files = [*included, *(each for each in read if each.stem not in self._modules)]
        return digest(
            _FORMAT,
            done.output,
            done.messages,
            *(part for file in (Path(source.words[0]), *files) for part in (str(file), file.read_bytes())),
            *("\0".join(argument.words) for argument in self._command.arguments),
            str(Path.cwd()),
            Toolchain(self._command.compiler, source.language_name).identity,
            *compiler_environment(),
            *own_fingerprint(source),
            *map(text_of, sorted({*map(os.fsdecode, _FILES.findall(done.output))})),
            *(_processor() if any(word.endswith("=native") for word in self._command.words) else []),
            str(sys.stderr.isatty()),
        )


def _state(command: CompilerCommand) -> tuple[int, int]:
    status = Path(command.sources[0].words[0]).stat()
    return status.st_mtime_ns, status.st_size


def _is_plain(argument: Argument) -> bool:
    """Tell whether an argument lets a compile write its object and messages alone, and read nothing unknown."""
    word = argument.words[0]
    if argument.role is Role.COMPILE:
        return word in _PLAIN_STEPS or word.startswith(_LINKING)
    return argument.role in _PLAIN_ROLES or (argument.role is Role.BOTH and bool(_PLAIN_OPTION.match(word)))


def _processor() -> list[str]:
    """Say what ``-march=native`` stands for."""
    lines = _CPUINFO.read_text(errors="replace").partition("\n\n")[0].splitlines()
    return [line for line in lines if line.startswith(_CPU_LINES)]


def _write(path: Path, content: bytes) -> None:
    """Write a file that has another content; one that has not keeps its time, as compilers leave module files."""
    if path.suffix == ".mod" and path.is_file() and path.read_bytes() == content:
        return
    with replacing(path) as stream:
        stream.write(content)
