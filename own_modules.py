"""Import our own modules before the user's: PYTHONPATH and the current folder belong to the program under study.

``python -E -P own_modules.py MODULE ARGUMENT...`` runs one of our modules in this way.
"""

from __future__ import annotations

import os
import site
import sys

__all__ = ["needs_python_home", "own_folders", "own_module_words", "prefer_own_modules"]


def prefer_own_modules() -> None:
    """Move the user's folders to the end of ``sys.path``, so that a program's ``json.py`` does not replace Python's.

    Modules already imported, and ``PYTHONPATH`` in the environment of child processes, stay as they are.
    """
    own = own_folders()
    sys.path[:] = [*own, *(each for each in sys.path if each not in own)]


def own_folders() -> list[str]:
    """Return the folders of ``sys.path`` that hold our modules: the standard library, then installed packages.

    Folders of ``PYTHONPATH`` are included only if one of them contains this package, as in a Spack installation.
    """
    standard = [each for each in sys.path if _is_standard(each)]
    given = {_whole(each) for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each}
    users = {_whole(""), os.path.dirname(os.path.realpath(sys.argv[0]))}
    if os.path.dirname(os.path.dirname(_whole(__file__))) in given:
        users -= given
    else:
        users |= given
    users -= {*standard, *site.getsitepackages()}
    return [*standard, *(each for each in sys.path if each not in standard and _whole(each) not in users)]


def own_module_words(module: str) -> list[str]:
    """Return the command line that runs a module of this package in a separate process."""
    ignoring = [] if needs_python_home() else ["-E"]
    return [sys.executable, *ignoring, "-P", "-W", "ignore", os.path.abspath(__file__), module]


def needs_python_home() -> bool:
    """Return whether ``PYTHONHOME`` is the installation folder of this Python, rather than of another one."""
    home = os.environ.get("PYTHONHOME", "").partition(":")[0]
    try:
        return bool(home) and os.path.samefile(home, sys.base_prefix)
    except OSError:  # the folder does not exist
        return False


def _is_standard(folder: str) -> bool:
    """Return whether a folder, or an archive, belongs to the standard library."""
    library = os.path.dirname(os.__file__)
    archive = f"python{sys.version_info.major}{sys.version_info.minor}.zip"
    return folder in (library, os.path.join(os.path.dirname(library), archive)) or folder.endswith("/lib-dynload")


def _whole(path: str) -> str:
    try:
        return os.path.abspath(path)
    except FileNotFoundError:  # the current folder was removed
        return path


if __name__ == "__main__":
    from runpy import run_module

    del sys.argv[0]
    sys.path += [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each and each not in sys.path]
    prefer_own_modules()
    run_module(sys.argv[0], run_name="__main__", alter_sys=True)
