"""Cache the result of a compile for the next compile with the same content."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ..atomic_file import replacing
from ..compiler_records import recording
from ..digests import digest, text_of
from ..errors import InputError
from .compiler import Argument, CompilerCommand, Role
from .compiler_calls import Finished
from .dependencies import dependency_file
from .expression import expression
from .fortran_modules import included_files, module_files_read, modules_written
from .included_files import IncludedFiles
from .known_compile import Inputs, note_compile
from .store import joined, open_store, parts_of
from .tool_fingerprint import fingerprint
from .toolchain import Toolchain

__all__ = ["KeptCompile", "is_plain"]

_FORMAT: Final = "2"
# Options that affect only the object and neither read nor write other files.
_PLAIN_OPTION: Final = expression(
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
_FILES: Final = expression(rb'^# \d+ "([^"\n]+)"(?![ \d]* 3)', re.M)  # except system headers, which have no regions


class KeptCompile:
    """A compilation of one source to one object that reads and writes only known files.

    The key of the cached result contains everything that determines it: the preprocessed text, the source, the command,
    the working directory, the compiler's programs, the variables that the compiler reads, our own code, and for Fortran
    the modules and included files. Dependency files are not cached; the preprocessor writes them again.

    Args:
        command: The user's command.
        texts: The preprocessed sources, with the preprocessor's messages.
        dependency_words: The preprocessor's options for dependency files.
        since: Time of the preprocessor's call in nanoseconds, by the kernel's clock for files.
    """

    def __init__(
        self, command: CompilerCommand, texts: list[Finished], dependency_words: list[str], *, since: int
    ) -> None:
        self._command = command
        self._texts = texts
        self._dependency_words = dependency_words
        self._since = since
        self._store = open_store()
        self._modules: list[str] | None = []
        self._toolchain: Toolchain | None = None
        self._key: str | None = None
        self._is_kept = False
        self._state = (0, 0)
        one = len(texts) == 1 and "-c" in command.of(Role.COMPILE)
        if self._store.keeps and one and all(map(is_plain, command.arguments)):
            with suppress(OSError):
                self._state = _state(command)
                self._key = self._make_key(texts[0])

    def again(self) -> tuple[bytes, list[str]] | None:
        """Write the files of an earlier identical compilation; return the messages of the compiler and of the wrapper.

        None if there was no such compilation.
        """
        content = self._store.get(self._key) if self._key else None
        if content is None:
            return None
        try:
            messages, remarks, *files = parts_of(content)
            for path, text in zip(self._outputs(), files, strict=True):
                _write(path, text)
        except (InputError, OSError, ValueError):
            return None
        self._is_kept = True
        return messages, os.fsdecode(remarks).split("\0") if remarks else []

    def keep(self, messages: bytes, warnings: list[str]) -> None:
        """Cache the files and messages of a compile, unless the source was changed in the meantime."""
        with suppress(OSError):
            if not self._key or self._state != _state(self._command):
                return
            files = [path.read_bytes() for path in self._outputs()]
            self._store.put(self._key, joined([messages, os.fsencode("\0".join(warnings)), *files]))
            self._is_kept = True

    def note(self) -> None:
        """Record the inputs of this compile, so that the next compile need not call the preprocessor."""
        source = self._command.sources[0]
        dependencies = dependency_file(self._dependency_words)
        if not (self._is_kept and self._key and self._toolchain) or source.is_fortran or dependencies is None:
            return
        if recording() or (dependencies and not Path(dependencies).is_file()):
            return
        with suppress(OSError, ValueError):
            system = self._toolchain.directories
            read = IncludedFiles(self._command, source, self._texts[0].output, system, self._since)
            files = [*read.names, *_parsers(source)]
            inputs = Inputs(self._toolchain.programs, files, read.present, read.absent)
            outputs = [str(path) for path in self._outputs()]
            note_compile(self._store, self._command.words, inputs, self._key, files=outputs, dependencies=dependencies)

    def _outputs(self) -> list[Path]:
        folder = self._command.module_folder
        return [*self._command.objects, *(folder / f"{name}.mod" for name in self._modules or [])]

    def _make_key(self, done: Finished) -> str | None:
        """Return the key of the cached result, or None if an input is unknown or cannot be read."""
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
        self._toolchain = Toolchain(self._command.compiler, source.language_name)
        return digest(
            _FORMAT,
            done.output,
            done.messages,
            *(part for file in (Path(source.words[0]), *files) for part in (str(file), file.read_bytes())),
            *("\0".join(each.words) for each in self._command.arguments if each.role is not Role.OUTPUT),
            self._toolchain.identity,
            *fingerprint(self._command.words),
            *map(text_of, sorted({*map(os.fsdecode, _FILES.findall(done.output)), *_parsers(source)})),
        )


def _state(command: CompilerCommand) -> tuple[int, int]:
    status = Path(command.sources[0].words[0]).stat()
    return status.st_mtime_ns, status.st_size


def is_plain(argument: Argument) -> bool:
    """Return whether an argument lets a compile write only its object and messages, and read only known files."""
    word = argument.words[0]
    if argument.role is Role.COMPILE:
        return word in _PLAIN_STEPS or word.startswith(_LINKING)
    return argument.role in _PLAIN_ROLES or (argument.role is Role.BOTH and bool(_PLAIN_OPTION.match(word)))


def _parsers(source: Argument) -> list[str]:
    """Return files whose content identifies the releases of the parsers."""
    names = () if source.is_fortran else ("clang",) if source.is_cxx else ("clang", "pycparser")
    return [parser.origin for parser in map(find_spec, names) if parser and parser.origin]


def _write(path: Path, content: bytes) -> None:
    """Write a file; like compilers, keep the time of a module file whose content would not change."""
    if path.suffix == ".mod" and path.is_file() and path.read_bytes() == content:
        return
    with replacing(path) as stream:
        stream.write(content)
