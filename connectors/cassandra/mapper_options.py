"""How objects are written, where no statement says so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

from datastream.errors import ValidationError, cut

from .consistency_level import ConsistencyLevel


@dataclass(frozen=True)
class MapperSettings:
    """What `MapperOptions` say; its methods describe what each means."""

    ttl: int | None = None
    timestamp: int | None = None
    consistency_level: ConsistencyLevel | None = None
    tracing: bool = False
    save_null_fields: bool = True
    if_not_exists: bool = False


class MapperOptions:
    """How the fields of dataclass objects are written. The calls are those of Flink, each changes the options."""

    def __init__(self) -> None:
        self._settings = MapperSettings()

    def ttl(self, ttl: int) -> Self:
        """Rows expire after this number of seconds."""
        return self._with(ttl=_whole("ttl", ttl))

    def timestamp(self, timestamp: int) -> Self:
        """Rows have this time, in microseconds since 1970; a later one wins. Default: the time of the write."""
        return self._with(timestamp=_whole("timestamp", timestamp))

    def consistency_level(self, cl: ConsistencyLevel) -> Self:
        """How many replicas must take a write. Default: as the cluster's settings say."""
        if not isinstance(cl, ConsistencyLevel):
            raise ValidationError(f"MapperOptions.consistency_level needs a ConsistencyLevel, got {cut(cl)}")
        return self._with(consistency_level=cl)

    def tracing(self, enabled: bool) -> Self:
        """Whether Cassandra traces each write, in ``system_traces``. Default: it does not."""
        return self._with(tracing=bool(enabled))

    def save_null_fields(self, enabled: bool) -> Self:
        """Whether None deletes what the column held; False leaves it alone. Default: it deletes."""
        return self._with(save_null_fields=bool(enabled))

    def if_not_exists(self, enabled: bool) -> Self:
        """Whether a row that is there already stays as it is. Default: it is replaced."""
        return self._with(if_not_exists=bool(enabled))

    def _with(self, **fields: Any) -> Self:
        self._settings = replace(self._settings, **fields)
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MapperOptions) and self._settings == other._settings

    __hash__ = None  # type: ignore[assignment]  # its calls change it

    def __repr__(self) -> str:
        return repr(self._settings).replace("MapperSettings", "MapperOptions")


def settings_of(options: MapperOptions) -> MapperSettings:
    """What the calls of some options have set."""
    return options._settings  # noqa: SLF001 - the calls have the names


def _whole(call: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValidationError(f"MapperOptions.{call} needs a whole number, at least 0, got {cut(value)}")
    return value
