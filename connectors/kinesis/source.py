"""The sources of Kinesis Data Streams: `FlinkKinesisConsumer` and `KinesisStreamsSource`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from datastream.errors import ValidationError
from datastream.formats import DeserializationSchema
from datastream.formats.schema import checked_schema
from datastream.io import EnumeratorContext, Produced, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.types import TypeInformation
from datastream.without_effect import without_effect

from .assigning import KinesisShardAssigner, WatermarkTracker
from .records import DataOnly, KinesisDeserializationSchema
from .source_settings import SourceSettings, source_settings


class KinesisSource(Source):
    """What the sources share: shards are lanes, read in turn, and the end of each epoch is noted beside the checkpoint.

    Attributes:
        settings: Its settings.
    """

    bounded = False
    settings: SourceSettings

    @property
    def produced(self) -> Produced:
        return Produced.by(self.settings.schema, timestamps=True, lanes=True)

    def get_produced_type(self) -> TypeInformation:
        """The type of the records."""
        return self.settings.schema.get_produced_type()

    def validate(self) -> None:
        self.settings.service.validate()

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        from .enumerator import KinesisEnumerator

        return KinesisEnumerator(self.settings, self.bounded, context)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        from .reader import KinesisReader

        return KinesisReader(self.settings, context)


class FlinkKinesisConsumer(KinesisSource):
    """The records of streams, without end; for ``add_source`` or ``from_source``.

    Exactly once, with a checkpoint directory. Each key keeps its order, also when shards are split or merged.

    Args:
        streams: Name or ARN of a stream, or a list of them, of one region.
        deserializer: How content becomes records, or a `KinesisDeserializationSchema`.
        config_props: Properties; see `ConsumerConfigConstants`. ``aws.region`` is needed.

    Raises:
        ValidationError: Something is missing, wrong or unknown.
    """

    def __init__(
        self,
        streams: str | Sequence[str],
        deserializer: DeserializationSchema | KinesisDeserializationSchema,
        config_props: Mapping[str, Any],
    ) -> None:
        what = type(self).__name__
        self.settings = source_settings(streams, _schema(deserializer, what), config_props, what)

    @without_effect("the engine gives shards to tasks, and an epoch reads all shards")
    def set_shard_assigner(self, shard_assigner: KinesisShardAssigner) -> Self:
        return self

    def set_periodic_watermark_assigner(self, periodic_watermark_assigner: Any) -> Self:
        """Not possible: it takes a class of Java.

        Raises:
            ValidationError: Always.
        """
        raise ValidationError(
            "set_periodic_watermark_assigner takes a class of Java; use env.from_source(consumer, strategy, name) with "
            "a WatermarkStrategy: each shard has watermarks of its own"
        )

    @without_effect("an epoch reads all shards, so none runs ahead of the others by more than an epoch")
    def set_watermark_tracker(self, watermark_tracker: WatermarkTracker) -> Self:
        return self


class KinesisStreamsSource(KinesisSource):
    """The records of a stream; made by `builder`. Flink's newer source, in Python's spelling; PyFlink has none.

    Exactly once, with a checkpoint directory. Each key keeps its order, also when shards are split or merged.
    """

    def __init__(self, settings: SourceSettings, bounded: bool = False) -> None:
        self.settings, self.bounded = settings, bounded

    @staticmethod
    def builder() -> KinesisStreamsSourceBuilder:
        """A builder."""
        return KinesisStreamsSourceBuilder()


class KinesisStreamsSourceBuilder:
    """Builds a `KinesisStreamsSource`; a stream, a schema and a region are needed."""

    def __init__(self) -> None:
        self._stream: Any = None
        self._schema: Any = None
        self._properties: dict[str, Any] = {}
        self._bounded = False

    def set_stream_arn(self, stream_arn: str) -> Self:
        """The stream: its ARN, or its name, if it is of the account of the credentials."""
        self._stream = stream_arn
        return self

    def set_source_config(self, source_config: Mapping[str, Any]) -> Self:
        """Properties; see `ConsumerConfigConstants`, and Flink's ``source.init.position`` and its like."""
        self._properties = dict(source_config)
        return self

    def set_deserialization_schema(self, schema: DeserializationSchema | KinesisDeserializationSchema) -> Self:
        """How records become the job's."""
        self._schema = schema
        return self

    @without_effect("the engine gives shards to tasks, and an epoch reads all shards")
    def set_kinesis_shard_assigner(self, shard_assigner: KinesisShardAssigner) -> Self:
        return self

    def set_bounded(self) -> Self:
        """End with what is there when the job starts. An addition to Flink's names."""
        self._bounded = True
        return self

    def build(self) -> KinesisStreamsSource:
        """The source.

        Raises:
            ValidationError: Something is missing, wrong or unknown.
        """
        what = "KinesisStreamsSource"
        settings = source_settings(self._stream, _schema(self._schema, what), self._properties, what)
        if self._bounded and settings.position == "LATEST":
            if any(name in self._properties for name in ("flink.stream.initpos", "source.init.position")):
                raise ValidationError(f"{what}: a bounded source that starts at LATEST reads nothing; use TRIM_HORIZON")
            settings = replace(settings, position="TRIM_HORIZON")
        return KinesisStreamsSource(settings, self._bounded)


def _schema(schema: Any, what: str) -> KinesisDeserializationSchema:
    found: DeserializationSchema | KinesisDeserializationSchema = checked_schema(
        schema, what, KinesisDeserializationSchema
    )
    return DataOnly(found) if isinstance(found, DeserializationSchema) else found
