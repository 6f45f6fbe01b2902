"""The option ``--sample``, which samples the code that regions execute."""

from __future__ import annotations

import argparse

from ..runtime.sample_rate import sample_rate
from .argument_type import argument_type

__all__ = ["add_sample"]


def add_sample(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--sample``."""
    parser.add_argument(
        "--sample",
        type=argument_type(sample_rate),
        metavar="RATE",
        help="sample each thread RATE times per second of its CPU time, to show functions and lines inside regions, "
        "and functions and loops of programs that were not rebuilt; auto: 250; off: no samples (default)",
    )
