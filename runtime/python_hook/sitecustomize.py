"""Record Python functions as regions, then run the user's own sitecustomize.

Python imports this file at its start, because ``PYTHONPATH`` contains its folder. Only the hook remains: ``sys.path``
and ``sys.modules`` are restored, and the next module of this name is imported in place of this one. If anything fails,
the program continues. Any version of Python must be able to parse this file.
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
    """Start the hook; import only from the standard library, because the program may use the same module names."""
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
                del sys.modules[name]  # modules in C are kept: they cannot be shadowed, and must not be loaded twice


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
