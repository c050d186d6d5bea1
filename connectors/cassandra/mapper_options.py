"""How objects are written, where no statement says so."""

from __future__ import annotations

from typing import Any, Self

from datastream.errors import ValidationError, cut

from .consistency_level import ConsistencyLevel


class MapperOptions:
    """How the fields of dataclass objects are written. The calls are those of Flink, each changes the options."""

    def __init__(self) -> None:
        self._ttl: int | None = None
        self._timestamp: int | None = None
        self._consistency_level: ConsistencyLevel | None = None
        self._tracing = False
        self._save_null_fields = True
        self._if_not_exists = False

    def ttl(self, ttl: int) -> Self:
        """Rows live for so many seconds."""
        self._ttl = _whole("ttl", ttl)
        return self

    def timestamp(self, timestamp: int) -> Self:
        """Rows have this time, in microseconds since 1970; a later one wins. Default: the time of the write."""
        self._timestamp = _whole("timestamp", timestamp)
        return self

    def consistency_level(self, cl: ConsistencyLevel) -> Self:
        """How many replicas must take a write. Default: as the cluster's settings say."""
        if not isinstance(cl, ConsistencyLevel):
            raise ValidationError(f"MapperOptions.consistency_level needs a ConsistencyLevel, got {cut(cl)}")
        self._consistency_level = cl
        return self

    def tracing(self, enabled: bool) -> Self:
        """Whether Cassandra traces each write, in ``system_traces``. Default: it does not."""
        self._tracing = bool(enabled)
        return self

    def save_null_fields(self, enabled: bool) -> Self:
        """Whether None deletes what the column held; False leaves it alone. Default: it deletes."""
        self._save_null_fields = bool(enabled)
        return self

    def if_not_exists(self, enabled: bool) -> Self:
        """Whether a row that is there already stays as it is. Default: it is replaced."""
        self._if_not_exists = bool(enabled)
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MapperOptions) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # its calls change it

    def __repr__(self) -> str:
        return f"MapperOptions({', '.join(f'{name[1:]}={value!r}' for name, value in vars(self).items())})"


def _whole(call: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValidationError(f"MapperOptions.{call} needs a whole number, at least 0, got {cut(value)}")
    return value
