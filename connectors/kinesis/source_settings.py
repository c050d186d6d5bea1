"""The settings of a source of Kinesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.io import Backoff

from .records import KinesisDeserializationSchema
from .service import Service, refuse_unknown, service_of
from .streams import Stream, stream_of

_INIT, _INIT_TIME = "flink.stream.initpos", "flink.stream.initpos.timestamp"
_INIT_FORMAT = "flink.stream.initpos.timestamp.format"
_MOST = "flink.shard.getrecords.maxrecordcount"
_PAUSE = "flink.shard.getrecords.intervalmillis"
_RETRIES = "flink.shard.getrecords.maxretries"
_BASE, _MAX = "flink.shard.getrecords.backoff.base", "flink.shard.getrecords.backoff.max"
_FACTOR = "flink.shard.getrecords.backoff.expconst"
_DISCOVERY = "flink.shard.discovery.intervalmillis"
_PUBLISHER = "flink.stream.recordpublisher"
_KNOWN = (_INIT, _INIT_TIME, _INIT_FORMAT, _MOST, _PAUSE, _RETRIES, _BASE, _MAX, _FACTOR, _DISCOVERY, _PUBLISHER)
#: Names of Flink's newer source -> those of the older one, whose meaning is the same.
_NEWER = {
    "source.init.position": _INIT,
    "source.init.timestamp": _INIT_TIME,
    "source.init.timestamp.format": _INIT_FORMAT,
    "source.shard.get-records.max-record-count": _MOST,
    "source.shard.discovery.interval": _DISCOVERY,
    "source.reader.type": _PUBLISHER,
}
_WITHOUT_EFFECT = (
    "flink.list.shards.",
    "flink.shard.adaptivereads",
    "flink.shard.consumer.",
    "flink.shard.getiterator.",
    "flink.shard.idle.interval",
    "flink.stream.describe.",
    "flink.stream.efo.",
    "flink.stream.registerstreamconsumer.",
    "flink.stream.deregisterstreamconsumer.",
    "flink.stream.subscribetoshard.",
    "flink.watermark.",
    "flink.emitter.",
    "source.efo.",
    "source.shard.get-records.",
)
_POSITIONS = ("LATEST", "TRIM_HORIZON", "AT_TIMESTAMP")


@dataclass(frozen=True)
class SourceSettings:
    """The settings of a source.

    Attributes:
        service: Where the streams are.
        streams: Which.
        schema: How records of Kinesis become the job's.
        position: Where a new job starts: ``LATEST``, ``TRIM_HORIZON`` or ``AT_TIMESTAMP``.
        timestamp: Its time, in ms since 1970.
        most: Records of a request at most.
        pause_ms: A source that has read all there is looks again so much later.
        backoff: Tries of a request that the service has no room for.
        discovery_ms: How often new shards are looked for; shards that were split or merged are noticed at once.
    """

    service: Service
    streams: tuple[Stream, ...]
    schema: KinesisDeserializationSchema
    position: str = "LATEST"
    timestamp: int | None = None
    most: int = 10_000
    pause_ms: int = 200
    backoff: Backoff = field(default=Backoff(retries=8, initial_ms=300, factor=1.5, max_ms=5000))
    discovery_ms: int = 10_000


def source_settings(streams: Any, schema: KinesisDeserializationSchema, properties: Any, what: str) -> SourceSettings:
    """Settings from properties of Flink's names.

    Args:
        streams: Names or ARNs.
        schema: How records become the job's.
        properties: Texts by name.
        what: Who has them, for errors.

    Raises:
        ValidationError: One is unknown, missing or wrong.
    """
    if not isinstance(properties, Mapping) or not all(isinstance(name, str) for name in properties):
        raise ValidationError(f"{what}: the properties must be a dict by names, got {type(properties).__name__}")
    given: dict[str, Any] = {
        _NEWER.get(name) or name: value for name, value in properties.items() if not name.startswith("aws.")
    }
    for name in properties:
        if not name.startswith("aws.") and name not in _KNOWN and name not in _NEWER:
            refuse_unknown(name, what, (*_KNOWN, *_NEWER), _WITHOUT_EFFECT)
    if str(given.get(_PUBLISHER, "POLLING")).upper() != "POLLING":
        raise ValidationError(
            f"{what}: {_PUBLISHER}={cut(given[_PUBLISHER])}: shards are polled; enhanced fan-out (EFO) is not there. "
            "Leave the property out"
        )
    found = [stream_of(one, what) for one in ([streams] if isinstance(streams, str) else streams or [])]
    if not found:
        raise ValidationError(f"{what} needs the name of a stream, or a list of names")
    if len({stream.name for stream, _ in found}) < len(found):
        raise ValidationError(f"{what}: a stream is named twice: {cut(streams)}")
    regions = {region for _, region in found if region}
    if len(regions) > 1:
        raise ValidationError(f"{what}: the streams are of several regions, {sorted(regions)}; use a source for each")
    aws = {name: value for name, value in properties.items() if name.startswith("aws.")}
    position, timestamp = _start(given, what)
    own = SourceSettings
    return SourceSettings(
        service_of(aws, what, next(iter(regions), None)),
        tuple(stream for stream, _ in found),
        schema,
        position,
        timestamp,
        _whole(given, _MOST, own.most, what, 1, 10_000),
        _whole(given, _PAUSE, own.pause_ms, what, 0),
        _backoff(given, what),
        _whole(given, _DISCOVERY, own.discovery_ms, what, 0),
    )


def _start(given: Mapping[str, Any], what: str) -> tuple[str, int | None]:
    position = given.get(_INIT, "LATEST")
    if position not in _POSITIONS:
        raise ValidationError(f"{what}: {_INIT} must be one of {', '.join(_POSITIONS)}, got {cut(position)}")
    if position != "AT_TIMESTAMP":
        return position, None
    if _INIT_FORMAT in given:
        raise ValidationError(
            f"{what}: {_INIT_FORMAT} is a pattern of Java, which is not read here; leave it out, and write the "
            "timestamp as '2026-01-31T12:00:00.000+00:00' or in seconds since 1970"
        )
    text = given.get(_INIT_TIME)
    try:
        return position, round(float(str(text)) * 1000)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(str(text))
        if moment.tzinfo is not None:
            return position, round(moment.timestamp() * 1000)
    except ValueError:
        pass
    raise ValidationError(
        f"{what}: {_INIT}=AT_TIMESTAMP needs {_INIT_TIME} as '2026-01-31T12:00:00.000+00:00', with a zone, or in "
        f"seconds since 1970; got {cut(text)}"
    )


def _backoff(given: Mapping[str, Any], what: str) -> Backoff:
    default = SourceSettings.backoff
    try:
        factor = float(given.get(_FACTOR, default.factor))
    except (TypeError, ValueError):
        raise ValidationError(f"{what}: {_FACTOR} must be a number, got {cut(given[_FACTOR])}") from None
    base = _whole(given, _BASE, int(default.initial_ms), what, 0)
    return Backoff(
        _whole(given, _RETRIES, default.retries, what, 0),
        base,
        factor,
        _whole(given, _MAX, max(int(default.max_ms), base), what, 0),
    )


def _whole(given: Mapping[str, Any], name: str, default: int, what: str, least: int, most: int = 2**53) -> int:
    value = given.get(name, default)
    try:
        found = int(value)
    except (TypeError, ValueError):
        found = least - 1
    if not least <= found <= most:
        limits = f"from {least} to {most:,}" if most < 2**53 else f"of at least {least}"
        raise ValidationError(f"{what}: {name} must be a whole number {limits}, got {cut(value)}")
    return found
