"""Group the options in the help of commands that run a program; the most common options come first."""

from __future__ import annotations

import argparse
from typing import Final

__all__ = ["show_in_groups"]

_GROUPS: Final = {
    "common": ("help", "output", "counters", "repeat", "python_functions", "json", "no_analyze"),
    "analysis": (
        *("exclude_rank", "include_rank", "exclude_region", "least", "dissimilarity_metric", "disparity_metric"),
        *("method", "no_advice"),
    ),
    "counting": (
        *("usage", "counting_dir", "scratch", "no_copy", "cache", "events", "per_run", "count_in", "papi", "multiplex"),
    ),
    "time lines": ("trace", "trace_memory", "pursue", "policy"),
    "cluster": ("gather",),
    "expert": ("path", "sample", "split_waiting", "max_overhead", "max_memory", "no_calibrate", "no_environment"),
}


def show_in_groups(parser: argparse.ArgumentParser) -> None:
    """Show a command's options in groups in its help; options that are in no group come first."""
    options = {action.dest: action for action in parser._actions if action.option_strings}
    for title, names in _GROUPS.items():
        group = parser.add_argument_group(title)
        for action in filter(None, map(options.get, names)):
            parser._optionals._group_actions.remove(action)
            group._group_actions.append(action)
