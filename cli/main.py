"""The command ``autoanalyzer``: the only place that prints errors and picks exit codes."""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from typing import Final, NoReturn

from ..errors import AutoanalyzerError, UsageError, way_out

__all__ = ["main", "whole_parser"]

# One module each, imported on demand.
COMMANDS: Final = {
    "run": "run a program under its own launcher and print what is slow, on which ranks, and where",
    "analyze": "print what an experiment shows: which ranks differ, which regions are heavy, and why",
    "compile": "compile C, C++ and Fortran sources with any compiler, and add probes: compile -- CC ARGUMENT...",
    "instrument": "write the instrumented text of C, C++ and Fortran sources",
    "regions": "print the code regions of C, C++ and Fortran sources, and what is left out and why",
    "functions": "print which MPI functions are measured, with the bytes that each counts, and which are not",
    "exec": "run one process of a program and record it, under any launcher: srun -n 64 autoanalyzer exec ./app",
    "gather": "bring home what a run left on its nodes, where these share no disk, or a job was ended",
    "refine": "write a plan for a second round: bottlenecks opened into loops, calls and blocks, the rest dropped",
    "debug": "build, run, narrow, build and run again: from slow functions to the loops in them",
    "doctor": "try what this machine offers: compilers, MPI, launchers, counters, folders; --clean removes leftovers",
    "counters": "try which events this machine counts by PAPI, which of them together, and what permission is missing",
    "calibrate": "measure once what single things take here: instructions, cache misses, messages, reads and writes",
    "info": "print what an experiment contains: system, call paths, metrics, and how it was made",
    "view": "show an experiment in one HTML page, or in the terminal: verdict, three trees, and the source",
    "dump": "print the numbers of an experiment: tables, CSV or JSON",
    "convert": "write an experiment, or time lines, in another format: CUBE, CSV, or that of flame graphs",
    "cut": "write part of an experiment: a subtree, some ranks, some metrics",
    "diff": "show what changed from one experiment to another: gains are positive, losses negative",
    "merge": "put the metrics of several experiments into one; the first experiment that has a metric provides it",
    "mean": "average a series of runs into one experiment",
    "compare": "judge whether one version of a program is slower than another, from repeated runs of both",
    "stats": "find redundant metrics, groups of similar ranks or threads, and what tells them apart",
    "pursue": "find the metrics that are worth recording, period by period, by projection pursuit",
    "align": "find an interval of one trace in others: the same moments of the work, in runs that took other times",
    "record": "run a program several times with time lines, and print what changes while it runs",
    "timeline": "find what changes while a program runs: when, on which ranks, in which region, and what goes with it",
    "correlate": "rank the metrics of traces by how much they have to do with an anomaly in one of them",
    "completion": "print the script that lets bash, zsh or fish complete commands, options and files",
}

_WITHOUT_NUMPY: Final = frozenset({"compile", "completion", "exec", "functions", "instrument", "regions"})

# After "--" these take compiler flags, which our parsers must not interpret.
_WITH_FLAGS: Final = frozenset({"instrument", "regions"})

_BAD: Final = 2
_INTERRUPTED: Final = 130
_BLAS_THREADS: Final = "OPENBLAS_NUM_THREADS"


class _Parser(argparse.ArgumentParser):
    """A parser with one-line errors."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


class _Version(argparse.Action):
    """Print the version, which is looked up only for this option."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from .. import __version__

        sys.stdout.write(f"autoanalyzer {__version__}\n")
        parser.exit()


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run one command and end the process.

    Exit codes: 0 done; 1 the program under study failed; 2 bad usage or input; 3 ``--fail-on`` tripped.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    warnings.formatwarning = lambda message, *_: f"autoanalyzer: {message}\n"
    try:
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        status = _run(arguments)
        sys.stdout.flush()
    except UsageError as error:
        # mpirun ends the whole job when any process fails: the process with the message may not have printed it yet.
        status = 0 if _is_led(arguments) else _refuse(str(error))
    except AutoanalyzerError as error:
        status = _refuse(str(error))
    except KeyboardInterrupt:
        status = _INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has ended (``| head``): that is no error, and nothing more can be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except MemoryError:
        status = _refuse("out of memory; autoanalyzer cut makes a smaller experiment")
    except RecursionError:
        status = _refuse("the call tree is too deep; autoanalyzer cut --subtree takes a part of it")
    except OSError as error:
        status = _refuse(f"{error.filename or 'output'}: {error.strerror or error}")
    sys.exit(status)


