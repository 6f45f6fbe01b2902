"""Change sources at random, and check the front ends' guarantees on the results.

For any source, the front end finishes quickly, and either returns a text or raises ``SourceError``. If the compiler
accepts a source, it also accepts the source with probes. The sources are those in the tests. Every mutation has a
number, and ``--first`` with that number repeats the mutation.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path
from typing import Final

from fuzz_languages import LANGUAGES, Language
from mutations import Mutant, mutant
from trials import Trials

from autoanalyzer.errors import SourceError
from autoanalyzer.experiment.plan.mode import MODES
from autoanalyzer.instrument.choice import Choice
from autoanalyzer.instrument.compiler import CompilerCommand
from autoanalyzer.instrument.front_end import front_end

SECONDS: Final = 5  # seconds of CPU time; a source in the tests takes milliseconds
COMPILED: Final = 8  # of the mutants that the compiler accepts, one in this many is compiled completely


class Workshop:
    """A folder in which mutants are tried, counts of the outcomes, and messages about mutants that were refused."""

    def __init__(self, folder: Path, language: Language, outcomes: Counter[str]) -> None:
        self.folder = folder
        self.language = language
        self.outcomes = outcomes
        self.refusals: list[str] = []

    def trouble(self, case: Mutant) -> str:
        """Add probes to a mutant and compile it; return what went wrong, or an empty string."""
        compiler = self.language.compilers[case.number % len(self.language.compilers)]
        command = CompilerCommand([*compiler, *case.flags, case.name])
        choice = Choice(MODES) if case.number % 2 else Choice()
        reason = ""
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            text = (
                front_end(command, command.sources[0], choice)
                .instrument(command.sources[0], case.text.encode("latin-1"))
                .text
            )
        except SourceError as error:
            text, reason = b"", error.message
        except Exception:
            return traceback.format_exc()
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        accepted = not self._messages("plain", compiler, case, case.text.encode("latin-1"), "-fsyntax-only")
        self.outcomes["accepted by the compiler" if accepted else "rejected by the compiler"] += 1
        if reason and accepted:
            self.refusals.append(f"mutation {case.number} is refused only by the front end: {reason}")
        if reason or not accepted:
            return ""
        compiles = self.outcomes["accepted by the compiler"] % COMPILED == 0
        return self._messages("probed", compiler, case, text, *(("-c", "-O1") if compiles else ("-fsyntax-only",)))

    def _messages(self, folder: str, compiler: tuple[str, ...], case: Mutant, text: bytes, *words: str) -> str:
        """Compile a text; return the compiler's messages if it rejects the text, otherwise an empty string."""
        place = self.folder / folder
        place.mkdir(exist_ok=True)
        (place / case.name).write_bytes(text)
        command = [*compiler, "-w", *case.flags, *words, case.name]
        done = subprocess.run(command, cwd=place, capture_output=True, check=False, timeout=60)
        return done.stderr.decode("utf-8", "replace") or "failed" if done.returncode else ""


def main() -> int:
    """Try the requested number of mutations; return 1 if one showed an error, otherwise 0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--language", choices=LANGUAGES, default="fortran", help="(default: %(default)s)")
    trials = Trials(parser)
    signal.signal(signal.SIGPROF, _hang)
    language = LANGUAGES[trials.options.language]
    corpus = language.sources()
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(Path(folder), language, trials.outcomes)
        for number in trials:
            case = mutant(number, corpus)
            if trouble := workshop.trouble(case):
                made_of = f"from {case.origin}, {' '.join(case.flags)}"
                trials.failed(number, f"{made_of}\n{trouble}", case.name, case.text.encode("latin-1"))
    sys.stdout.writelines(f"{refusal}\n" for refusal in workshop.refusals)
    return trials.end()


def _hang(*_: object) -> None:
    raise TimeoutError(f"did not end within {SECONDS} s")


if __name__ == "__main__":
    sys.exit(main())
