"""Read other tools' profiles as experiments, with one module per tool; a file's content shows which tool wrote it."""

from .kinds import is_foreign_folder, read_foreign, read_foreign_folder

__all__ = ["is_foreign_folder", "read_foreign", "read_foreign_folder"]
