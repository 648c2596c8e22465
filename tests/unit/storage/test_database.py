"""The database: safe to open, forward only, all or nothing, and honest about what it can't do."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from pathlib import Path

import pytest
from sqlite_utils import Database as Sqlite
from sqlite_utils.migrations import Migrations

from appliance.errors import StorageError
from appliance.storage.database import Database
from appliance.storage.schema import CORE

pytestmark = pytest.mark.unit

NOTES = Migrations("notes")


@NOTES()
def notes(db: Sqlite) -> None:
    db.table("notes").create({"id": int, "text": str}, pk="id")


def add(database: Database, text: str) -> None:
    with database.write() as db:
        db.table("notes").insert({"text": text})


def texts(database: Database) -> list[str]:
    with database.read() as db:
        return [row["text"] for row in db.query("select text from notes order by id")]


def test_only_the_owner_may_read_the_file_and_its_companions(tmp_path: Path) -> None:
    database = Database(tmp_path / "data" / "tresen.db", [NOTES])
    add(database, "one")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "data").iterdir()}
    assert len(modes) == 3
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_it_runs_with_write_ahead_log_and_foreign_keys(tmp_path: Path) -> None:
    with Database(tmp_path / "x.db").read() as db:
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert db.execute("PRAGMA foreign_keys").fetchone()[0] == 1


def write_half_and_fail(database: Database) -> None:
    with database.write() as db:
        db.table("notes").insert({"text": "half"})
        raise RuntimeError


def test_an_exception_inside_a_write_leaves_nothing_behind(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.db", [NOTES])
    with pytest.raises(RuntimeError):
        write_half_and_fail(database)
    assert texts(database) == []


def test_a_write_holds_the_lock_from_its_start(tmp_path: Path) -> None:
    one = Database(tmp_path / "x.db", [NOTES])
    other = Database(tmp_path / "x.db", [NOTES], busy_seconds=0.05)
    with one.write(), pytest.raises(StorageError, match="Another process holds"):
        add(other, "late")
    add(other, "now")
    assert texts(one) == ["now"]


def test_migrations_are_applied_once_and_recorded(tmp_path: Path) -> None:
    add(Database(tmp_path / "x.db", [CORE, NOTES]), "kept")
    again = Database(tmp_path / "x.db", [CORE, NOTES])
    assert texts(again) == ["kept"]
    with again.read() as db:
        assert [one.name for one in NOTES.applied(db)] == ["notes"]


def test_two_processes_that_start_together_migrate_once(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def start() -> None:
        try:
            Database(tmp_path / "x.db", [CORE, NOTES])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=start) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_migration_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    broken = Migrations("notes")
    broken(name="notes")(notes)

    @broken()
    def second(db: Sqlite) -> None:
        db.execute("alter table notes add column extra text")
        db.execute("select nonsense from nowhere")

    with pytest.raises(StorageError):
        Database(tmp_path / "x.db", [broken])
    database = Database(tmp_path / "x.db", [NOTES])
    with database.read() as db:
        assert set(db.table("notes").columns_dict) == {"id", "text"}


def test_a_database_of_a_newer_version_is_not_touched(tmp_path: Path) -> None:
    newer = Migrations("notes")
    newer(name="notes")(notes)
    newer(name="from_the_future")(lambda db: None)
    Database(tmp_path / "x.db", [newer])
    with pytest.raises(StorageError, match=r"newer version.*from_the_future"):
        Database(tmp_path / "x.db", [NOTES])


def test_a_full_disk_is_said_and_earlier_data_are_safe(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.db", [NOTES])
    add(database, "early")
    with database.read() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
    with database._lock:
        database._db.conn.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(StorageError, match=r"full.*Free some disk space"):
        add(database, "x" * 100_000)
    assert texts(database) == ["early"]


def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"no database at all " * 100)
    with pytest.raises(StorageError, match="damaged"):
        Database(path, [NOTES])
    assert path.read_bytes() == b"no database at all " * 100


def test_a_damaged_page_is_said(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.db", [NOTES])
    for number in range(200):
        add(database, f"{number} " + "x" * 200)
    database.close()
    with (tmp_path / "x.db").open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 8192)
    with pytest.raises(StorageError, match="damaged"):
        texts(Database(tmp_path / "x.db", [NOTES]))


def test_a_folder_in_the_place_of_the_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.db").mkdir()
    with pytest.raises(StorageError, match=r"can't be opened.*TRESEN_DATA"):
        Database(tmp_path / "x.db")


def test_a_file_in_the_place_of_the_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(StorageError, match=r"can't be opened"):
        Database(tmp_path / "data" / "x.db")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_folder_that_is_read_only_is_said_to_a_user_without_rights(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == os.getuid() and str(parent).startswith("/tmp/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    child = os.fork()
    if child == 0:
        try:
            os.setuid(65534)
            Database(folder / "x.db")
            os._exit(1)
        except StorageError as error:
            os._exit(0 if "Permission denied" in error.message and "TRESEN_DATA" in error.message else 2)
        except BaseException:
            os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_every_storage_error_keeps_its_cause(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.db", [NOTES])
    with pytest.raises(StorageError) as caught, database.read() as db:
        db.execute("select * from nothing")
    assert isinstance(caught.value.__cause__, sqlite3.OperationalError)
