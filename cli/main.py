"""The command ``autoanalyzer``. Only this module prints errors and turns them into exit codes."""

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

# The commands by group, in the order in which the help lists them. Each command is a module of this package, which is
# imported only when the command is used.
_GROUPS: Final = {
    "commands": {
        "run": "run a program under its launcher and print the verdict",
        "analyze": "print the verdict, all findings, or the cost of each region",
        "view": "show a run as an HTML page, or in the terminal",
        "compare": "test repeated runs of two versions for a slowdown",
        "history": "store the results of runs by commit, and find the commits that changed them",
        "scale": "find what limits scaling, from runs with different numbers of ranks",
        "timeline": "find what changes while a program runs: when, where and why",
        "debug": "find the slow inner loop by building and running twice",
        "doctor": "test what works on this machine, and show how to fix what does not",
    },
    "build": {
        "compile": "compile with probes, using any compiler: compile -- CC ARGUMENT...",
        "instrument": "write sources with probes, without compiling them",
        "regions": "list the regions of sources, or the MPI functions that are measured",
    },
    "cluster": {
        "exec": "record one process under any launcher: srun autoanalyzer exec APP",
        "gather": "collect data left on the nodes (killed job, or no shared file system)",
    },
    "experiments": {
        "info": "list call paths, ranks and metrics, and how they were measured",
        "dump": "print the numbers as tables, CSV or JSON",
        "convert": "write CUBE, CSV, flame graphs, or time lines for other tools",
        "cut": "keep a subtree, some ranks or some metrics",
        "diff": "subtract one experiment from another",
        "merge": "combine the metrics of several experiments",
        "mean": "average several runs",
    },
    "statistics and time lines": {
        "stats": "find redundant metrics, and groups of similar ranks or threads",
        "pursue": "find the metrics worth recording, by projection pursuit",
        "record": "record several runs of a program with time lines, and compare them",
        "align": "find an interval of one trace in other traces",
        "correlate": "rank metrics by how well they match an anomaly",
    },
    "this machine": {
        "counters": "show which events PAPI can count here, or which permission is missing",
        "calibrate": "benchmark this machine once: instructions, cache misses, messages, files",
    },
}
COMMANDS: Final = {name: text for group in _GROUPS.values() for name, text in group.items()}

# Commands that the help does not list: one for packagers, and former commands that are now options of other commands.
_HIDDEN: Final = {
    "completion": "print a script that completes commands in bash, zsh or fish",
    "functions": "the older name for regions --mpi",
    "refine": "the older name for debug --plan-only",
}
_ALL: Final = COMMANDS | _HIDDEN

_EXAMPLES: Final = {
    "run": "run -o out --counters simulated -- mpirun -n 4 ./app",
    "analyze": "analyze out --all",
    "view": "view out -o report.html",
    "compare": "compare before-1 before-2 before-3 --with after-1 after-2 after-3",
    "history": "history add runs.db out",
    "scale": "scale -o study --ranks 2,4,8 --counters simulated -- mpirun -n {ranks} ./app",
    "timeline": "timeline out",
    "debug": 'debug --build "make -j" --clean "make clean" -- mpirun -n 4 ./app',
    "doctor": "doctor",
    "compile": "compile -- gcc -O2 -g -c work.c -o work.o",
    "instrument": "instrument -o instrumented work.c",
    "regions": "regions --why work.c",
    "exec": "exec ./app",
    "gather": "gather out",
    "info": "info out",
    "dump": "dump out --metrics wall_time --by process",
    "convert": "convert out out.speedscope.json",
    "cut": "cut out -o part.cube --subtree work --ranks 0-3",
    "diff": "diff before after",
    "merge": "merge times counts -o both.cube",
    "mean": "mean out-1 out-2 out-3 -o mean.cube",
    "stats": "stats out hierarchy",
    "pursue": "pursue out/trace.npz",
    "record": "record -o runs -- mpirun -n 4 ./app",
    "align": "align runs --metric wall_time --interval 12.5:18",
    "correlate": "correlate out --target mpi_time",
    "counters": "counters",
    "calibrate": "calibrate",
    "completion": "completion bash",
    "functions": "regions --mpi",
    "refine": "debug --plan-only out/first -o plan.toml",
}

_WITHOUT_NUMPY: Final = frozenset({"compile", "completion", "exec", "functions", "instrument", "regions"})

# For these commands, words after "--" are compiler flags, which argparse must not interpret.
_WITH_FLAGS: Final = frozenset({"instrument", "regions"})

_BAD: Final = 2
_INTERRUPTED: Final = 130
_BLAS_THREADS: Final = "OPENBLAS_NUM_THREADS"


