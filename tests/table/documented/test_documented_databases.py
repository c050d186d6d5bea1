"""The examples of the documentation of Flink and Flink CDC: databases and their changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.support.databases import Database, mysql, postgresql, sqlite
from tests.support.documented_examples import environment, followed, rows_of
from tests.support.servers.mysql import DATABASE, LOG, PASSWORD, USER, OwnMySQL
from tests.support.servers.postgres import postgres


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.fixture(scope="module")
def mysql_server() -> Iterator[OwnMySQL]:
    """A server that logs the changes of its rows."""
    server = OwnMySQL(*LOG)
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "postgresql", "mysql"])
def users(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    if request.param == "sqlite":
        found = sqlite(tmp_path)
    elif request.param == "mysql":
        found = mysql(request.getfixturevalue("mysql_server").url, "users")
    else:
        found = postgresql(request.getfixturevalue("server"), "users")
    found.run("CREATE TABLE users (id BIGINT PRIMARY KEY, name VARCHAR(100), age INT, status BOOLEAN)")
    return found


def test_jdbc(users: Database, tmp_path: Path) -> None:
    env, own = environment(), users.options()
    user = f", 'username' = '{own.user_name}', 'password' = '{own.password}'" if own.user_name is not None else ""
    env.execute_sql(f"""
        CREATE TABLE MyUserTable (
          id BIGINT,
          name STRING,
          age INT,
          status BOOLEAN,
          PRIMARY KEY (id) NOT ENFORCED
        ) WITH (
          'connector' = 'jdbc',
          'url' = '{own.url}',
          'table-name' = 'users'{user}
        )""")
    (tmp_path / "T.csv").write_text("1,a,30,true\n2,c,41,true\n")
    env.execute_sql(
        "CREATE TABLE T (id BIGINT, name STRING, age INT, status BOOLEAN, PRIMARY KEY (id) NOT ENFORCED) "
        f"WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'T.csv'}', 'format' = 'csv')"
    )
    env.execute_sql("""
        INSERT INTO MyUserTable
        SELECT id, name, age, status FROM T""")
    rows = rows_of(env, "SELECT id, name, age, status FROM MyUserTable")
    assert sorted(rows) == ["+I (1, 'a', 30, True)", "+I (2, 'c', 41, True)"]
    env.execute_sql(
        "CREATE TEMPORARY VIEW myTopic AS SELECT key, PROCTIME() AS proctime "
        "FROM (VALUES (CAST(2 AS BIGINT)), (CAST(3 AS BIGINT))) AS v(key)"
    )
    joined = rows_of(
        env,
        """
        SELECT key, name FROM myTopic
        LEFT JOIN MyUserTable FOR SYSTEM_TIME AS OF myTopic.proctime
        ON myTopic.key = MyUserTable.id""",
    )
    assert sorted(joined) == ["+I (2, 'c')", "+I (3, None)"]


@pytest.fixture
def orders(mysql_server: OwnMySQL) -> Iterator[Database]:
    """A table as of the page of mysql-cdc, with a row."""
    database = mysql(mysql_server.url, DATABASE)
    database.run(
        "CREATE TABLE orders (order_id INT PRIMARY KEY, order_date DATETIME, customer_name VARCHAR(100), "
        "price DECIMAL(10, 5), product_id INT, order_status BOOLEAN)"
    )
    database.run("INSERT INTO orders VALUES (1, '2020-07-30 10:08:22', 'Jark', 50.5, 102, FALSE)")
    yield database
    database.run("DROP TABLE orders")


def test_mysql_cdc(orders: Database, mysql_server: OwnMySQL) -> None:
    env = environment()
    env.execute_sql("SET 'execution.checkpointing.interval' = '3s'")
    env.execute_sql(f"""
        CREATE TABLE orders (
          order_id INT,
          order_date TIMESTAMP(0),
          customer_name STRING,
          price DECIMAL(10, 5),
          product_id INT,
          order_status BOOLEAN,
          PRIMARY KEY(order_id) NOT ENFORCED
        ) WITH (
          'connector' = 'mysql-cdc',
          'hostname' = '127.0.0.1',
          'port' = '{mysql_server.port}',
          'username' = '{USER}',
          'password' = '{PASSWORD}',
          'database-name' = '{DATABASE}',
          'table-name' = 'orders')""")
    with followed(env, "SELECT * FROM orders") as rows:
        start = "datetime.datetime(2020, 7, 30, 10, 8, 22)"
        assert next(rows) == f"+I (1, {start}, 'Jark', Decimal('50.50000'), 102, False)"
        orders.run("UPDATE orders SET order_status = TRUE WHERE order_id = 1")
        orders.run("DELETE FROM orders WHERE order_id = 1")
        after = f"(1, {start}, 'Jark', Decimal('50.50000'), 102, True)"
        assert [next(rows) for _ in range(3)] == [
            f"-U (1, {start}, 'Jark', Decimal('50.50000'), 102, False)",
            f"+U {after}",
            f"-D {after}",
        ]


def test_mysql_cdc_metadata(orders: Database, mysql_server: OwnMySQL) -> None:
    env = environment()
    env.execute_sql(f"""
        CREATE TABLE products (
          db_name STRING METADATA FROM 'database_name' VIRTUAL,
          table_name STRING METADATA  FROM 'table_name' VIRTUAL,
          operation_ts TIMESTAMP_LTZ(3) METADATA FROM 'op_ts' VIRTUAL,
          operation STRING METADATA FROM 'row_kind' VIRTUAL,
          order_id INT,
          order_date TIMESTAMP(0),
          customer_name STRING,
          price DECIMAL(10, 5),
          product_id INT,
          order_status BOOLEAN,
          PRIMARY KEY(order_id) NOT ENFORCED
        ) WITH (
          'connector' = 'mysql-cdc',
          'hostname' = '127.0.0.1',
          'port' = '{mysql_server.port}',
          'username' = '{USER}',
          'password' = '{PASSWORD}',
          'database-name' = '({DATABASE}|^(tpc).*|txc|.*[p$]|t{{2}})',
          'table-name' = '(t[5-8]|tt|orders)'
        )""")
    query = "SELECT db_name, table_name, operation, order_id, operation_ts > TO_TIMESTAMP_LTZ(0, 3) FROM products"
    with followed(env, query) as rows:
        assert next(rows) == f"+I ('{DATABASE}', 'orders', '+I', 1, False)"
        orders.run("DELETE FROM orders WHERE order_id = 1")
        assert next(rows) == f"-D ('{DATABASE}', 'orders', '-D', 1, True)"


@pytest.fixture
def shipments(server: str) -> Iterator[psycopg.Connection]:
    """A table as of the page of postgres-cdc, with a row."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE shipments (shipment_id int PRIMARY KEY, order_id int, origin text, destination text, "
            "is_arrived boolean)"
        )
        connection.execute("ALTER TABLE shipments REPLICA IDENTITY FULL")
        connection.execute("INSERT INTO shipments VALUES (1001, 1, 'Beijing', 'Shanghai', false)")
        yield connection
        connection.execute("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots")
        connection.execute("DROP PUBLICATION IF EXISTS flink")
        connection.execute("DROP TABLE shipments")


