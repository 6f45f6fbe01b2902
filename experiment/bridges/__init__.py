"""Profiles of other tools as experiments: which tool a file is of is seen by its content; a module a tool."""

from .kinds import is_foreign_folder, read_foreign, read_foreign_folder

__all__ = ["is_foreign_folder", "read_foreign", "read_foreign_folder"]
