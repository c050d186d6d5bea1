"""`CatalogBaseTable`: a table or a view as a catalog keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from datastream.table.catalogs.schema import Schema
from datastream.table.catalogs.table_schema import TableSchema
from datastream.table.plan.relations import Relation


@dataclass(frozen=True)
class CatalogBaseTable:
    """A table or a view.

    Attributes:
        schema: As declared.
        options: The WITH clause of a table.
        partition_keys: Of a table.
        comment: For people.
        query: Of a view: its query as written; None: a table.
        expanded_query: Of a view: the query with full names.
        relation: Of a view that is made of a `Table`: what it means.
        current: Of a view: the catalog and database that names in its query are of; None: those of the view.
    """

    schema: Schema
    options: Mapping[str, str] = field(default_factory=dict)
    partition_keys: tuple[str, ...] = ()
    comment: str | None = None
    query: str | None = None
    expanded_query: str | None = None
    relation: Relation | None = None
    current: tuple[str, str] | None = None

    @staticmethod
    def create_table(
        schema: TableSchema | Schema,
        partition_keys: Sequence[str] = (),
        properties: Mapping[str, str] = {},
        comment: str | None = None,
    ) -> CatalogBaseTable:
        """A table with options and keys of partitions."""
        return CatalogBaseTable(_schema(schema), dict(properties), tuple(partition_keys), comment)

    @staticmethod
    def create_view(
        original_query: str,
        expanded_query: str,
        schema: TableSchema | Schema,
        properties: Mapping[str, str],
        comment: str | None = None,
    ) -> CatalogBaseTable:
        """A view of a query."""
        return CatalogBaseTable(
            _schema(schema), dict(properties), (), comment, query=original_query, expanded_query=expanded_query
        )

    @property
    def is_view(self) -> bool:
        """Whether it is a view."""
        return self.query is not None or self.relation is not None

    def get_options(self) -> dict[str, str]:
        """The WITH clause."""
        return dict(self.options)

    def get_unresolved_schema(self) -> Schema:
        """The columns as declared."""
        return self.schema

    def get_comment(self) -> str | None:
        """What is said of it, for people."""
        return self.comment

    def copy(self) -> CatalogBaseTable:
        """The same as another object."""
        return replace(self)

    def get_description(self) -> str | None:
        """The same as `get_comment`."""
        return self.comment

    def get_detailed_description(self) -> str | None:
        """Of a view the same as `get_comment`; None of a table."""
        return self.comment if self.is_view else None


def _schema(given: TableSchema | Schema) -> Schema:
    if isinstance(given, Schema):
        return given
    return Schema.new_builder().from_fields(given.get_field_names(), given.get_field_data_types()).build()
