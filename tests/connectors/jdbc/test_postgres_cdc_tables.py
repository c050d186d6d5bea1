"""Tables of the connector postgres-cdc, on a real server."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from datastream.config.settings import settings
from datastream.errors import JobError, ValidationError
from datastream.table import TableEnvironment
from tests.support.cdc_tables import declare_goods, followed, rows_of

COLUMNS = "id INT, name STRING, price DECIMAL(8, 2), at TIMESTAMP(6), PRIMARY KEY (id) NOT ENFORCED"


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


class Table:
    """A table ``goods``, without a slot."""

    def __init__(self, url: str) -> None:
        self.connection = psycopg.connect(url, autocommit=True)
        self._server = {key: str(value) for key, value in conninfo_to_dict(url).items()}
        self.run("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots")
        self.run("DROP PUBLICATION IF EXISTS goods_job")
        self.run("DROP TABLE IF EXISTS goods")
        self.run("CREATE TABLE goods (id int PRIMARY KEY, name text, price decimal(8, 2), at timestamp)")
        self.run("INSERT INTO goods VALUES (1, 'a', 1.5, '2026-01-31 12:00:00.5'), (2, 'b', NULL, NULL)")

    def run(self, statement: str) -> None:
        self.connection.execute(statement)

    def millis(self) -> int:
        """The time of the server, in ms since 1970."""
        ((found,),) = self.connection.execute("SELECT floor(extract(epoch FROM now()) * 1000)::bigint").fetchall()
        return int(found)

    def declare(self, columns: str = COLUMNS, **options: str) -> TableEnvironment:
        given = {
            "connector": "postgres-cdc",
            "hostname": self._server["host"],
            "port": self._server.get("port", "5432"),
            "username": self._server.get("user", "postgres"),
            "password": self._server.get("password", "none"),
            "database-name": self._server.get("dbname", "postgres"),
            "schema-name": "public",
            "slot.name": "goods_job",
            **{name.replace("__", "."): value for name, value in options.items()},
        }
        return declare_goods(columns, given)


@pytest.fixture
def goods(server: str) -> Iterator[Table]:
    found = Table(server)
    yield found
    found.connection.close()


def test_the_rows_and_then_the_changes(goods: Table) -> None:
    goods.run("ALTER TABLE goods REPLICA IDENTITY FULL")
    env = goods.declare(**{"scan__startup__mode": "initial"})
    with followed(env, "SELECT id, name, CAST(price AS STRING), CAST(at AS STRING) FROM goods") as rows:
        assert sorted(next(rows) for _ in range(2)) == [
            "+I (1, 'a', '1.50', '2026-01-31 12:00:00.500000')",
            "+I (2, 'b', None, None)",
        ]
        goods.run("UPDATE goods SET name = 'c' WHERE id = 2")
        goods.run("UPDATE goods SET id = 3 WHERE id = 2")
        goods.run("DELETE FROM goods WHERE id = 1")
        assert [next(rows) for _ in range(5)] == [
            "-U (2, 'b', None, None)",
            "+U (2, 'c', None, None)",
            "-D (2, 'c', None, None)",
            "+I (3, 'c', None, None)",
            "-D (1, 'a', '1.50', '2026-01-31 12:00:00.500000')",
        ]


def test_a_table_that_logs_keys_alone_is_read_as_upserts(goods: Table) -> None:
    env = goods.declare()
    with pytest.raises(JobError, match="ALTER TABLE public.goods REPLICA IDENTITY FULL, or set 'changelog-mode'"):
        rows_of(env, "SELECT * FROM goods")
    env = goods.declare(**{"changelog-mode": "upsert", "scan__startup__mode": "initial"})
    with followed(env, "SELECT COUNT(*) AS n, MAX(name) AS most FROM goods") as rows:
        assert [next(rows) for _ in range(3)][-1] == "+U (2, 'b')"
        goods.run("DELETE FROM goods WHERE id = 2")
        assert [next(rows) for _ in range(2)] == ["-U (2, 'b')", "+U (1, 'a')"]


def test_some_columns_and_names(goods: Table) -> None:
    goods.run("ALTER TABLE goods REPLICA IDENTITY FULL")
    virtual = "origin STRING METADATA FROM 'table_name' VIRTUAL, s STRING METADATA FROM 'schema_name' VIRTUAL"
    env = goods.declare(f"name STRING, {virtual}")
    assert sorted(rows_of(env, "SELECT origin, s, name FROM goods")) == [
        "+I ('goods', 'public', 'a')",
        "+I ('goods', 'public', 'b')",
    ]


def test_when_and_what_the_changes_were(goods: Table) -> None:
    goods.run("ALTER TABLE goods REPLICA IDENTITY FULL")
    columns = "id INT, name STRING, op_ts TIMESTAMP_LTZ(3) METADATA VIRTUAL, row_kind STRING METADATA VIRTUAL"
    options = {"scan__startup__mode": "initial", "scan.read-changelog-as-append-only.enabled": "true"}
    env = goods.declare(columns, **options)
    begun = goods.millis()
    query = (
        "SELECT id, name, row_kind, CASE WHEN op_ts = TO_TIMESTAMP_LTZ(0, 3) THEN 'at the start' "
        f"WHEN op_ts >= TO_TIMESTAMP_LTZ({begun}, 3) THEN 'later' ELSE 'wrong' END FROM goods"
    )
    with followed(env, query) as rows:
        assert sorted(next(rows) for _ in range(2)) == [
            "+I (1, 'a', '+I', 'at the start')",
            "+I (2, 'b', '+I', 'at the start')",
        ]
        goods.run("UPDATE goods SET name = 'c' WHERE id = 2")
        goods.run("DELETE FROM goods WHERE id = 1")
        goods.run("INSERT INTO goods VALUES (3, 'd', NULL, NULL)")
        assert [next(rows) for _ in range(4)] == [
            "+I (2, 'b', '-U', 'later')",
            "+I (2, 'c', '+U', 'later')",
            "+I (1, 'a', '-D', 'later')",
            "+I (3, 'd', '+I', 'later')",
        ]


def test_upserts_as_new_rows(goods: Table) -> None:
    columns = f"{COLUMNS}, op_ts TIMESTAMP_LTZ(3) METADATA VIRTUAL, row_kind STRING METADATA VIRTUAL"
    options = {"scan.startup.mode": "initial", "changelog-mode": "upsert"}
    env = goods.declare(columns, **options, **{"scan.read-changelog-as-append-only.enabled": "true"})
    with followed(env, "SELECT id, name, row_kind FROM goods") as rows:
        assert sorted(next(rows) for _ in range(2)) == ["+I (1, 'a', '+I')", "+I (2, 'b', '+I')"]
        goods.run("UPDATE goods SET name = 'c' WHERE id = 2")
        goods.run("DELETE FROM goods WHERE id = 1")
        assert [next(rows) for _ in range(2)] == ["+I (2, 'c', '+U')", "+I (1, None, '-D')"]


def test_a_column_with_the_name_of_metadata(goods: Table) -> None:
    goods.run("ALTER TABLE goods REPLICA IDENTITY FULL")
    goods.run("ALTER TABLE goods ADD __op_ts int")
    env = goods.declare("id INT, op_ts TIMESTAMP_LTZ(3) METADATA VIRTUAL")
    with pytest.raises(JobError, match="public.goods has a column '__op_ts', which is the name of metadata"):
        rows_of(env, "SELECT id, op_ts FROM goods")


def test_what_does_not_fit_is_refused(goods: Table) -> None:
    for columns, options, says in (
        ("id INT", {"changelog-mode": "upsert"}, "needs a PRIMARY KEY"),
        ("id INT", {"slot__name": "No"}, "set_slot_name"),
        ("id INT", {"decoding__plugin__name": "decoderbufs"}, "decoding.plugin.name"),
    ):
        env = goods.declare(columns, **options)
        with pytest.raises(ValidationError, match=says):
            env.execute_sql("SELECT * FROM goods")
    env = goods.declare()
    with pytest.raises(ValidationError, match="can only be used as a source"):
        env.execute_sql("INSERT INTO goods (id) VALUES (1)")
