"""Find the files that a preprocessor has read, and the missing files that it would read instead if they existed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Final

from ..digests import content_of
from .compiler import Argument, CompilerCommand, Role
from .expression import expression

__all__ = ["IncludedFiles"]

_FILE: Final = expression(rb'^# \d+ "((?:\\.|[^"\\\n])*)"', re.M)
_ESCAPE: Final = expression(rb"\\([0-7]{3}|.)")
_FOLDER_OPTIONS: Final = ("-I", "-iquote", "-isystem", "-idirafter")
# Options of the preprocessor that name no files, or only files that line markers in the text show.
_PLAIN: Final = ("-D", "-U", "-include", "-undef", "-trigraphs", "-H")
_CLOCKS: Final = (b"__DATE__", b"__TIME__", b"__TIMESTAMP__")
_ASKS: Final = expression(rb'__has_(?:include(?:_next)?|embed)\s*\(\s*(?:[<"]([^>"\n]+)[>"])?')


class IncludedFiles:
    """The files from which the preprocessor produced a text.

    Attributes:
        names: Files that were read.
        present: Existing files whose existence was tested.
        absent: Missing files that would be read, or found by a test, if they existed.

    Args:
        command: The user's command.
        source: The source in the command.
        text: The preprocessed source.
        system: The compiler's own folders, each with a trailing slash.
        since: Time of the preprocessor's call in nanoseconds, by the kernel's clock for files.

    Raises:
        ValueError: The files cannot be determined, or were written after ``since``.
        OSError: A file cannot be read.
    """

    def __init__(
        self, command: CompilerCommand, source: Argument, text: bytes, system: tuple[str, ...], since: int
    ) -> None:
        options = [each.words for each in command.arguments if each.role is Role.PREPROCESS]
        if not all(map(_is_plain, options)):
            raise ValueError("preprocessor options that may read more files, or depend on the time")
        self.names = list(dict.fromkeys([source.words[0], *_names(text)]))
        self.present: list[str] = []
        self._absent: dict[str, None] = {}
        self._system = system
        users = [name for name in self.names if not name.startswith(system)]
        given = [*map(_folder_of, filter(_is_folder_option, options)), *([""] if _includes(options) else [])]
        beside = [name.rpartition("/")[0] for name in users]
        self._folders = list(dict.fromkeys([*map(_closed, [*given, *beside]), *system]))
        self._look_into(since)
        for name in self.names[1:]:
            self._look_for(name)
        self._missed(f"{name}.gch" for name in users[1:])

    @property
    def absent(self) -> list[str]:
        """The files that would be read if they existed."""
        return list(self._absent)

    def _look_into(self, since: int) -> None:
        for name in self.names:
            status = os.stat(name)
            content = content_of(name)
            if max(status.st_mtime_ns, status.st_ctime_ns) >= since:
                raise ValueError("files that were written during the compilation")
            if any(clock in content for clock in _CLOCKS):
                raise ValueError("texts that may depend on the time")
            if b"__has_" in content:
                self._look_at_questions(content, of_system=name.startswith(self._system))

    def _look_at_questions(self, content: bytes, *, of_system: bool) -> None:
        """Record the files whose existence a system header tests with ``__has_include``.

        Raises:
            ValueError: The text is not a system header, so some of its tests might not be found.
        """
        for match in _ASKS.finditer(content):
            if not of_system:
                raise ValueError("texts that test whether files exist")
            for folder in self._folders if match[1] else ():
                path = folder + os.fsdecode(match[1])
                if os.path.exists(path):
                    self.present.append(path)
                else:
                    self._missed([path])

    def _look_for(self, name: str) -> None:
        """Record the other paths at which the preprocessor would find a file with the name of a file that it read."""
        around = [each for each in self._folders if name.startswith(each) and (each or name[0] != "/")]
        if name.startswith(self._system):
            around = [max(around, key=len)]
        for below in (name[len(each) :] for each in around):
            first = below.partition("/")[0]
            for folder in self._folders:
                if folder + first not in self._absent and folder + below != name:
                    self._missed([folder + (below if os.path.exists(folder + first) else first)])

    def _missed(self, paths: Iterable[str]) -> None:
        self._absent.update(dict.fromkeys(path for path in paths if not os.path.lexists(path)))


def _names(text: bytes) -> Iterator[str]:
    """Yield the file names in line markers, except names in angle brackets and the working folder."""
    for name in dict.fromkeys(_FILE.findall(text)):
        if name[:1] != b"<" and not name.endswith(b"//"):
            yield os.fsdecode(_ESCAPE.sub(_unescaped, name))


def _unescaped(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 8) & 0xFF]) if match[1].isdigit() else match[1]


def _is_plain(words: tuple[str, ...]) -> bool:
    known = words[0].startswith((*_FOLDER_OPTIONS, *_PLAIN)) and not words[0].startswith("-include-pch")
    return known and not any(clock in os.fsencode(word) for clock in _CLOCKS for word in words)


def _is_folder_option(words: tuple[str, ...]) -> bool:
    return words[0].startswith(_FOLDER_OPTIONS)


def _folder_of(words: tuple[str, ...]) -> str:
    option = next(each for each in _FOLDER_OPTIONS if words[0].startswith(each))
    return words[-1] if len(words) > 1 else words[0].removeprefix(option)


def _includes(options: list[tuple[str, ...]]) -> bool:
    return any(words[0].startswith("-include") for words in options)


def _closed(folder: str) -> str:
    """Return a folder with a trailing slash, or an empty string for the current folder."""
    return f"{folder.rstrip('/')}/" if folder else ""
