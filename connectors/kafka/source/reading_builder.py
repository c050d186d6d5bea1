"""What the builders of sources that read Kafka have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from datastream.errors import ValidationError, cut
from datastream.formats import DeserializationSchema

from ..records.consumer_record import KafkaRecordDeserializationSchema
from .offsets_initializer import KafkaOffsetsInitializer


class KafkaClientBuilder:
    """Holds how records are read, and the properties of clients."""

    #: The name of the source that is built, for errors.
    _built: ClassVar[str]

    def __init__(self) -> None:
        self._deserializer: KafkaRecordDeserializationSchema | None = None
        self._properties: dict[str, Any] = {}

    def set_value_only_deserializer(self, deserialization_schema: DeserializationSchema) -> Self:
        """Set how values become records; keys are not looked at, and tombstones are no records.

        Raises:
            ValidationError: it is no DeserializationSchema.
        """
        self._deserializer = KafkaRecordDeserializationSchema.value_only(deserialization_schema)
        return self

    def set_client_id_prefix(self, prefix: str) -> Self:
        """Set what the clients' names in the brokers' logs and metrics begin with. Default: librdkafka's own."""
        return self.set_property("client.id.prefix", prefix)

    def set_property(self, key: str, value: str) -> Self:
        """Set a property of the clients: Kafka's Java client's or librdkafka's name, or a property of the source.

        Raises:
            ValidationError: the name is no str.
        """
        if not isinstance(key, str) or not key:
            raise ValidationError(f"set_property: expected the name of a property, got {cut(key)}")
        self._properties[key] = value
        return self

    def set_properties(self, props: Mapping[str, Any]) -> Self:
        """Set several properties.

        Raises:
            ValidationError: a name is no str.
        """
        for key, value in props.items():
            self.set_property(key, value)
        return self

    def _deserialize_by(self, found: object) -> Self:
        if not isinstance(found, KafkaRecordDeserializationSchema):
            hint = ""
            if isinstance(found, DeserializationSchema):
                hint = "; set_value_only_deserializer takes a DeserializationSchema"
            raise ValidationError(
                f"set_deserializer: expected a KafkaRecordDeserializationSchema, got {type(found).__name__}{hint}"
            )
        self._deserializer = found
        return self

    def _checked_deserializer(self) -> KafkaRecordDeserializationSchema:
        """How records are read, when all that is set goes together."""
        if self._deserializer is None:
            raise ValidationError(f"{self._built}: call set_value_only_deserializer or set_deserializer")
        return self._deserializer


class KafkaReadingBuilder(KafkaClientBuilder):
    """Holds where reading starts and stops, too."""

    def __init__(self) -> None:
        super().__init__()
        self._starting = KafkaOffsetsInitializer.earliest()
        self._stopping: KafkaOffsetsInitializer | None = None

    def set_group_id(self, group_id: str) -> Self:
        """Set the consumer group that offsets are committed to, in each cluster. Reading itself needs none.

        Raises:
            ValidationError: it is empty.
        """
        if not group_id:
            raise ValidationError(
                f"{self._built}.set_group_id: expected a name, got an empty one; leave it out for none"
            )
        return self.set_property("group.id", group_id)

    def set_starting_offsets(self, starting_offsets_initializer: KafkaOffsetsInitializer) -> Self:
        """Set where a new job starts; one with a checkpoint goes on where it was. Default: the earliest offsets.

        Raises:
            ValidationError: it is no KafkaOffsetsInitializer.
        """
        self._starting = checked_offsets(starting_offsets_initializer, "set_starting_offsets")
        return self

    def _checked_deserializer(self) -> KafkaRecordDeserializationSchema:
        found = super()._checked_deserializer()
        if not self._properties.get("group.id"):
            for initializer in (self._starting, self._stopping):
                if initializer is not None and initializer.kind == "committed":
                    raise ValidationError(f"{self._built}: committed_offsets() needs set_group_id")
        return found


def checked_offsets(found: object, call: str) -> KafkaOffsetsInitializer:
    """The argument of a call that takes offsets.

    Raises:
        ValidationError: it is something else.
    """
    if not isinstance(found, KafkaOffsetsInitializer):
        raise ValidationError(
            f"{call}: expected a KafkaOffsetsInitializer such as KafkaOffsetsInitializer.earliest(), "
            f"got {type(found).__name__} {cut(found)}"
        )
    return found
