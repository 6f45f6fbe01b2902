"""Run commands of ``autoanalyzer``, each in a fork of this process, which imports all modules once.

Requests come through the socket at standard input: words, folder and environment as JSON, with three streams.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import clang.cindex

from autoanalyzer.cli import main, wrapper

LEFT_OUT = "autoanalyzer.view.terminal_browser"  # takes a fifth of the import time, and is tested in other processes
STAND_INS = ("aa-mpicc", "aa-mpicxx", "aa-mpifort")
SECONDS = 1200  # after which a command counts as hanging, and is killed; on an idle machine, none takes a minute
# Command → modules of other packages that it imports on demand. They are imported here before its first call.
_MATRICES = ("scipy.cluster.hierarchy", "scipy.linalg", "scipy.special")
PACKAGES = {
    "pursue": _MATRICES[1:],
    "stats": (*_MATRICES, "scipy.stats", "sklearn.cluster", "sklearn.decomposition"),
    "view": _MATRICES,
}


def import_all(name: str) -> None:
    """Import a module with everything in it, including what commands import only on demand."""
    for inner in pkgutil.iter_modules(getattr(import_module(name), "__path__", ()), f"{name}."):
        if inner.name != LEFT_OUT:
            import_all(inner.name)


def serve(requests: socket.socket) -> None:
    """Fork for each request, and answer with the fork's exit status; return only in the forks, set up as requested."""
    while True:
        request, streams, _, _ = socket.recv_fds(requests, 1 << 20, 3)
        if not request:
            sys.exit()
        words, folder, environment = json.loads(request)
        for package in PACKAGES.get(words[1] if len(words) > 1 else "", ()):
            import_module(package)
        process = os.fork()
        if process == 0:
            os.setpgrp()
            break
        for stream in streams:
            os.close(stream)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if status == -signal.SIGALRM:  # otherwise, processes that it waited for would keep the streams open
            with suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)
        requests.send(str(status).encode())
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace")
    sys.argv = words
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    signal.alarm(SECONDS)


def carry_out(command: Callable[[], object]) -> None:
    """Run a command, and end this process with its exit status.

    The interpreter is not torn down, because that would copy all memory that the fork shares.
    """
    status: object = 1
    try:
        command()
    except SystemExit as ended:
        status = ended.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
    if not isinstance(status, int | None):
        sys.stderr.write(f"{status}\n")
        status = 1
    sys.stdout.flush()
    os._exit(status or 0)


if __name__ == "__main__":
    for module in sys.argv[1:]:
        import_all(f"autoanalyzer.{module}")
    clang.cindex.Index.create()
    gc.freeze()
    with socket.socket(fileno=os.dup(0)) as requests:
        serve(requests)
    if Path(sys.argv[0]).name in STAND_INS:
        sys.argv.insert(0, "aa-compiler")
        carry_out(wrapper.compiler)
    carry_out(main.main)
