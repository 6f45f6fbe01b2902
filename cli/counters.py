"""``autoanalyzer counters``: test which events can be counted on this machine."""

from __future__ import annotations

import argparse
import json
import sys

from .papi_events import add_papi

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_papi(parser)
    parser.add_argument("--json", action="store_true", help="print JSON with all events, instead of text")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return 0, even if nothing can be counted."""
    from ..errors import BuildError
    from ..runtime.counting.tool import find_valgrind
    from ..runtime.packaged_papi import papi_variables
    from ..runtime.papi.lookup import look_up
    from ..runtime.usage.trial import tried_usage
    from ..view.counters_here import counters_document, print_counters

    try:
        find_valgrind()
        not_simulated = ""
    except BuildError as error:
        not_simulated = str(error)
    found, usage = look_up(variables=papi_variables(arguments.papi)), tried_usage()
    if arguments.json:
        document = counters_document(found, usage, not_simulated)
        sys.stdout.write(f"{json.dumps(document, indent=1, ensure_ascii=False)}\n")
    else:
        print_counters(found, usage, not_simulated)
    return 0
