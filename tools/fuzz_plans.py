"""Insert probes according to random plans, and check that programs still behave in the same way.

A plan whose text is changed at random is either read, or refused in one line. For every plan that is read, each C and
Fortran source in the tests compiles and prints the same as before, and its probes nest. Every plan has a number, and
``--first`` with that number repeats it.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from mutations import constants
from trials import Trials

from autoanalyzer.errors import InputError
from autoanalyzer.experiment.plan import Exclude, Include, Merge, Pattern, Plan, Split, load_plan, save_plan
from autoanalyzer.experiment.plan.mode import MODES
from autoanalyzer.experiment.region import KINDS, Region
from autoanalyzer.instrument.choice import Choice
from autoanalyzer.instrument.compiler import CompilerCommand
from autoanalyzer.instrument.front_end import FORTRAN_STUB, FrontEnd, front_end
from autoanalyzer.instrument.source_text import SourceTexts

TESTS: Final = Path(__file__).parents[1] / "tests/instrument"
COMPILERS: Final = {".c": ("gcc", "-w", "-lm"), ".f90": ("gfortran", "-w", "-std=legacy")}
RUN: Final = 8  # programs are built and run for one in this many plans; otherwise, the compiler checks the text
TOKEN: Final = re.compile(r'\w+|"[^"\n]*"|[^\w\s]|\s+')
BROKEN: Final = re.compile(rb"^(?:mismatch|unmatched)", re.M)


@dataclass
class Program:
    """A source in the tests, with the exit status and output of its program if it compiles alone."""

    path: Path
    origin: str
    printed: tuple[int, bytes] = (0, b"")

    @property
    def compiler(self) -> tuple[str, ...]:
        """The compiler and its flags."""
        return COMPILERS[self.path.suffix]

    @cached_property
    def command(self) -> CompilerCommand:
        """The command that compiles the source."""
        return CompilerCommand([self.compiler[0], self.path.name])

    @cached_property
    def text(self) -> bytes:
        """The text that the compiler sees after preprocessing."""
        return SourceTexts(self.command).read(self.command.sources[0]).output

    def front_end(self, choice: Choice) -> FrontEnd:
        """Return the front end for the program's language."""
        return front_end(self.command, self.command.sources[0], choice)

    def build(self, name: str, *words: str) -> subprocess.CompletedProcess[bytes]:
        """Compile the file ``name`` with additional options; return the compiler's status and output."""
        compiler, *flags = self.compiler
        return subprocess.run([compiler, name, *words, *flags], capture_output=True, check=False, timeout=60)

    @cached_property
    def regions(self) -> list[Region]:
        """The program's regions in all modes; none if it does not compile, two runs differ, or a run takes too long."""
        if self.build(self.path.name, "-o", "program").returncode:
            return []
        try:
            self.printed = self.run()
            if self.printed != self.run():
                return []
            everything = self.front_end(Choice(looks_for_all=True))
            found = everything.regions(self.command.sources[0], self.text)
        except (InputError, subprocess.TimeoutExpired):
            return []
        return [each.region for each in found.regions]

    def run(self, **environment: str) -> tuple[int, bytes]:
        """Run the compiled program; return its status and output."""
        done = subprocess.run(
            ["./program"], capture_output=True, check=False, timeout=20, env={**os.environ, **environment}
        )
        return done.returncode, done.stdout


def programs() -> list[Program]:
    """Return the tests' sources that seem to be whole programs without MPI."""
    found = []
    for folder, suffix in (("c", ".c"), ("fortran", ".f90")):
        for module, name, text in constants(TESTS / folder):
            if not re.search(r"\bmain\b|^\s*(?:end )?program\b", text, re.M) or "mpi" in text.lower():
                continue
            path = Path(f"{module}_{name}{suffix}")
            path.write_bytes(text.encode("latin-1"))
            found.append(Program(path, f"{module}.{name}"))
    return found


def some_pattern(chance: random.Random, regions: list[Region]) -> Pattern:
    """Return a pattern that matches at least one of the regions, by some or all of the region's attributes."""
    region = chance.choice(regions)
    pattern = Pattern.of(region)
    if chance.random() < 0.3:
        return pattern
    texts = {
        "kind": region.kind,
        "name": chance.choice([region.name, region.name.partition("@")[0] + "*"]),
        "file": region.file,
        "function": chance.choice([region.function, f"{region.function[:1]}*"]),
    }
    chosen = {key: value for key, value in texts.items() if chance.random() < 0.4}
    return Pattern(**chosen) if chosen else Pattern(kind=region.kind)


