"""The file of a history: one SQLite database, to which several processes can add runs concurrently."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from ...errors import InputError
from .kept_values import KeptValue

__all__ = ["HistoryFile", "KeptRun"]

_APPLICATION: Final = 0x61614869  # in the file's header, to recognise our own files
_VERSION: Final = 1
_WAIT: Final = 60.0  # seconds for another process to end its transaction, which takes milliseconds
_TABLES: Final = """
CREATE TABLE run (
    number INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, "commit" TEXT NOT NULL, added TEXT NOT NULL,
    host TEXT NOT NULL, program TEXT NOT NULL, command TEXT NOT NULL, ranks INTEGER NOT NULL, threads INTEGER NOT NULL
);
CREATE TABLE value (
    run INTEGER NOT NULL REFERENCES run (number), metric TEXT NOT NULL, place TEXT NOT NULL, line INTEGER NOT NULL,
    value REAL NOT NULL, unit TEXT NOT NULL, repeats INTEGER NOT NULL, PRIMARY KEY (run, metric, place)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run in a history.

    Attributes:
        digest: Identifies the experiment, so that no run is kept twice.
        commit: The version of the program.
        added: When the run was added, in UTC: ``2026-01-31 12:00:00``.
        host: The machine, or the kind of machine.
        program: Name of the executable.
        command: The command line that was run.
        ranks: The number of processes.
        threads: The total number of threads in all processes.
    """

    digest: str
    commit: str
    added: str
    host: str
    program: str
    command: str
    ranks: int
    threads: int


class HistoryFile:
    """Runs and their values, in the order in which they were added.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, run: KeptRun, values: Sequence[KeptValue]) -> bool:
        """Add a run, in one transaction; return whether it is new. The file is created if it is missing.

        Raises:
            InputError: The file is not a history, is damaged, or stays locked.
        """
        with self._opened("rwc") as file, file:
            file.execute("BEGIN IMMEDIATE")
            if not self._is_made(file):
                self._make(file)
            names = ", ".join(f'"{each.name}"' for each in fields(KeptRun))
            marks = ", ".join("?" * len(fields(KeptRun)))
            row = [getattr(run, each.name) for each in fields(KeptRun)]
            done = file.execute(f"INSERT OR IGNORE INTO run ({names}) VALUES ({marks})", row)
            if not done.rowcount:
                return False
            file.executemany(
                "INSERT INTO value (run, metric, place, line, value, unit, repeats) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (done.lastrowid, each.metric, each.place, each.line, each.value, each.unit, each.repeats)
                    for each in values
                ),
            )
            return True

    def read(self) -> list[tuple[KeptRun, list[KeptValue]]]:
        """Return all runs with their values, in the order in which they were added.

        Raises:
            InputError: There is no such file, or it is not a history, is damaged, or stays locked.
        """
        if not self._path.is_file():
            raise InputError(f"{self._path}: no such history; to create it: autoanalyzer history add {self._path} RUN")
        with self._opened("ro") as file:
            file.execute("BEGIN")  # all later statements read the same state of the file
            if not self._is_made(file):
                return []
            names = ", ".join(f'"{each.name}"' for each in fields(KeptRun))
            rows = file.execute(f"SELECT number, {names} FROM run ORDER BY number").fetchall()
            found: dict[int, tuple[KeptRun, list[KeptValue]]] = {row[0]: (KeptRun(*row[1:]), []) for row in rows}
            kept = file.execute("SELECT run, metric, unit, place, line, value, repeats FROM value ORDER BY 1, 2, 4")
            for number, metric, unit, place, line, value, repeats in kept:
                found[number][1].append(KeptValue(metric, unit, place, line, value, bool(repeats)))
        return [*found.values()]

    @contextmanager
    def _opened(self, mode: str) -> Iterator[sqlite3.Connection]:
        """Yield a connection without implicit transactions; raise its errors as ``InputError``."""
        place = f"{self._path.absolute().as_uri()}?mode={mode}"
        try:
            with closing(sqlite3.connect(place, timeout=_WAIT, isolation_level=None, uri=True)) as file:
                yield file
        except sqlite3.IntegrityError as error:
            raise InputError(f"{self._path}: cannot keep this run: {error}") from None
        except sqlite3.OperationalError as error:
            raise InputError(
                f"{self._path}: {error}; is another process writing to it, or is the folder read-only?"
            ) from None
        except sqlite3.DatabaseError as error:
            raise InputError(f"{self._path}: not a readable history: {error}; restore it, or start a new one") from None

    def _is_made(self, file: sqlite3.Connection) -> bool:
        """Return whether the file has tables; raise an error unless it is empty or a history of this version."""
        application, version = (
            file.execute(f"PRAGMA {each}").fetchone()[0] for each in ("application_id", "user_version")
        )
        if (application, version) == (_APPLICATION, _VERSION):
            return True
        if application or version or file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            kind = f"version {version}" if application == _APPLICATION else "another database"
            raise InputError(f"{self._path}: expected a history of version {_VERSION}, found {kind}")
        return False

    def _make(self, file: sqlite3.Connection) -> None:
        for statement in filter(str.strip, _TABLES.split(";")):
            file.execute(statement)
        file.execute(f"PRAGMA application_id = {_APPLICATION}")
        file.execute(f"PRAGMA user_version = {_VERSION}")
