"""`CatalogPartition` and `CatalogPartitionSpec`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class CatalogPartition:
    """A partition of a table.

    Attributes:
        properties: By key.
        comment: For people.
    """

    properties: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None

    @staticmethod
    def create_instance(properties: dict[str, str], comment: str | None = None) -> CatalogPartition:
        """A partition with properties and a comment."""
        return CatalogPartition(dict(properties), comment)

    def get_properties(self) -> dict[str, str]:
        """Its properties."""
        return dict(self.properties)

    def copy(self) -> CatalogPartition:
        """The same as another object."""
        return CatalogPartition(dict(self.properties), self.comment)

    def get_description(self) -> str | None:
        """None: there is no more to say than `get_comment`."""
        return None

    def get_detailed_description(self) -> str | None:
        """None: there is no more to say than `get_comment`."""
        return None

    def get_comment(self) -> str | None:
        """What is said of it, for people."""
        return self.comment


class CatalogPartitionSpec:
    """Columns of partitions with values: a partition, or several of them."""

    def __init__(self, partition_spec: Mapping[str, str]) -> None:
        self._spec = dict(partition_spec)

    def get_partition_spec(self) -> dict[str, str]:
        """The columns with their values."""
        return dict(self._spec)

    def contains(self, other: CatalogPartitionSpec) -> bool:
        """Whether the other one has all columns of this with the same values."""
        return self._spec.items() <= other._spec.items()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CatalogPartitionSpec) and self._spec == other._spec

    def __hash__(self) -> int:
        return hash(frozenset(self._spec.items()))

    def __str__(self) -> str:
        return f"CatalogPartitionSpec{{{{{', '.join(f'{key}={value}' for key, value in self._spec.items())}}}}}"
