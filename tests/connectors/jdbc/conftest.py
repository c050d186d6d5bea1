"""Databases for the tests of JDBC: SQLite, and a PostgreSQL and a MySQL that the tests of a file share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from datastream.config.settings import settings
from tests.support.databases import Database, mysql, postgresql, sqlite
from tests.support.servers import mysql as mysql_server
from tests.support.servers.postgres import postgres


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.fixture(scope="module")
def mysql_url() -> Iterator[str]:
    with mysql_server.mysql() as url:
        yield url


@pytest.fixture(params=["local", "spark"])
def executor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs run on the local executor, and on Spark."""
    monkeypatch.setattr(settings(), "executor", request.param)


@pytest.fixture(params=["sqlite", "postgresql", "mysql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[str], Database]]:
    """Makes databases with an empty table ``numbers``, by a name."""

    def make(name: str) -> Database:
        if request.param == "sqlite":
            folder = tmp_path / name
            folder.mkdir(exist_ok=True)
            found = sqlite(folder)
        elif request.param == "mysql":
            found = mysql(request.getfixturevalue("mysql_url"), name)
        else:
            found = postgresql(request.getfixturevalue("server"), name)
        found.run("CREATE TABLE IF NOT EXISTS numbers (id INTEGER, name TEXT)")
        found.run("DELETE FROM numbers")
        return found

    yield make
