"""The option ``--usage``, which counts page faults, allocations and other system usage per call path."""

from __future__ import annotations

import argparse
import os

from ..runtime.usage.energy import energy_defect
from ..runtime.usage.names import ENERGY, USAGE_VARIABLE, usage_of
from .argument_type import argument_type

__all__ = ["add_usage"]


def add_usage(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--usage``."""
    parser.add_argument(
        "--usage",
        type=_usage,
        default=os.environ.get(USAGE_VARIABLE) or None,  # argparse checks this default like a given value
        metavar="METRIC,…",
        help=(
            "also count these metrics on each call path: page_faults, system_time, context_switches, "
            "allocated_bytes, allocations, freed_bytes, frees, energy … (autoanalyzer counters shows which of "
            "these metrics can be counted on this machine)"
        ),
    )


def _usage(text: str) -> str:
    """Return the names of usage metrics after checking them. Few machines can measure energy, so it is tried out.

    Raises:
        argparse.ArgumentTypeError: A metric does not exist, or cannot be counted on this machine.
    """
    names = argument_type(usage_of)(text)
    if not names:
        raise argparse.ArgumentTypeError("expected METRIC,…, such as page_faults, found nothing")
    for name in ENERGY:
        if name in names and (defect := energy_defect(name)):
            raise argparse.ArgumentTypeError(f"{name} cannot be counted here: {defect}")
    return text
