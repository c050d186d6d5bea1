"""Tables of the connector mysql-cdc, on a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pymysql
import pytest

from datastream.config.settings import settings
from datastream.errors import JobError, ValidationError
from datastream.table import TableEnvironment
from tests.support.cdc_tables import declare_goods, followed, rows_of
from tests.support.servers.mysql import DATABASE, LOG, PASSWORD, USER, OwnMySQL

COLUMNS = "id BIGINT, name STRING, price DECIMAL(8, 2), at TIMESTAMP(6), PRIMARY KEY (id) NOT ENFORCED"


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


@pytest.fixture(scope="module")
def logging_server() -> Iterator[OwnMySQL]:
    server = OwnMySQL(*LOG)
    yield server
    server.stop()


class Goods:
    """A table ``goods`` of two rows."""

    def __init__(self, server: OwnMySQL) -> None:
        self._port = server.port
        self.connection = pymysql.connect(
            host="127.0.0.1", port=server.port, user=USER, password=PASSWORD, database=DATABASE, autocommit=True
        )
        self.run("DROP TABLE IF EXISTS goods, goods_2")
        self.run(
            "CREATE TABLE goods (id INT UNSIGNED PRIMARY KEY, name TEXT, price DECIMAL(8, 2), at DATETIME(6), "
            "t TIMESTAMP)"
        )
        self.run("INSERT INTO goods VALUES (1, 'a', 1.5, '2026-01-31 12:00:00.5', '2026-01-31 12:00:00')")
        self.run("INSERT INTO goods (id, name) VALUES (4000000000, 'b')")

    def run(self, *statements: str) -> list[Any]:
        with self.connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())

    def declare(self, columns: str = COLUMNS, **options: str) -> TableEnvironment:
        given = {
            "connector": "mysql-cdc",
            "hostname": "127.0.0.1",
            "port": str(self._port),
            "username": USER,
            "password": PASSWORD,
            "database-name": DATABASE,
            **options,
        }
        return declare_goods(columns, given)


@pytest.fixture
def goods(logging_server: OwnMySQL) -> Iterator[Goods]:
    found = Goods(logging_server)
    yield found
    found.connection.close()


def test_the_rows_and_then_the_changes(goods: Goods) -> None:
    env = goods.declare(**{"scan.startup.mode": "initial"})
    with followed(env, "SELECT id, name, CAST(price AS STRING), CAST(at AS STRING) FROM goods") as rows:
        assert sorted(next(rows) for _ in range(2)) == [
            "+I (1, 'a', '1.50', '2026-01-31 12:00:00.500000')",
            "+I (4000000000, 'b', None, None)",
        ]
        goods.run("ALTER TABLE goods DROP price, ADD more INT FIRST")
        goods.run("UPDATE goods SET name = 'c' WHERE id = 4000000000", "UPDATE goods SET id = 3 WHERE name = 'c'")
        goods.run("DELETE FROM goods WHERE id = 1")
        assert [next(rows) for _ in range(5)] == [
            "-U (4000000000, 'b', None, None)",
            "+U (4000000000, 'c', None, None)",
            "-D (4000000000, 'c', None, None)",
            "+I (3, 'c', None, None)",
            "-D (1, 'a', None, '2026-01-31 12:00:00.500000')",
        ]


def test_an_aggregate_follows(goods: Goods) -> None:
    env = goods.declare(**{"scan.startup.mode": "initial"})
    with followed(env, "SELECT COUNT(*) AS n, MAX(name) AS most FROM goods") as rows:
        while next(rows) != "+U (2, 'b')":
            pass
        goods.run("DELETE FROM goods WHERE name = 'b'")
        while next(rows) != "+U (1, 'a')":
            pass


def test_metadata_of_many_tables(goods: Goods) -> None:
    goods.run("CREATE TABLE goods_2 (id INT PRIMARY KEY, name TEXT)", "INSERT INTO goods_2 VALUES (7, 'z')")
    columns = (
        "name STRING, d STRING METADATA FROM 'database_name' VIRTUAL, table_name STRING METADATA VIRTUAL, "
        "op_ts TIMESTAMP_LTZ(3) METADATA VIRTUAL, row_kind STRING METADATA VIRTUAL"
    )
    env = goods.declare(columns, **{"table-name": "goods.*"})
    query = "SELECT d, table_name, name, CAST(op_ts AS STRING), row_kind FROM goods"
    assert sorted(rows_of(env, query)) == [
        "+I ('test', 'goods', 'a', '1970-01-01 00:00:00.000', '+I')",
        "+I ('test', 'goods', 'b', '1970-01-01 00:00:00.000', '+I')",
        "+I ('test', 'goods_2', 'z', '1970-01-01 00:00:00.000', '+I')",
    ]


def test_changes_as_new_rows(goods: Goods) -> None:
    ((file, at, *_),) = goods.run("SHOW MASTER STATUS")
    goods.run("UPDATE goods SET name = 'x' WHERE id = 1", "DELETE FROM goods WHERE id = 1")
    env = goods.declare(
        "id BIGINT, name STRING, row_kind STRING METADATA VIRTUAL",
        **{
            "scan.startup.mode": "specific-offset",
            "scan.startup.specific-offset.file": file,
            "scan.startup.specific-offset.pos": str(at),
            "scan.read-changelog-as-append-only.enabled": "true",
        },
    )
    with followed(env, "SELECT id, name, row_kind FROM goods") as rows:
        assert [next(rows) for _ in range(3)] == ["+I (1, 'a', '-U')", "+I (1, 'x', '+U')", "+I (1, 'x', '-D')"]


def test_timestamps_are_instants_in_the_servers_zone(goods: Goods) -> None:
    for zone in ("UTC", "Asia/Tokyo"):
        env = goods.declare("t TIMESTAMP_LTZ(3), id BIGINT", **{"server-time-zone": zone})
        with goods.connection.cursor() as cursor:
            cursor.execute("SELECT UNIX_TIMESTAMP(t) FROM goods WHERE id = 1")
            seconds = cursor.fetchone()[0]
        query = (
            "SELECT CAST(CAST(t AS STRING) = CAST(TO_TIMESTAMP_LTZ(%d, 0) AS STRING) AS STRING) FROM goods WHERE id = 1"
        )
        assert rows_of(env, query % seconds) == ["+I ('TRUE',)"], zone


def test_what_does_not_fit_is_refused(goods: Goods) -> None:
    for options, says in (
        ({"scan.startup.specific-offset.gtid-set": "0-1-5"}, "offsets are a file and a position"),
        ({"scan.startup.mode": "specific-offset"}, "needs the option 'scan.startup.specific-offset.file'"),
        ({"scan.startup.timestamp-millis": "5"}, "needs 'scan.startup.mode' = 'timestamp'"),
        ({"table-name": "("}, "regular expressions"),
        ({"server-id": "x"}, "a number or a range"),
        ({"server-time-zone": "Nowhere"}, "there is no time zone"),
    ):
        env = goods.declare("id BIGINT", **options)
        with pytest.raises(ValidationError, match=says):
            env.execute_sql("SELECT * FROM goods")
    env = goods.declare("id BIGINT, nme STRING")
    with pytest.raises(JobError, match="no table of MySQL that is read has a column 'nme'"):
        rows_of(env, "SELECT * FROM goods")
    with pytest.raises(ValidationError, match="can only be used as a source"):
        env.execute_sql("INSERT INTO goods (id) VALUES (1)")
