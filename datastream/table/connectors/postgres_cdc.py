"""The connector ``postgres-cdc``: a table of PostgreSQL as it is, and then its changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NoReturn
from urllib.parse import quote

from datastream.connectors.jdbc import JdbcConnectionOptions, PostgresChangeSource
from datastream.errors import ValidationError
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType

from .change_rows import APPEND_ONLY, ChangedColumn, ChangeRows, OperationTime, server_options
from .connector import Option, Settings, TableConnector, TableInfo, naming, only_source
from .jdbc_values import reader_of
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment

_FULL = "f"  # of pg_class.relreplident
_TEXT = DataTypes.STRING(False)
_TIME, _KIND = "op_ts", "row_kind"
#: Key of metadata -> the option with its value.
_NAMES = {"database_name": "database-name", "schema_name": "schema-name", "table_name": "table-name"}


class PostgresCdcConnector(TableConnector):
    """See the module. Each row and each change comes exactly once. It only reads; names of options are Flink CDC's."""

    name = "postgres-cdc"
    options = (
        *server_options(5432, "A user with the attribute REPLICATION."),
        Option("database-name", required=True, doc="The database."),
        Option("schema-name", required=True, doc="The schema of the table."),
        Option("table-name", required=True, doc="The table; it needs a primary key."),
        Option("slot.name", required=True, doc="The replication slot, made unless it is there. One job uses it."),
        Option("decoding.plugin.name", default="pgoutput", choices=("pgoutput",), doc="Only pgoutput."),
        Option(
            "changelog-mode",
            default="all",
            choices=("all", "upsert"),
            doc="upsert: of tables without REPLICA IDENTITY FULL; the last row of each PRIMARY KEY is kept as state.",
        ),
        Option(
            "scan.startup.mode",
            default="initial",
            choices=("initial", "latest-offset", "snapshot"),
            doc="latest-offset: changes alone. snapshot: it ends with what is committed when the job starts.",
        ),
        Option("debezium.publication.name", doc="The publication, made unless it is there. Default: the slot's name."),
        APPEND_ONLY,
        Option("scan.incremental.snapshot.enabled", "boolean", True, doc="Has no effect: the table is read in parts."),
        Option("scan.incremental.snapshot.chunk.size", "integer", doc="Has no effect."),
        Option("heartbeat.interval", "duration", doc="Has no effect: the slot moves on with each epoch."),
        Option("heartbeat.interval.ms", "duration", doc="Has no effect."),
    )
    metadata: ClassVar[Mapping[str, DataType]] = {
        **dict.fromkeys(_NAMES, _TEXT),
        _TIME: DataTypes.TIMESTAMP_LTZ(3).not_null(),
        _KIND: _TEXT,
    }

    def check(self, table: TableInfo) -> None:
        settings = self.settings(table)
        if settings["changelog-mode"] == "upsert" and not table.primary_key:
            raise ValidationError(f"{table}: 'changelog-mode' = 'upsert' needs a PRIMARY KEY")
        _source(table, settings)

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        timed = any(table.metadata.get(name) == _TIME for name in wanted)
        columns = [self._column(table, settings, name) for name in wanted]
        inner = _source(table, settings, timed)
        upserts, appends = settings["changelog-mode"] == "upsert", settings[APPEND_ONLY.name]
        check = None if upserts else _CheckIdentity(inner, str(table))
        source = ChangeRows(inner, columns, check, upserts, appends)
        return scanned(env, source, self, table, wanted, None, updates=not appends)

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> NoReturn:
        raise only_source(self.name)

    def has_changes(self, table: TableInfo) -> bool:
        return not self.upsert_key(table) and not self.settings(table)[APPEND_ONLY.name]

    def upsert_key(self, table: TableInfo) -> tuple[str, ...]:
        settings = self.settings(table)
        upserts = settings["changelog-mode"] == "upsert" and not settings[APPEND_ONLY.name]
        return table.primary_key if upserts else ()

    def _column(self, table: TableInfo, settings: Settings, name: str) -> ChangedColumn:
        what = f"{table}, column '{name}'"
        key = table.metadata.get(name)
        if key is None:
            return ChangedColumn(name, reader_of(table.type_of(name), "UTC", what))
        kind = self.metadata_type(key, table)
        if key == _TIME:
            return ChangedColumn(f"__{key}", OperationTime(reader_of(kind, "UTC", what)))
        return ChangedColumn() if key == _KIND else ChangedColumn(constant=settings[_NAMES[key]])


def _source(table: TableInfo, settings: Settings, timed: bool = False) -> PostgresChangeSource:
    host, database = quote(settings["hostname"], safe=":[]"), quote(settings["database-name"], safe="")
    url = f"jdbc:postgresql://{host}:{settings['port']}/{database}"
    options = JdbcConnectionOptions(url, None, settings["username"], settings["password"])
    builder = PostgresChangeSource.builder().set_connection_options(options).set_slot_name(settings["slot.name"])
    builder = builder.set_table(f"{settings['schema-name']}.{settings['table-name']}")
    if settings["debezium.publication.name"] is not None:
        builder = builder.set_publication_name(settings["debezium.publication.name"])
    mode = settings["scan.startup.mode"]
    builder = builder.set_snapshot(mode != "latest-offset").include_metadata(*(("__op_ts",) if timed else ()))
    with naming(table):
        return (builder.set_bounded() if mode == "snapshot" else builder).build()


@dataclass(frozen=True)
class _CheckIdentity:
    """See that PostgreSQL logs whole rows.

    Attributes:
        source: Of them.
        of: The table, for errors.
    """

    source: PostgresChangeSource
    of: str

    def __call__(self) -> None:
        from datastream.connectors.jdbc.dialects import dialect_of

        table = self.source.table
        with dialect_of(self.source.connection_options).connect() as connection:
            row = connection.execute(
                "SELECT relreplident FROM pg_class WHERE oid = to_regclass(%s)", (table,)
            ).fetchone()
        if row is not None and row[0] not in (_FULL, _FULL.encode()):
            raise ValidationError(
                f"{self.of}: PostgreSQL logs of changed rows of {table} their key alone: run ALTER TABLE "
                f"{table} REPLICA IDENTITY FULL, or set 'changelog-mode' = 'upsert'"
            )
