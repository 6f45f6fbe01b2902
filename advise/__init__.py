"""Advice from the source: what to try, in which lines, and the evidence."""

from .advice import Advice
from .advise import Advised, advise
from .limited_process import Limits, in_limited_process
from .reading import Found

__all__ = ["Advice", "Advised", "Found", "Limits", "advise", "in_limited_process"]
