"""Imported by Python at its start: records functions as regions, and then runs the user's own sitecustomize.

``PYTHONPATH`` leads here. Nothing of it remains but the hook: ``sys.path`` and ``sys.modules`` are what they were, and
this module gives way to the next one of its name. Whatever fails, the program goes on. Any Python must be able to read
this file.
"""

import os
import sys


def _record():
    patterns = os.environ.get("AUTOANALYZER_PYTHON_FUNCTIONS")
    if not patterns or not os.environ.get("AUTOANALYZER_SHARDS"):
        return
    if sys.version_info < (3, 9):
        raise RuntimeError("expected Python 3.9 or later, found %d.%d" % sys.version_info[:2])
    import autoanalyzer_functions

    autoanalyzer_functions.record(patterns.split(","))


def _record_apart():
    """Import for the hook alone, from the standard library: the program may have modules of the same names."""
    path, modules = sys.path[:], set(sys.modules)
    given = [os.path.abspath(each) for each in os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    sys.path.sort(key=lambda each: os.path.abspath(each) in given)
    try:
        _record()
    finally:
        folder = os.path.dirname(os.path.abspath(__file__))
        sys.path[:] = [each for each in path if os.path.abspath(each) != folder]
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", "")).endswith((".py", ".pyc")):
                del sys.modules[name]  # one in C is neither shadowed nor made twice


def _give_way():
    own = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # noqa: F401 - the user's own
    except ImportError as error:
        if getattr(error, "name", "sitecustomize") != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", own)


try:
    _record_apart()
except Exception as error:
    sys.stderr.write("autoanalyzer: --python-functions: %s; functions are not recorded\n" % error)
_give_way()
