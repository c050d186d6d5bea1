"""The connector ``state``: what an operator keeps in a checkpoint or a savepoint, as rows."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from datastream.api.accepted_settings import configuration_of
from datastream.config.settings import settings
from datastream.connectors.collection import CollectionSource
from datastream.errors import ValidationError
from datastream.io import Predicate
from datastream.job.options import master
from datastream.runtime.state_view import StateRow, plain
from datastream.table.catalogs.state_catalog import STATE_COLUMNS
from datastream.table.types.logical_types import VarCharType
from datastream.table.types.type_text import summary

from .connector import Option, TableConnector, TableInfo, naming, only_source
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink

_LOGGER = logging.getLogger("datastream")


class StateConnector(TableConnector):
    """See the module. The table has the rows of the last commit before the query began, and ends."""

    name = "state"
    options = (
        Option("state.path", required=True, doc="The checkpoint directory of a job, or a savepoint."),
        Option("operator.uid", required=True, doc="The uid of the operator."),
        Option(
            "max-rows",
            "integer",
            100_000,
            doc="More rows are an error. Lists and maps are shown with this number of entries at most.",
        ),
    )

    def check(self, table: TableInfo) -> None:
        if self.settings(table)["max-rows"] < 1:
            raise ValidationError(f"{table}: option 'max-rows': expected 1 or more")
        for column in table.columns:
            known = STATE_COLUMNS.get(column.name)
            if known is None:
                raise ValidationError(
                    f"{table}: state has no column '{column.name}'; it has: {', '.join(STATE_COLUMNS)}"
                )
            if column.type.nullable() != known:
                raise ValidationError(f"{table}: the column '{column.name}' must have the type {summary(known)}")

    def takes(self, table: TableInfo, predicate: Predicate) -> bool:
        return predicate.column in ("key", "state") and isinstance(table.type_of(predicate.column), VarCharType)

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        rows = [tuple(_VALUES[name](row) for name in wanted) for row in self._rows(env, table)]
        return scanned(env, CollectionSource(rows), self, table, wanted, None)

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        raise only_source(self.name)

    def _rows(self, env: StreamExecutionEnvironment, table: TableInfo) -> list[StateRow]:
        """The rows that the table's predicates let pass."""
        from datastream.spark.state_view import open_reader

        options, of_job, given = self.settings(table), configuration_of(env), settings()
        most: int = options["max-rows"]
        of_key = [each for each in table.predicates if each.column == "key"]
        of_state = [each for each in table.predicates if each.column == "state"]
        with naming(table):
            reader = open_reader(options["state.path"], master(of_job, given), of_job.to_dict())
            rows = reader.rows(
                options["operator.uid"], key=lambda key: all(each.passes(_key(key)) for each in of_key), entries=most
            )
            wanted = (row for row in rows if all(each.passes(row.state) for each in of_state))
            found = list(islice(wanted, most + 1))
        for problem in reader.problems:
            _LOGGER.warning("%s: %s", table, problem)
        if len(found) > most:
            raise ValidationError(
                f"{table}: there are more than {most:,} rows: ask for one state or for some keys by WHERE state = ... "
                "or WHERE key = ..., or raise the option 'max-rows'. All rows pass through the process of the query"
            )
        return found


def _key(key: Any) -> str:
    """A key as text: a text as it is, others as JSON."""
    return key if type(key) is str else _json(key)


def _json(value: Any) -> str:
    return json.dumps(plain(value), ensure_ascii=False)


_VALUES: dict[str, Callable[[StateRow], Any]] = {
    "key": lambda row: _key(row.key),
    "state": lambda row: row.state,
    "form": lambda row: row.form,
    "value": lambda row: _json(row.value),
    "entries": lambda row: row.entries,
    "key_group": lambda row: row.group,
    "touched": lambda row: None if row.touched is None else row.touched * 1000,
}
