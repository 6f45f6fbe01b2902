"""Report the results of projection pursuit over time as tables, sentences, JSON, CSV and pictures."""

from .periods import period_line
from .policy import policy_text
from .report import pursuit_report

__all__ = ["period_line", "policy_text", "pursuit_report"]
