"""The connector ``mysql-cdc``: tables of MySQL as they are, and then their changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NoReturn

from datastream.connectors.jdbc import MySqlChangeSource, StartupOptions
from datastream.errors import ValidationError
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType

from .change_rows import APPEND_ONLY, ChangedColumn, ChangeRows, OperationTime, server_options
from .connector import Option, Settings, TableConnector, TableInfo, only_source
from .jdbc_values import reader_of
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment

_TEXT = DataTypes.STRING(False)
_FILE, _POS = "scan.startup.specific-offset.file", "scan.startup.specific-offset.pos"
_MILLIS = "scan.startup.timestamp-millis"


class MySqlCdcConnector(TableConnector):
    """See the module. Each row and each change comes exactly once. It only reads; names of options are Flink CDC's."""

    name = "mysql-cdc"
    options = (
        *server_options(3306, "A user with SELECT, REPLICATION SLAVE and REPLICATION CLIENT."),
        Option("database-name", required=True, doc="The database, or a regular expression of whole names."),
        Option("table-name", required=True, doc="The table, or a regular expression; tables need primary keys."),
        Option(
            "server-id", doc="By which it reads the log: a number or a range, of no replica. Default: a random one."
        ),
        Option(
            "scan.startup.mode",
            default="initial",
            choices=("initial", "earliest-offset", "latest-offset", "specific-offset", "timestamp", "snapshot"),
            doc="snapshot: it ends with what is committed when the job starts. All but it and initial: changes alone.",
        ),
        Option(_FILE, doc="File of the log where specific-offset begins."),
        Option(_POS, "integer", doc="Position in it, between two transactions."),
        Option("scan.startup.specific-offset.gtid-set", doc="Refused: offsets are a file and a position."),
        Option(_MILLIS, "integer", doc="Where timestamp begins, in ms since 1970."),
        Option("server-time-zone", default="UTC", doc="In which TIMESTAMPs of MySQL are told."),
        Option("connect.timeout", "duration", 30_000, doc="Longest time until there is a connection."),
        Option("connect.max-retries", "integer", doc="Has no effect: the restart strategy says how often."),
        Option("connection.pool.size", "integer", doc="Has no effect: a task has its own connection."),
        Option("heartbeat.interval", "duration", doc="Has no effect: the offset moves on when other tables change."),
        Option("scan.incremental.snapshot.enabled", "boolean", True, doc="Has no effect: tables are read in parts."),
        Option("scan.incremental.snapshot.chunk.size", "integer", doc="Has no effect."),
        APPEND_ONLY,
    )
    metadata: ClassVar[Mapping[str, DataType]] = {
        "database_name": _TEXT,
        "table_name": _TEXT,
        "op_ts": DataTypes.TIMESTAMP_LTZ(3).not_null(),
        "row_kind": _TEXT,
    }

    def check(self, table: TableInfo) -> None:
        _source(table, self.settings(table), ())

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        zone = settings["server-time-zone"]
        columns = [self._column(table, name, zone) for name in wanted]
        metadata = {column.name for column in columns if column.name and column.name.startswith("__")}
        inner = _source(table, settings, sorted(metadata & {"__database_name", "__table_name", "__op_ts"}))
        appends = settings[APPEND_ONLY.name]
        physical = tuple(name for name in wanted if name not in table.metadata)
        source = ChangeRows(inner, columns, _CheckColumns(inner, str(table), physical), appends=appends)
        return scanned(env, source, self, table, wanted, None, updates=not appends)

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> NoReturn:
        raise only_source(self.name)

    def has_changes(self, table: TableInfo) -> bool:
        return not self.settings(table)[APPEND_ONLY.name]

    def _column(self, table: TableInfo, name: str, zone: str) -> ChangedColumn:
        what = f"{table}, column '{name}'"
        key = table.metadata.get(name)
        if key is None:
            return ChangedColumn(name, reader_of(table.type_of(name), zone, what))
        kind = self.metadata_type(key, table)
        if key == "row_kind":
            return ChangedColumn()
        read = reader_of(kind, "UTC", what)
        return ChangedColumn(f"__{key}", OperationTime(read) if key == "op_ts" else read)


@dataclass(frozen=True)
class _CheckColumns:
    """See that columns are those of a table of the server.

    Attributes:
        source: Of the tables.
        of: The table, for errors.
        columns: Names.
    """

    source: MySqlChangeSource
    of: str
    columns: tuple[str, ...]

    def __call__(self) -> None:
        from contextlib import closing

        from datastream.connectors.jdbc.dialects import dialect_of

        with closing(dialect_of(self.source.connection_options).connect()) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT table_schema, table_name, column_name FROM information_schema.columns")
            found = {column for schema, name, column in cursor.fetchall() if self.source.concerns(schema, name)}
        for column in self.columns:
            if found and column not in found:
                raise ValidationError(f"{self.of}: no table of MySQL that is read has a column {column!r}")


def _startup(table: TableInfo, settings: Settings) -> StartupOptions:
    if settings["scan.startup.specific-offset.gtid-set"] is not None:
        raise ValidationError(
            f"{table}: 'scan.startup.specific-offset.gtid-set' is not supported: offsets are a file and a position of "
            f"the log, '{_FILE}' and '{_POS}', which SHOW BINLOG EVENTS tells of a GTID"
        )
    mode = settings["scan.startup.mode"]
    for option, needed in ((_FILE, "specific-offset"), (_POS, "specific-offset"), (_MILLIS, "timestamp")):
        if mode == needed and settings[option] is None:
            raise ValidationError(f"{table}: 'scan.startup.mode' = '{mode}' needs the option '{option}'")
        if mode != needed and settings[option] is not None:
            raise ValidationError(f"{table}: the option '{option}' needs 'scan.startup.mode' = '{needed}'")
    if mode == "specific-offset":
        return StartupOptions.specific_offset(settings[_FILE], settings[_POS])
    if mode == "timestamp":
        return StartupOptions.timestamp(settings[_MILLIS])
    return {
        "initial": StartupOptions.initial,
        "earliest-offset": StartupOptions.earliest_offset,
        "latest-offset": StartupOptions.latest,
        "snapshot": StartupOptions.snapshot_only,
    }[mode]()


def _source(table: TableInfo, settings: Settings, metadata: Sequence[str]) -> MySqlChangeSource:
    databases, tables = settings["database-name"], settings["table-name"]
    try:
        builder = MySqlChangeSource.builder().hostname(settings["hostname"]).port(settings["port"])
        builder = builder.username(settings["username"]).password(settings["password"]).database_list(databases)
        builder = builder.table_list(rf"(?:{databases})\.(?:{tables})").server_time_zone(settings["server-time-zone"])
        builder = builder.startup_options(_startup(table, settings)).include_metadata(*metadata)
        builder = builder.connect_timeout(settings["connect.timeout"] / 1000)
        if settings["server-id"] is not None:
            builder = builder.server_id(settings["server-id"])
        return builder.build()
    except ValidationError as error:
        says = str(error)
        raise ValidationError(says if says.startswith(str(table)) else f"{table}: {says}") from None
