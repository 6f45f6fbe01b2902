"""Profiles of other tools as experiments: which tool a file is of is seen by its content; a module a tool."""

from .kinds import read_foreign

__all__ = ["read_foreign"]
