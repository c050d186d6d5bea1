"""Rows of a query that have one primary key in the table that is written: what becomes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError
from datastream.table.config.table_config import REQUIRE_ON_CONFLICT, UPSERT_MATERIALIZE
from datastream.table.plan.expressions import Field
from datastream.table.plan.relations import Aggregate, Rank, Relation, Scan, SetOperation, StreamScan, Watermark
from datastream.table.planner.upsert_keys import Keys, PrimaryKey, upsert_keys

if TYPE_CHECKING:
    from datastream.table.connectors.connector import TableConnector, TableInfo
    from datastream.table.execution.insert_plan import InsertPlan, PlannedSink


@dataclass(frozen=True)
class SinkKeys:
    """The primary key of a table that is written, and the keys by which a query changes its rows.

    Attributes:
        sink: What is written.
        info: The table.
        connector: Its connector.
        keys: Of the query.
        reduced: The same as Flink has them, whose rows may not be in order here.
        config: The settings.
    """

    sink: PlannedSink
    info: TableInfo
    connector: TableConnector
    keys: Keys
    reduced: Keys
    config: Mapping[str, Any]

    @property
    def primary(self) -> tuple[int, ...]:
        """The columns of the primary key."""
        names = [column.name for column in self.info.columns]
        return tuple(map(names.index, self.info.primary_key))

    @property
    def upsert(self) -> tuple[int, ...] | None:
        """One of the keys of the query; None: it has none."""
        chosen = min(self.keys, key=lambda key: (len(key), sorted(key)), default=None)
        return None if chosen is None else tuple(sorted(chosen))

    @property
    def _setting(self) -> str:
        return str(self.config.get(UPSERT_MATERIALIZE) or "auto").lower()

    @property
    def fit(self) -> bool:
        """Whether rows may be written as they come: two rows of one primary key are one row of the query."""
        return self._setting != "force" and (self._setting == "none" or self._in(self.keys))

    def _in(self, keys: Keys) -> bool:
        """Whether the primary key has the columns of a key."""
        primary = frozenset(self.primary)
        return any(key <= primary for key in keys)

    def conflict(self, updates: bool) -> str | None:
        """What becomes of rows of one primary key: ``deduplicate``, ``nothing``, ``error``; None: they are written.

        Args:
            updates: The query changes its rows.

        Raises:
            ValidationError: It is not said, or the table or the query cannot have it.
        """
        asked = self.sink.conflict
        takes = self.connector.takes_updates(self.info)
        changes = updates or _groups(self.sink.rows)
        if not takes or not (changes or not self.connector.needs_update_before(self.info)):
            if asked is not None:
                raise ValidationError(
                    f"ON CONFLICT clause is only allowed for upsert sinks. The sink '{self.sink.name}' is not an "
                    "upsert sink because it only accepts INSERT (append-only) changes."
                )
            return None
        if asked in ("nothing", "error"):
            self._check_watermarks(asked)
        if not self.info.primary_key or self.fit:
            return None
        required = str(self.config.get(REQUIRE_ON_CONFLICT, "true")).lower() == "true"
        if asked is None and required and self._setting != "force" and not self._in(self.reduced):
            raise self._differing()
        if asked in (None, "deduplicate") and not updates and self._setting != "force":
            return None
        return asked or "deduplicate"

    def _check_watermarks(self, asked: str) -> None:
        without = list(dict.fromkeys(_without_watermark(self.sink.rows)))
        if without:
            raise ValidationError(
                f"ON CONFLICT DO {asked.upper()} requires all source tables to define watermarks, but the following "
                f"source(s) do not: {', '.join(without)}. Please add a WATERMARK declaration to these tables."
            )

    def _differing(self) -> ValidationError:
        names = self.sink.rows.names
        keys = ", ".join(f"[{', '.join(names[i] for i in sorted(key))}]" for key in sorted(self.keys, key=sorted))
        return ValidationError(
            f"The query has an upsert key that differs from the primary key of the sink table '{self.sink.name}'. "
            f"Primary key: [{', '.join(self.info.primary_key)}], upsert key: {keys}. This can lead to "
            "non-deterministic results when multiple records with different upsert keys map to the same primary key. "
            "Please specify an ON CONFLICT clause to define how conflicts should be handled: ON CONFLICT DO "
            "DEDUPLICATE (update to the latest record, state intensive, since we need to keep the entire history), or "
            "ON CONFLICT DO ERROR (fail on conflict), or ON CONFLICT DO NOTHING (keep first record)."
        )


def sink_keys(
    plan: InsertPlan, sink: PlannedSink, connector: TableConnector, info: TableInfo, config: Mapping[str, Any]
) -> SinkKeys:
    """The keys of a table that is written, and of what goes into it."""

    keys, reduced = (upsert_keys(sink.rows, primary_keys(plan), each) for each in (False, True))
    return SinkKeys(sink, info, connector, keys, reduced, config)


def primary_keys(plan: InsertPlan) -> PrimaryKey:
    """What finds the primary key of a table of a plan."""

    def primary_key(scan: Scan) -> Sequence[str]:
        return plan.table(scan.path, scan.options).primary_key

    return primary_key


def _groups(relation: Relation) -> bool:
    """Whether a query has what Flink takes for changes, and here may have none: SELECT DISTINCT, or the first rows."""
    grouped = isinstance(relation, Aggregate) or (isinstance(relation, SetOperation) and not relation.all)
    return grouped or _first_to_come(relation) or any(map(_groups, relation.inputs))


def _first_to_come(relation: Relation) -> bool:
    """Whether a relation is the first rows, more than one, by processing time."""
    if not isinstance(relation, Rank) or relation.last == 1 or len(relation.order) != 1:
        return False
    by = relation.order[0].arg
    return isinstance(by, Field) and relation.input.columns[by.index].time == "proctime"


def _without_watermark(relation: Relation) -> Iterator[str]:
    """The sources of a query that have no watermark."""
    if isinstance(relation, Watermark):
        return
    if isinstance(relation, Scan):
        yield ".".join(relation.path)
    if isinstance(relation, StreamScan) and all(column.time != "rowtime" for column in relation.columns):
        yield f"stream {relation.stream}"
    for each in relation.inputs:
        yield from _without_watermark(each)
