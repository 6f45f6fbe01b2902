"""Carry out commands that link or have several sources, with each source compiled and cached separately."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from .build import Build
from .compiler import Argument, CompilerCommand, Role
from .compiler_calls import run
from .kept_compile import is_plain
from .store import open_store
from .workspace import Workspace, workspace

__all__ = ["carried_out"]

_LINKING: Final = ("-l", "-L", "-Wl,", "-flang-experimental-exec")
_BEFORE_SOURCES: Final = frozenset(Role) - {Role.SOURCE, Role.INPUT, Role.LANGUAGE, Role.OUTPUT}


def carried_out(command: CompilerCommand) -> int:
    """Carry out a command that has sources, and return the compiler's status."""
    with workspace() as work:
        if not _is_separable(command):
            return Build(command, work).run()
        objects = dict(_objects(command, work))
        parts = [CompilerCommand(_compile_words(command, *each)) for each in objects.items()]
        statuses = [
            Build(part, Workspace(work, f"for-{number}"), is_whole=False).run() for number, part in enumerate(parts)
        ]
        if any(statuses) or not command.links:
            return max(statuses)
        return _linked(command, objects)


def _linked(command: CompilerCommand, objects: dict[Argument, Path]) -> int:
    """Link the objects; return the status. If linking fails, the messages of the untouched command are shown."""
    linked = run(_link_words(command, objects), messages=True)
    if linked.status == 0:
        sys.stderr.buffer.write(linked.messages)
        return 0
    status = run([*command.words, *command.quiet]).status  # the separate compiles have already printed the warnings
    if status == 0:
        names = ", ".join(source.words[0] for source in command.sources)
        reason = linked.reason("the instrumented object files cannot be linked")
        sys.stderr.write(f"autoanalyzer: {names}: not instrumented: {reason}; compiled unchanged\n")
    return status


def _is_separable(command: CompilerCommand) -> bool:
    """Return whether separate compiles have the same result as the command, and can be cached."""
    several = len(command.sources) > 1 and not command.of(Role.OUTPUT)
    if not (command.links or several) or not open_store().keeps or command.of(Role.DEPENDENCY):
        return False
    # If Fortran is linked with link-time optimisation, the link gets the probes as an object.
    lto = any(option.startswith("-flto") for option in command.of(Role.BOTH))
    if lto and command.has_fortran:
        return False
    inputs = [each for each in command.arguments if each.role is Role.INPUT]
    others = (each for each in command.arguments if each.role is not Role.INPUT)
    return not any(each.language for each in inputs) and all(map(is_plain, others))


def _objects(command: CompilerCommand, work: Workspace) -> Iterator[tuple[Argument, Path]]:
    """Yield each source with the path for its object."""
    for number, source in enumerate(command.sources):
        yield (
            source,
            work.folder / f"{Path(source.words[0]).stem}-{number}.o" if command.links else command.objects[number],
        )


def _compile_words(command: CompilerCommand, source: Argument, path: Path) -> list[str]:
    """Return the command that compiles one source to the object ``path``."""
    given = [each for each in command.arguments if each.role in _BEFORE_SOURCES]
    options = [word for each in given if not each.words[0].startswith(_LINKING) for word in each.words]
    language = ["-x", source.language] if source.language else []
    return [*command.compiler, *options, *(["-c"] if command.links else []), *language, *source.words, "-o", str(path)]


def _link_words(command: CompilerCommand, objects: dict[Argument, Path]) -> list[str]:
    """Return the command that links the objects in place of their sources."""
    words = list(command.compiler)
    for each in command.arguments:
        if each.role is not Role.LANGUAGE:
            words += [str(objects[each])] if each in objects else each.words
    return words
