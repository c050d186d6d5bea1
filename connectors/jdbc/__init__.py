"""Databases, by the names of Flink's JDBC connector over drivers of Python: no jar, no Java.

`JdbcSink.sink` writes by a statement of the user's, `JdbcSink.exactly_once_sink` with a marker in the same transaction.
`JdbcSource` reads a query, `JdbcLookupFunction` joins a stream with one.
`PostgresChangeSource` reads a table and its changes, `MySqlChangeSource` tables of MySQL and theirs.
Databases: PostgreSQL (``pip install psycopg``), MySQL (``pip install pymysql``) and SQLite (of the standard library).
"""

from .changes import PostgresChangeSource
from .lookup import JdbcLookupFunction
from .mysql_changes import MySqlChangeSource, StartupOptions
from .options import JdbcConnectionOptions, JdbcExecutionOptions
from .sink import JdbcSink
from .source import JdbcSource

__all__ = [
    "JdbcConnectionOptions",
    "JdbcExecutionOptions",
    "JdbcLookupFunction",
    "JdbcSink",
    "JdbcSource",
    "MySqlChangeSource",
    "PostgresChangeSource",
    "StartupOptions",
]
