"""One process of the job that gathers: ``python -m autoanalyzer.runtime.gather FOLDER``."""

import sys

from .gather import main

sys.exit(main(sys.argv[1]))
