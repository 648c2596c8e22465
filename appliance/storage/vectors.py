"""Embeddings of knowledge texts on disk, so that a restart need not compute them again. Can be deleted."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Mapping, Sequence

from sqlite_utils import Database as Sqlite
from sqlite_utils.migrations import Migrations

from appliance.storage.database import Database

Vector = tuple[float, ...]

VECTORS = Migrations("vectors")


@VECTORS()
def vectors(db: Sqlite) -> None:
    """``key`` is a hash of model and text; ``vector`` holds float32 in the machine's order."""
    db.table("vectors").create({"key": str, "vector": bytes}, pk="key")


class VectorStore:
    """Vectors by model and text, in a database of their own."""

    def __init__(self, database: Database, model: str) -> None:
        self._database = database
        self._model = model

    def get(self, texts: Sequence[str]) -> dict[str, Vector]:
        """The vectors that are there."""
        with self._database.read() as db:
            rows = {
                text: db.execute("select vector from vectors where key = ?", [self._key(text)])
                for text in texts
            }
            found = {text: cursor.fetchone() for text, cursor in rows.items()}
        return {text: tuple(array("f", row[0])) for text, row in found.items() if row}

    def put(self, new: Mapping[str, Vector]) -> None:
        rows = [
            {"key": self._key(text), "vector": array("f", vector).tobytes()} for text, vector in new.items()
        ]
        with self._database.write() as db:
            db.table("vectors").insert_all(rows, replace=True)

    def _key(self, text: str) -> str:
        return hashlib.sha256(f"{self._model}\n{text}".encode()).hexdigest()
