"""Carry out one compiler command: preprocess, insert probes and compile; if this fails, compile without probes."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import InputError, SourceError
from .compiler import Argument, CompilerCommand, Role
from .compiler_calls import Finished, compile_words, module_calls, run, untouched_words
from .expression import expression
from .fortran_modules import writes_modules
from .kept_compile import KeptCompile
from .size import growth
from .source_text import SourceTexts
from .toolchain import Toolchain
from .workspace import Workspace

if TYPE_CHECKING:
    from .fortran_stub import FortranStub
    from .front_end import FrontEnd
    from .merged_stub import MergedStub

__all__ = ["Build"]

_HEADLINE: Final = expression(rb"^(?:[^\s|.][^\n]*:\d+[:,]|Warning: |Error: )[^\n]*$", re.M)
_OTHER_PROFILE: Final = b"coverage-mismatch]"  # ends GNU's message that a profile does not match, by default an error
_LACKS_PROFILE: Final = b"missing-profile]"
_NO_MISMATCH: Final = ("-Wno-coverage-mismatch",)
_NO_LACK: Final = "-Wno-missing-profile"
_LARGE_FUNCTION: Final = 2700  # GNU's default for --param large-function-insns
_MARK: Final = b"$autoanalyzer"  # start of a comment with which the user marks a region
_FILE_CLOCK: Final = 5  # CLOCK_REALTIME_COARSE, the kernel's clock for file times


class Build:
    """Carries out a compiler command that has sources.

    Args:
        command: The user's command, or a part of it.
        work: The folder for temporary files.
        is_whole: Whether ``command`` is the user's whole command.

    Attributes:
        instrumented: Source → path of its instrumented text, for the sources that have one.
        warnings: Our warnings, printed if the compiler succeeds.
        said: The compiler's messages that were printed; None if the compiler itself printed some on a terminal.
    """

    def __init__(self, command: CompilerCommand, work: Workspace, *, is_whole: bool = True) -> None:
        self.command = command
        self._work = work
        self._is_whole = is_whole
        self.instrumented: dict[Argument, str] = {}
        self.warnings: list[str] = []
        self.said: bytes | None = b""
        self._assembly: list[str] = []
        self._merged: MergedStub | None = None  # used if the Fortran compiler does not accept the stub as assembly
        self._is_lasting = True  # whether an identical command would give the same result
        self._growth = 0.0  # the largest growth of a source's code because of probes, as a fraction of the code

    def run(self) -> int:
        """Compile, and return the compiler's status."""
        since = time.clock_gettime_ns(_FILE_CLOCK)
        reader = SourceTexts(self.command, compiles=True)
        texts = self._read(reader)
        if texts[-1].status:
            self._as_it_is(self.command.sources, texts[-1].reason("the preprocessor rejects it"))
            return self._ended(self._compile(self.command.words, recorded=True))
        kept = KeptCompile(self.command, texts, reader.dependency_words(self.command.sources[0]), since=since)
        again = kept.again()
        if again:
            messages, self.warnings = again
            self._hear(messages)
        status = 0 if again else self._run(texts, self._work)
        if status == 0 and not again and self.said is not None and self._is_lasting:
            kept.keep(self.said, self.warnings)
        if status == 0 and self._is_whole:
            kept.note()
        return self._ended(status)

    def _read(self, texts: SourceTexts) -> list[Finished]:
        """Return the preprocessed sources, up to the first one that the preprocessor rejects."""
        found = []
        for source in self.command.sources:
            found.append(texts.read(source))
            if found[-1].status:
                break
        return found

    def _run(self, texts: list[Finished], work: Workspace) -> int:
        stub = self._stub(work.folder)
        self._instrument(texts, work.folder)
        extra = self._join(stub) if stub else []
        if not self.instrumented or (self._writes_modules() and self._write_modules(work.folder)):
            return self._compile(self.command.words)
        if self.command.writes_besides and (status := self._compile(self.command.words)):
            return status
        modules = work.named()
        words = [*compile_words(self.command, self.instrumented, self._room), *extra]
        if self._fortran:
            words += [self.command.fortran.modules, modules, *self.command.rewrapped]
        compiled = run(words, messages=True)
        heard = b"".join([*(each.messages for each in texts), compiled.messages])
        if compiled.status == 0 and (not heard or self._check_says(heard)):
            return self._merge()
        again = partial(run, [*words, *self.command.quiet], messages=True)
        return self._ended_as_untouched(compiled, heard, again, work.folder / "untouched")

    def _ended_as_untouched(self, compiled: Finished, heard: bytes, again: Callable[[], Finished], folder: Path) -> int:
        """Print the messages of the untouched command (the user's, without probes), and return the exit status.

        The messages of the compile with probes are not shown, because probes affect flow analysis, and preprocessing
        affects messages about macros.

        Args:
            compiled: The result of the compile with probes.
            heard: Messages of the compiler and the preprocessor in this compile.
            again: Compiles the text with probes once more, without warnings.
            folder: The folder for the outputs of the untouched command.
        """
        if _OTHER_PROFILE in heard:
            self._as_it_is(self.instrumented, "the profile was recorded by a program without these probes")
            return self._compile(self.command.words)
        # The compiler finds the profile by the object's name, so the untouched command must write to the same object.
        rewritten = _LACKS_PROFILE in heard
        if rewritten:
            status = self._compile([*self.command.words, *self._with_any_profile])
        else:
            status = 0 if self.command.writes_besides else self._untouched(folder)
        if status:
            return status
        if (compiled.status or rewritten) and again().status:
            self._as_it_is(self.instrumented, compiled.reason("the instrumented text does not compile"))
            return self._compile_silently()
        return self._merge()

    @property
    def _with_any_profile(self) -> tuple[str, ...]:
        """Options that silence warnings about profiles written by a program with probes."""
        return _NO_MISMATCH if self.command.reads_profile and self._is_gnu else ()

    @property
    def _room(self) -> tuple[str, ...]:
        """Options that raise the size limit of large functions, so that probes do not prevent inlining into them."""
        if not self._growth or not self._is_gnu:
            return ()
        return "--param", f"large-function-insns={round(_LARGE_FUNCTION * (1 + self._growth))}"

    @property
    def _is_gnu(self) -> bool:
        return Toolchain(self.command.compiler, self.command.sources[0].language_name).is_gnu

    @property
    def _fortran(self) -> dict[Argument, str]:
        """Fortran source → the file with its instrumented text, for the sources that have one."""
        return {source: path for source, path in self.instrumented.items() if source.is_fortran}

    def _merge(self) -> int:
        """Merge a stub into the compiled objects if necessary, and return the exit status.

        If merging fails, the command is compiled again without probes.
        """
        objects = self.command.objects
        paths = [path for source, path in zip(self.command.sources, objects, strict=False) if source in self._fortran]
        reason = self._merged.put_into(paths) if self._merged and paths else ""
        if not reason:
            return 0
        self._as_it_is(self.instrumented, reason)
        return self._compile_silently()

    def _check_says(self, heard: bytes) -> bool:
        """Let the compiler check the untouched sources, and print its messages if they equal those of the compile.

        A check takes only a fraction of a compile's time, but it omits the warnings that depend on optimisation. If
        these are enabled, no check is made.

        Args:
            heard: The messages of the compile with probes.

        Returns:
            Whether the messages are equal, and were printed.
        """
        if sys.stderr.isatty() or self.command.writes_besides or self.command.warns_by_optimising:
            return False
        if self.command.has_fortran and not self.command.fortran.reads_assembly:
            return False  # LLVM's compiler would warn about -c, and other compilers' options for a check are unknown
        checks = [run([*words, "-fsyntax-only"], messages=True) for words in untouched_words(self.command)]
        said = b"".join(check.messages for check in checks)
        if any(check.status for check in checks) or _headlines(said) != _headlines(heard):
            return False
        self._hear(said)
        return True

    def _hear(self, messages: bytes) -> None:
        sys.stderr.buffer.write(messages)
        sys.stderr.flush()
        self.said = None if self.said is None else self.said + messages

    def _compile(self, words: list[str], *, recorded: bool = False) -> int:
        """Run the compiler, show its messages (on a terminal, it prints them itself), and return its status."""
        terminal = sys.stderr.isatty()
        done = run(words, messages=not terminal, recorded=recorded)
        if terminal:
            self.said = None
        self._hear(done.messages)
        return done.status

    def _compile_silently(self) -> int:
        """Run the untouched command, whose warnings were printed before, and return its status; errors are printed."""
        done = run(self.command.words, messages=True)
        if done.status:
            self._hear(done.messages)
        return done.status

    def _stub(self, folder: Path) -> FortranStub | MergedStub | None:
        if not self.command.has_fortran:
            return None
        if self.command.fortran.reads_assembly:
            from .fortran_stub import FortranStub  # noqa: PLC0415 - C builds need not load it

            return FortranStub(self.command, folder)
        from .merged_stub import MergedStub  # noqa: PLC0415

        self._merged = MergedStub(self.command, folder)
        return self._merged

    def _instrument(self, texts: list[Finished], folder: Path) -> None:
        """Write the instrumented text of each source to a file."""
        from .front_end import front_end  # noqa: PLC0415 - a repeated compile needs no front end

        sources = self.command.sources
        kinds = {(source.is_fortran, source.is_cxx): source for source in sources}
        front_ends = {kind: front_end(self.command, source) for kind, source in kinds.items()}
        for number, (source, text) in enumerate(zip(sources, texts, strict=True)):
            language = front_ends[source.is_fortran, source.is_cxx]
            if self.command.loses_comments(source) and _MARK in Path(source.words[0]).read_bytes().lower():
                self.warnings.append(f"{source.words[0]}: the preprocessor drops its !$autoanalyzer lines")
            # Sources may share a base name, which determines the names of outputs, so each has its own folder.
            path = folder / str(number) / f"{Path(source.words[0]).stem}{language.suffix(source)}"
            self._instrument_one(source, text.output, language, path)

    def _instrument_one(self, source: Argument, text: bytes, language: FrontEnd, path: Path) -> None:
        try:
            result = language.instrument(source, text)
        except SourceError as error:
            place = f"{error.file}:{error.line}:{error.column}"
            line = _line(error)
            self.warnings.append(
                f"{place}: not instrumented: {error.message}; compiled unchanged" + (f"\n    {line}" if line else "")
            )
            return
        except Exception as error:  # a build must never fail because of the instrumentation
            self._is_lasting = False
            kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
            self._as_it_is([source], f"{kind}{error}")
            return
        self.warnings.extend(str(problem) for problem in result.found.problems)
        self.warnings.extend(result.found.remarks)
        for found in result.found.regions:
            if found.is_said:
                where = f"{found.region.file}:{found.region.first_line}"
                self.warnings.append(f"{where}: {found.region.name} is not instrumented: {found.reason}")
        if guards := sum(not found.reason for found in result.found.regions):
            if result.found.statements:
                self._growth = max(self._growth, growth(guards, result.found.statements))
            path.parent.mkdir()
            path.write_bytes(result.text)
            self.instrumented[source] = str(path)
            self._assembly += result.assembly

    def _join(self, stub: FortranStub | MergedStub) -> list[str]:
        """Return the words that add the stub to Fortran objects, or an empty list if the sources get no probes."""
        fortran = self._fortran
        problem = stub.problem()
        if problem and fortran:
            self._as_it_is(fortran, problem)
            self.instrumented = {source: path for source, path in self.instrumented.items() if source not in fortran}
        elif fortran:
            if stub.remark:
                self.warnings.append(f"{', '.join(source.words[0] for source in fortran)}: {stub.remark}")
            stub.add(self._assembly)
            renames = self.command.fortran.renames
            names = [f"{renames}={path}={source.words[0]}" for source, path in fortran.items()] if renames else []
            return [*stub.words, *names]
        return []

    def _writes_modules(self) -> bool:
        """Return whether compiling the Fortran sources may write modules or dependencies in addition to objects."""
        paths = [self.instrumented.get(source) for source in self.command.sources if source.is_fortran]
        depends = bool(paths and self.command.of(Role.DEPENDENCY))
        return depends or any(path is None or writes_modules(Path(path).read_bytes()) for path in paths)

    def _write_modules(self, folder: Path) -> int:
        """Let the untouched command write modules and dependencies, and return its status.

        A module file records which procedures are pure, which affects the optimisation of their callers, so probes must
        not change it. Dependencies include modules and INCLUDE lines, which the preprocessor does not see.
        """
        calls = module_calls(self.command, folder)
        hears = bool(self.command.of(Role.DEPENDENCY))  # dependencies may go to standard output
        return max(run(words, output=not hears, messages=True).status for words in calls)

    def _as_it_is(self, sources: Iterable[Argument], reason: str) -> None:
        names = ", ".join(source.words[0] for source in sources)
        self.warnings.append(f"{names}: not instrumented: {reason}; compiled unchanged")

    def _untouched(self, folder: Path) -> int:
        """Run the untouched command to show its messages, with outputs in ``folder``, and return its status."""
        folder.mkdir()
        quiet = [*self._with_any_profile, _NO_LACK] if self._with_any_profile else []
        for number, words in enumerate(untouched_words(self.command)):
            if status := self._compile([*words, *quiet, "-o", str(folder / str(number))]):
                return status
        return 0

    def _ended(self, status: int) -> int:
        """Print our warnings if the compiler succeeded, and return its status."""
        if status == 0:
            sys.stderr.writelines(f"autoanalyzer: {warning}\n" for warning in self.warnings)
        return status


def _headlines(messages: bytes) -> list[bytes]:
    """Return the lines that contain messages or locations, sorted; source lines below messages are left out."""
    return sorted(_HEADLINE.findall(messages))


def _line(error: SourceError) -> str:
    """Return the source line of an error, or an empty string if it cannot be read."""
    try:
        with Path(error.file).open("rb") as stream:
            line = next(islice(stream, error.line - 1, None), b"")
    except (OSError, ValueError):
        return ""
    return line.decode("utf-8", "replace").strip()
