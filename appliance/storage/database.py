"""The one SQLite file: opened safely, migrated forward, written in transactions that take the lock first."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from sqlite_utils import Database as Sqlite
from sqlite_utils.migrations import Migrations

from appliance.errors import StorageError

OWNER_ONLY = 0o600


class Database:
    """One connection, usable from several threads, one at a time.

    ``read`` and ``write`` give a :class:`sqlite_utils.Database`. A write takes SQLite's write lock at its
    start (BEGIN IMMEDIATE), so what it reads stays true until it commits, in every process. An exception
    inside ``write`` leaves nothing behind. Whatever SQLite can't do is a :class:`StorageError`.
    """

    def __init__(
        self, path: Path, migrations: Sequence[Migrations] = (), *, busy_seconds: float = 5.0
    ) -> None:
        self.path = path
        self._lock = threading.RLock()
        with _explained(path):
            self._db = Sqlite(_connect(path, busy_seconds))
            self._db.enable_wal()
            self._db.execute("PRAGMA foreign_keys=on")
            self._db.execute("PRAGMA synchronous=full")
        for migration_set in migrations:
            self._migrate(migration_set)

    @contextlib.contextmanager
    def read(self) -> Iterator[Sqlite]:
        """A consistent view: all reads inside see the same state."""
        with self._transaction("BEGIN") as db:
            yield db

    @contextlib.contextmanager
    def write(self) -> Iterator[Sqlite]:
        """Everything inside is committed together or not at all."""
        with self._transaction("BEGIN IMMEDIATE") as db:
            yield db

    def close(self) -> None:
        with self._lock:
            self._db.close()

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[Sqlite]:
        with self._lock, _explained(self.path):
            self._db.conn.execute(begin)
            try:
                yield self._db
                self._db.conn.execute("COMMIT")
            except BaseException:
                self._db.rollback()
                raise

    def _migrate(self, migration_set: Migrations) -> None:
        """Apply what is missing, each step in a transaction of its own, recorded with it."""
        while True:
            with self.write() as db:
                pending = [step.name for step in migration_set.pending(db)]
                known = {step.name for step in migration_set.applied(db)}
                if unknown := known - {step.name for step in migration_set._migrations}:
                    raise StorageError(
                        f"The database {self.path} was made by a newer version of Tresen (it knows "
                        f"{', '.join(sorted(unknown))}). Update Tresen, or restore the backup from before."
                    )
                if not pending:
                    return
                migration_set.apply(db, stop_before=pending[1:])


def _connect(path: Path, busy_seconds: float) -> sqlite3.Connection:
    """Make the file readable by its owner only before SQLite sees it; -wal and -shm inherit the mode."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, OWNER_ONLY))
    path.chmod(OWNER_ONLY)
    return sqlite3.connect(path, timeout=busy_seconds, check_same_thread=False)


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Errors of the system and of SQLite become StorageErrors that name file, cause and way out."""
    try:
        yield
    except OSError as cause:
        raise StorageError(
            f"The database {path} can't be opened: {cause.strerror or cause}. "
            f"Give this user write access to {path.parent}, or set TRESEN_DATA to another folder."
        ) from cause
    except sqlite3.Error as cause:
        raise StorageError(f"The database {path}: {cause}. {_way_out(cause)}") from cause


def _way_out(cause: sqlite3.Error) -> str:
    code = (getattr(cause, "sqlite_errorcode", None) or 0) & 0xFF
    match code:
        case sqlite3.SQLITE_FULL:
            return "Nothing of this write was kept, earlier data are safe. Free some disk space."
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return "The file is damaged and was left as it is. Move it aside and restore a backup."
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_IOERR:
            return "Nothing was written. Give this user write access to its folder, or set TRESEN_DATA."
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "Another process holds the write lock; nothing was written. Try again."
        case _:
            return "Nothing of this write was kept."
