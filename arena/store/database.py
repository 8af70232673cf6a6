"""Opening the database: its version, its migrations, and how it is set up."""

from __future__ import annotations

import sqlite3
from importlib.resources import files
from pathlib import Path

from arena.errors import ArenaError, Exit
from arena.store.folder import DATABASE, environment, no_tournament

APPLICATION_ID = 0x41524E41
"""Marks a database as an arena's own: `ARNA`."""
MIGRATIONS: tuple[str, ...] = ("schema.sql",)
"""Script number i brings a database of version i to version i + 1; the first makes it."""
VERSION = len(MIGRATIONS)


def open_writer(folder: Path) -> tuple[sqlite3.Connection, bool]:
    """A connection that may write, and whether the database is empty: then a transaction is open in it.

    An older database is brought up to date. Raises ArenaError (ENVIRONMENT) for one that a newer arena
    made, for something else's database, and for what the disk refuses.
    """
    path = folder / DATABASE
    with environment(path):
        if not path.exists():
            path.touch(mode=0o600)  # it holds the seed: no other user's process may read it
        connection = sqlite3.connect(path, isolation_level=None, timeout=5.0)
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            version = _version(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            if version < VERSION:
                connection.executescript("BEGIN IMMEDIATE;" + "".join(_scripts(version)))
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
                if version > 0:
                    connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
    return connection, version == 0


def open_reader(folder: Path) -> sqlite3.Connection:
    """A connection that only reads, also while another process writes, also from a read-only medium.

    Raises ArenaError where there is no tournament (BAD_INPUT), or one of another version (ENVIRONMENT).
    """
    path = folder / DATABASE
    if not path.is_file():
        raise no_tournament(folder)
    with environment(path):
        connection = _connect_reader(path)
        try:
            version = _version(connection, path)
        except BaseException:
            connection.close()
            raise
    if version < VERSION:
        connection.close()
        if version == 0:
            raise ArenaError(f"{folder}: holds no tournament", hint="its database is empty")
        raise ArenaError(
            f"{path}: has version {version}, and this arena reads version {VERSION}",
            hint="`arena run` with the same options brings it up to date",
            exit_code=Exit.ENVIRONMENT,
        )
    return connection


def _connect_reader(path: Path) -> sqlite3.Connection:
    uri = path.resolve().as_uri()
    connection = sqlite3.connect(f"{uri}?mode=ro", uri=True, isolation_level=None, timeout=5.0)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        waiting = path.with_name(path.name + "-wal")
        if error.sqlite_errorname not in ("SQLITE_CANTOPEN", "SQLITE_READONLY") or waiting.exists():
            raise
        # A read-only folder: SQLite cannot make its shared-memory file there, and needs none,
        # since nobody can be writing.
        connection = sqlite3.connect(f"{uri}?immutable=1", uri=True, isolation_level=None)
    except BaseException:
        connection.close()
        raise
    return connection


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """The database's version, 0 for an empty one."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if tables and application != APPLICATION_ID:
        raise ArenaError(
            f"{path}: is a database of some other program",
            hint="give another --out",
        )
    if version > VERSION:
        raise ArenaError(
            f"{path}: has version {version}, and this arena knows versions up to {VERSION}",
            hint="a newer arena made it: update this one, or give another --out",
            exit_code=Exit.ENVIRONMENT,
        )
    return version if tables else 0


def _scripts(version: int) -> list[str]:
    folder = files("arena.store")
    return [folder.joinpath(name).read_text(encoding="utf-8") for name in MIGRATIONS[version:]]
