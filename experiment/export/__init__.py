"""Experiments and time lines as files of other tools, which are written as they are read, block by block."""

from .formats import EXPORTED, export, export_of, export_trace, holds_time_lines

__all__ = ["EXPORTED", "export", "export_of", "export_trace", "holds_time_lines"]
