"""Advice from the source code: what to try, in which lines, and the evidence for it."""

from .advice import Advice
from .advise import Advised, advise
from .limited_process import Limits, in_limited_process
from .reading import Found

__all__ = ["Advice", "Advised", "Found", "Limits", "advise", "in_limited_process"]
