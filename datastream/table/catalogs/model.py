"""`CatalogModel`: a model as a catalog keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from datastream.table.catalogs.schema import Schema


@dataclass(frozen=True)
class CatalogModel:
    """A model: what it takes and gives, and the options that say what runs it.

    Attributes:
        input_schema: Its arguments.
        output_schema: Its results.
        options: By key; ``provider`` says what runs it.
        comment: For people.
    """

    input_schema: Schema
    output_schema: Schema
    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None

    @staticmethod
    def create_model(
        input_schema: Schema,
        output_schema: Schema,
        options: Mapping[str, str] = {},
        comment: str | None = None,
    ) -> CatalogModel:
        """A model by its parts."""
        return CatalogModel(input_schema, output_schema, dict(options), comment)

    def copy(self) -> CatalogModel:
        """The same as another object."""
        return CatalogModel(self.input_schema, self.output_schema, dict(self.options), self.comment)

    def get_comment(self) -> str | None:
        """What is said of it, for people."""
        return self.comment

    def get_options(self) -> dict[str, str]:
        """Its options."""
        return dict(self.options)