class _Parser(argparse.ArgumentParser):
    """A parser that raises one-line errors instead of printing the usage."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


class _Grouped(argparse.RawDescriptionHelpFormatter):
    """A help formatter that omits the flat list of commands, because the epilog lists them by group."""

    def _format_action(self, action: argparse.Action) -> str:
        return "" if action.metavar == "COMMAND" else super()._format_action(action)


class _Version(argparse.Action):
    """An option that prints the version, which is read only if the option is used."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from .. import __version__

        sys.stdout.write(f"autoanalyzer {__version__}\n")
        parser.exit()


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run one command, print its errors, and end the process.

    Exit codes: 0: success; 1: the program under study failed; 2: wrong usage or input; 3: slower by at least
    ``--fail-on``; 130: interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    warnings.formatwarning = lambda message, *_: f"autoanalyzer: {message}\n"
    try:
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        status = _run(arguments)
        sys.stdout.flush()
    except UsageError as error:
        # mpirun ends the whole job when a process fails, perhaps before rank 0 has printed the message.
        status = 0 if _is_led(arguments) else _refuse(str(error))
    except AutoanalyzerError as error:
        status = _refuse(str(error))
    except KeyboardInterrupt:
        status = _INTERRUPTED
    except BrokenPipeError:
        # The program that reads our output has ended, as in ``| head``. This is not an error, but nothing more can be
        # printed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except MemoryError:
        status = _refuse("out of memory; to make a smaller experiment, use autoanalyzer cut")
    except RecursionError:
        status = _refuse("the call tree is too deep; to extract a part of it, use autoanalyzer cut --subtree")
    except OSError as error:
        status = _refuse(f"{error.filename or 'output'}: {error.strerror or error}")
    sys.exit(status)


def _refuse(message: str) -> int:
    line = " ".join(message.splitlines())
    visible = "".join(each if each.isprintable() else "\ufffd" for each in line)  # file names may contain anything
    sys.stderr.write(f"autoanalyzer: {visible}\n")
    return _BAD


def _is_led(arguments: Sequence[str]) -> bool:
    """Return whether this process belongs to an MPI job in which rank 0 reports the same error."""
    if arguments[:1] != ["analyze"] or "--alone" in arguments:
        return False
    from ..runtime.mpi.own_job import started_processes

    started = started_processes()
    return started is not None and started.rank > 0


def _run(arguments: list[str]) -> int:
    first = next((word for word in arguments if not word.startswith("-")), None)
    chosen = first if first in _ALL else None
    if arguments and not chosen and not arguments[0].startswith("-"):
        raise UsageError(f"unknown command {arguments[0]!r}; {way_out(arguments[0], COMMANDS)}")
    parser = _parser([chosen] if chosen else [], [chosen] if chosen and arguments[0] == chosen else _ALL)
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
    """Return the parser with the arguments of all commands; imports all their modules."""
    return _parser(COMMANDS, COMMANDS)


def _parser(chosen: Collection[str], names: Iterable[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="autoanalyzer",
        description="Find what is slow in an MPI or OpenMP program: on which ranks, where in the\nsource, and why.",
        epilog=f"{_listed()}\n\nTo start:\n  aa-mpicc -O2 -g app.c -o app\n  autoanalyzer run -- mpirun -n 4 ./app",
        formatter_class=_Grouped,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in names:
        command = commands.add_parser(
            name,
            help=_ALL[name],
            description=_ALL[name],
            epilog=f"example: autoanalyzer {_EXAMPLES[name]}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.set_defaults(parser=parser)
        if name in chosen:
            with _one_thread_of_blas():
                module = import_module(f".{name}", __package__)
            module.add_arguments(command)
            command.set_defaults(function=module.run, parser=command)
    return parser


def _listed() -> str:
    """Return the list of commands for the help, by group, one per line."""
    width = max(map(len, COMMANDS))
    return "\n\n".join(
        "\n".join([f"{title}:", *(f"  {name:{width}}  {text}" for name, text in group.items())])
        for title, group in _GROUPS.items()
    )


@contextmanager
def _one_thread_of_blas() -> Iterator[None]:
    """Keep numpy from starting threads on import, because they would use CPU time while waiting for work.

    The environment variable is removed after the block, so that programs started by the command choose their own
    number of threads.
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
    """Return a hint for an unknown argument: similar options, or how to list all options."""
    near = way_out(word.partition("=")[0], re.findall(r"--[a-z-]+", parser.format_help())) if word[0] == "-" else ""
    return near if near.startswith("did you mean") else f"see {parser.prog} --help"
