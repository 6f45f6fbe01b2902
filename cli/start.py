"""Start a compiler stand-in in a Python interpreter without ``site``, which halves the start-up time.

Stand-ins use this script after ``aa-compiler`` has recorded the import paths that ``site`` would add.
"""

import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from os.path import abspath, dirname, join

if __name__ == "__main__":
    root = dirname(dirname(abspath(__file__)))
    loader = SourceFileLoader("autoanalyzer", join(root, "__init__.py"))
    package = sys.modules["autoanalyzer"] = type(sys)("autoanalyzer")
    package.__spec__ = ModuleSpec("autoanalyzer", loader, is_package=True)
    package.__path__ = [root]
    loader.exec_module(package)

    from autoanalyzer.standard_streams import hold_closed_streams

    hold_closed_streams()

    from autoanalyzer.cli.stand_in import answer

    answer()

    from autoanalyzer.cli.command import compiler

    compiler()