def some_plan(chance: random.Random, regions: list[Region]) -> Plan:
    """Return a random plan for some of the regions."""

    def several(most: int) -> range:
        return range(chance.choice([0, 0, 1, 2, most]))

    def some_modes() -> tuple[str, ...]:
        return tuple(mode for mode in MODES if chance.random() < 0.4)

    def some_merge() -> Merge:
        one = chance.choice(regions)
        near = [each for each in regions if each.function == one.function] or regions
        members = [chance.choice([each.name, f"{each.kind}#{each.ordinal}"]) for each in chance.choices(near, k=2)]
        return Merge(None, one.function or one.name, tuple(members), chance.choice(["", "both"]))

    return Plan(
        chance.choice([None, some_modes(), some_modes()]),
        tuple(Include(some_pattern(chance, regions), some_modes()) for _ in several(3)),
        tuple(Exclude(some_pattern(chance, regions), "because") for _ in several(3)),
        tuple(Exclude(some_pattern(chance, regions)) for _ in several(2)),
        tuple(some_merge() for _ in several(3)),
        tuple(Split(some_pattern(chance, regions), chance.choice(["loops", "blocks"])) for _ in several(4)),
    )


def changed(chance: random.Random, text: str) -> str:
    """Return the text of a plan with some tokens replaced, deleted, doubled or swapped."""
    tokens = TOKEN.findall(text)
    for _ in range(chance.choice([1, 1, 2, 5])):
        one, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        match chance.randrange(4):
            case 0:
                tokens[one] = chance.choice([*KINDS, *MODES, "true", "9", "[", '"', "=", "{}", "\x00", '"*["'])
            case 1:
                tokens[one] = ""
            case 2:
                tokens[one] *= 2
            case 3:
                tokens[one], tokens[other] = tokens[other], tokens[one]
    return "".join(tokens)


def trouble(number: int, corpus: list[Program], probe: Path) -> str:
    """Make the plan with the given number, and insert its probes; return what went wrong, or an empty string.

    Args:
        number: Number of the plan; it also selects the program.
        corpus: The programs.
        probe: A library that checks whether probes nest.
    """
    chance = random.Random(number)
    program = chance.choice(corpus)
    while not program.regions:
        program = chance.choice(corpus)
    plan = some_plan(chance, program.regions)
    path = Path("plan.toml")
    save_plan(path, plan)
    if load_plan(path) != plan:
        return f"{program.origin}: the plan differs when it is read back:\n{path.read_text()}"
    path.write_text(changed(chance, path.read_text()))
    try:
        plan = load_plan(path)
    except InputError as error:
        if "\n" in str(error):
            return f"expected an error of one line, found {error}"
    problem = _followed(program, plan, probe if number % RUN == 0 else None)
    if problem:
        save_plan(path, plan)
        return f"{program.origin}: {problem}\n{path.read_text()}"
    return ""


def _followed(program: Program, plan: Plan, probe: Path | None) -> str:
    choice = Choice(Choice().modes if plan.modes is None else plan.modes, plan)
    language = program.front_end(choice)
    text = language.instrument(program.command.sources[0], program.text).text
    name = f"probed{language.suffix(program.command.sources[0])}"
    Path(name).write_bytes(text)
    stub = ["stub.o"] if program.path.suffix != ".c" else []
    done = program.build(name, *(["-fsyntax-only"] if probe is None else [*stub, "-o", "program"]))
    if done.returncode:
        return done.stderr.decode("utf-8", "replace")
    if probe is None:
        return ""
    events = Path("events")
    events.unlink(missing_ok=True)
    if program.run() != program.printed:
        return "the output differs"
    if program.run(LD_PRELOAD=str(probe), PROBE_EVENTS="events") != program.printed:
        return "the output differs when probes are checked"
    return "probes do not nest" if events.exists() and BROKEN.search(events.read_bytes()) else ""


def main() -> int:
    """Try the requested number of plans; return 1 if one showed an error, otherwise 0."""
    trials = Trials(argparse.ArgumentParser(description=__doc__.partition("\n")[0]), "plan")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        probe = Path(folder) / "probe.so"
        subprocess.run(["gcc", "-shared", "-fPIC", TESTS / "probe_check.c", "-o", probe], check=True)
        subprocess.run(["gcc", "-c", "-DAA_NAME(name)=name##_", FORTRAN_STUB, "-o", "stub.o"], check=True)
        corpus = programs()
        for number in trials:
            try:
                problem = trouble(number, corpus, probe)
            except Exception:
                problem = traceback.format_exc()
            if problem:
                trials.failed(number, problem)
        os.chdir("/")
    return trials.end()


if __name__ == "__main__":
    sys.exit(main())
