"""Write experiments and time lines in other tools' formats, block by block as they are read."""

from .formats import EXPORTED, export, export_of, export_trace, holds_time_lines

__all__ = ["EXPORTED", "export", "export_of", "export_trace", "holds_time_lines"]
