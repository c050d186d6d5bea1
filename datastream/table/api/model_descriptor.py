"""`ModelDescriptor`: models as they are declared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from datastream.config import ConfigOption
from datastream.errors import ValidationError
from datastream.java_maps import hash_map_order
from datastream.table.catalogs.model import CatalogModel
from datastream.table.catalogs.schema import Schema


@dataclass(frozen=True)
class ModelDescriptor:
    """A model as it is declared.

    Attributes:
        options: By key; ``provider`` says what runs it.
        input: Its arguments.
        output: Its results.
        comment: For people.
    """

    options: Mapping[str, str] = field(default_factory=dict)
    input: Schema | None = None
    output: Schema | None = None
    comment: str | None = None

    class Builder:
        """Makes a model."""

        def __init__(self, provider: str) -> None:
            self._model = ModelDescriptor({"provider": provider})

        def input_schema(self, input_schema: Schema) -> ModelDescriptor.Builder:
            """Set its arguments."""
            self._model = replace(self._model, input=input_schema)
            return self

        def output_schema(self, output_schema: Schema) -> ModelDescriptor.Builder:
            """Set its results."""
            self._model = replace(self._model, output=output_schema)
            return self

        def option(self, key: str | ConfigOption[Any], value: Any) -> ModelDescriptor.Builder:
            """Set an option."""
            name = key.key if isinstance(key, ConfigOption) else key
            self._model = replace(self._model, options={**self._model.options, name: str(value)})
            return self

        def comment(self, comment: str) -> ModelDescriptor.Builder:
            """Say something of it, for people."""
            self._model = replace(self._model, comment=comment)
            return self

        def build(self) -> ModelDescriptor:
            """The model."""
            return self._model

    @staticmethod
    def for_provider(provider: str) -> ModelDescriptor.Builder:
        """A builder of a model, by what runs it."""
        return ModelDescriptor.Builder(provider)

    def __hash__(self) -> int:
        return hash((frozenset(self.options.items()), self.input, self.output, self.comment))

    def __str__(self) -> str:
        options = ",\n  ".join(f"'{key}' = '{value}'" for key, value in self.get_options().items())
        parts = [str(self.input or ""), str(self.output or ""), f"COMMENT '{self.comment or ''}'"]
        return "\n".join([*parts, f"WITH (\n  {options}\n)"])

    def get_options(self) -> dict[str, str]:
        """Its options, in the order in which Java's HashMap has them."""
        return {key: self.options[key] for key in hash_map_order(self.options)}

    def get_input_schema(self) -> Schema | None:
        """Its arguments."""
        return self.input

    def get_output_schema(self) -> Schema | None:
        """Its results."""
        return self.output

    def get_comment(self) -> str | None:
        """What is said of it, for people."""
        return self.comment

    def as_catalog_model(self) -> CatalogModel:
        """What a catalog keeps of it.

        Raises:
            ValidationError: It has no columns.
        """
        for schema, what in ((self.input, "Input"), (self.output, "Output")):
            if schema is None:
                raise ValidationError(f"{what} schema missing in ModelDescriptor. {what} schema cannot be null.")
        assert self.input is not None and self.output is not None
        return CatalogModel(self.input, self.output, dict(self.options), self.comment)