def address_of(server: str) -> str:
    """The options that say where PostgreSQL is."""
    parts = conninfo_to_dict(server)
    return f"""
          'hostname' = '{parts["host"]}',
          'port' = '{parts.get("port", 5432)}',
          'username' = '{parts["user"]}',
          'password' = '{parts.get("password", "postgres")}',
          'database-name' = '{parts["dbname"]}',"""


def test_postgres_cdc(shipments: psycopg.Connection, server: str) -> None:
    env = environment()
    env.execute_sql(f"""
        CREATE TABLE shipments (
          shipment_id INT,
          order_id INT,
          origin STRING,
          destination STRING,
          is_arrived BOOLEAN
        ) WITH (
          'connector' = 'postgres-cdc',{address_of(server)}
          'schema-name' = 'public',
          'table-name' = 'shipments',
          'slot.name' = 'flink',
          -- experimental feature: incremental snapshot (default off)
          'scan.incremental.snapshot.enabled' = 'true'
        )""")
    with followed(env, "SELECT * FROM shipments") as rows:
        before, after = ("(1001, 1, 'Beijing', 'Shanghai', False)", "(1001, 1, 'Beijing', 'Shanghai', True)")
        assert next(rows) == f"+I {before}"
        shipments.execute("UPDATE shipments SET is_arrived = true WHERE shipment_id = 1001")
        shipments.execute("DELETE FROM shipments")
        assert [next(rows) for _ in range(3)] == [f"-U {before}", f"+U {after}", f"-D {after}"]


def test_postgres_cdc_metadata(shipments: psycopg.Connection, server: str) -> None:
    env = environment()
    env.execute_sql(f"""
        CREATE TABLE products (
          db_name STRING METADATA FROM 'database_name' VIRTUAL,
          table_name STRING METADATA  FROM 'table_name' VIRTUAL,
          operation_ts TIMESTAMP_LTZ(3) METADATA FROM 'op_ts' VIRTUAL,
          shipment_id INT,
          order_id INT,
          origin STRING,
          destination STRING,
          is_arrived BOOLEAN
        ) WITH (
          'connector' = 'postgres-cdc',{address_of(server)}
          'schema-name' = 'public',
          'table-name' = 'shipments',
          'slot.name' = 'flink'
        )""")
    query = "SELECT db_name, table_name, shipment_id, operation_ts > TO_TIMESTAMP_LTZ(0, 3) FROM products"
    database = conninfo_to_dict(server)["dbname"]
    with followed(env, query) as rows:
        assert next(rows) == f"+I ('{database}', 'shipments', 1001, False)"
        shipments.execute("DELETE FROM shipments")
        assert next(rows) == f"-D ('{database}', 'shipments', 1001, True)"