def _refuse(message: str) -> int:
    line = " ".join(message.splitlines())
    visible = "".join(each if each.isprintable() else "\ufffd" for each in line)  # file names may contain anything
    sys.stderr.write(f"autoanalyzer: {visible}\n")
    return _BAD


def _is_led(arguments: Sequence[str]) -> bool:
    """Return whether another process of an MPI job has the same arguments, and reports and fails for all."""
    if arguments[:1] != ["analyze"] or "--alone" in arguments:
        return False
    from ..runtime.mpi.own_job import started_processes

    started = started_processes()
    return started is not None and started.rank > 0


def _run(arguments: list[str]) -> int:
    first = next((word for word in arguments if not word.startswith("-")), None)
    chosen = first if first in COMMANDS else None
    if arguments and not chosen and not arguments[0].startswith("-"):
        raise UsageError(f"no command {arguments[0]!r}; {way_out(arguments[0], COMMANDS)}")
    parser = _parser([chosen] if chosen else [], [chosen] if chosen and arguments[0] == chosen else COMMANDS)
    if not arguments:
        parser.print_help()
        return 0
    words: list[str] = arguments
    flags: list[str] = []
    if chosen in _WITH_FLAGS and "--" in arguments:
        place = arguments.index("--")
        words, flags = arguments[:place], arguments[place + 1 :]
    namespace, unknown = parser.parse_known_args(words, argparse.Namespace(compiler_flags=flags))
    if unknown:
        asked = namespace.parser if arguments[0] == chosen else parser
        raise UsageError(f"unknown arguments: {' '.join(unknown)}; {_near(unknown[0], asked)}")
    if chosen not in _WITHOUT_NUMPY:
        with _one_thread_of_blas():
            import numpy  # noqa: F401
    status: int = namespace.function(namespace)
    return status


def whole_parser() -> argparse.ArgumentParser:
    """Return the parser with the arguments of all commands, which imports all of them."""
    return _parser(COMMANDS, COMMANDS)


def _parser(chosen: Collection[str], names: Iterable[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="autoanalyzer",
        description="Find what is slow in an MPI or OpenMP program: on which ranks, where in the source, and why.",
        epilog="To start: aa-mpicc -O2 -g app.c -o app && autoanalyzer run -- mpirun -n 4 ./app",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in names:
        command = commands.add_parser(name, help=COMMANDS[name], description=COMMANDS[name], allow_abbrev=False)
        command.set_defaults(parser=parser)
        if name in chosen:
            with _one_thread_of_blas():
                module = import_module(f".{name}", __package__)
            module.add_arguments(command)
            command.set_defaults(function=module.run, parser=command)
    return parser


@contextmanager
def _one_thread_of_blas() -> Iterator[None]:
    """Let numpy start no threads on import: each thread would wait for work for as long as numpy's import takes.

    A program that the command starts chooses its own number of threads.
    """
    if _BLAS_THREADS in os.environ:
        yield
        return
    os.environ[_BLAS_THREADS] = "1"
    try:
        yield
    finally:
        del os.environ[_BLAS_THREADS]


def _near(word: str, parser: argparse.ArgumentParser) -> str:
    """Return the option that a word may mean, or where options are explained."""
    near = way_out(word.partition("=")[0], re.findall(r"--[a-z-]+", parser.format_help())) if word[0] == "-" else ""
    return near if near.startswith("did you mean") else f"see {parser.prog} --help"
