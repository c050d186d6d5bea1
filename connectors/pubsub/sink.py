"""`PubSubSink`: records as messages of a topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.io import BatchingSink, WriterContext

from .publishing import Publishing
from .service import ServiceBuilder, checked_name
from .sink_settings import SinkSettings


@dataclass(eq=False)
class PubSubSink(BatchingSink):
    """Publishes each record, at least once. Made by `new_builder`.

    It waits until the service has all messages of a batch, and of an epoch at its end. An epoch that runs again
    publishes its records again.

    Attributes:
        settings: Its settings.
        batch_size: Messages between two waits for the service.
    """

    settings: SinkSettings
    batch_size: int = 5000

    @staticmethod
    def new_builder() -> PubSubSinkBuilder:
        """A builder."""
        return PubSubSinkBuilder()

    def validate(self) -> None:
        self.settings.service.validate()

    def connect(self, context: WriterContext) -> Publishing:
        return Publishing(self.settings, context)

    def write(self, connection: Publishing, records: list[Any]) -> None:
        connection.publish(records)


class PubSubSinkBuilder(ServiceBuilder):
    """Builds a `PubSubSink`; a schema, a project and a topic are needed."""

    _built = "PubSubSink"

    def __init__(self) -> None:
        super().__init__()
        self._schema: Any = None
        self._topic: Any = None
        self._settings: dict[str, Any] = {}

    def with_serialization_schema(self, serialization_schema: SerializationSchema) -> PubSubSinkBuilder:
        """How records become the content of messages."""
        self._schema = serialization_schema
        return self

    def with_project_name(self, project_name: str) -> PubSubSinkBuilder:
        """The id of the project."""
        self._project = project_name
        return self

    def with_topic_name(self, topic_name: str) -> PubSubSinkBuilder:
        """The topic, which must be there."""
        self._topic = topic_name
        return self

    def with_credentials(self, credentials: Any) -> PubSubSinkBuilder:
        """Credentials of google-auth. Default: the application default credentials. They are never shown."""
        self._credentials = credentials
        return self

    def with_credentials_file(self, path: str) -> PubSubSinkBuilder:
        """A service account's JSON file, at the same path on each machine of the job. An addition to Flink's names."""
        self._credentials_file = path
        return self

    def with_host_and_port_for_emulator(self, host_and_port: str) -> PubSubSinkBuilder:
        """An emulator, such as ``localhost:8085``. Default: that of the variable PUBSUB_EMULATOR_HOST, if it is set."""
        self._emulator = host_and_port
        return self

    def with_endpoint(self, endpoint: str) -> PubSubSinkBuilder:
        """The service's address, such as ``europe-west1-pubsub.googleapis.com:443``. An addition to Flink's names."""
        self._endpoint = endpoint
        return self

    def with_ordering_key(self, ordering_key: Callable[[Any], str]) -> PubSubSinkBuilder:
        """The ordering key of a record; empty: none. An addition to Flink's names."""
        self._settings["ordering_key"] = _function(ordering_key, "with_ordering_key")
        return self

    def with_attributes(self, attributes: Callable[[Any], Mapping[str, str] | None]) -> PubSubSinkBuilder:
        """The attributes of a record's message. An addition to Flink's names."""
        self._settings["attributes"] = _function(attributes, "with_attributes")
        return self

    def with_batch_settings(
        self, max_messages: int = 1000, max_bytes: int = 1_000_000, max_latency_ms: int = 10
    ) -> PubSubSinkBuilder:
        """How messages share requests. An addition to Flink's names.

        Args:
            max_messages: Messages of a request at most, from 1 to 1000.
            max_bytes: Bytes of a request at most, up to 10,000,000.
            max_latency_ms: A request that is not full is sent so much later.
        """
        limits = {"max_messages": (1, 1000), "max_bytes": (1, 10_000_000), "max_latency_ms": (0, 60_000)}
        given = {"max_messages": max_messages, "max_bytes": max_bytes, "max_latency_ms": max_latency_ms}
        for name, (least, most) in limits.items():
            if not isinstance(given[name], int) or not least <= given[name] <= most:
                raise ValidationError(
                    f"PubSubSink: {name} must be a number from {least} to {most}, got {cut(given[name])}"
                )
        self._settings.update(given)
        return self

    def build(self) -> PubSubSink:
        """The sink.

        Raises:
            ValidationError: Something is missing or of the wrong type.
        """
        if not isinstance(self._schema, SerializationSchema):
            raise ValidationError(
                "PubSubSink: with_serialization_schema needs a SerializationSchema such as SimpleStringSchema(), got "
                f"{cut(self._schema)}"
            )
        topic = checked_name(self._topic, "PubSubSink", "with_topic_name")
        return PubSubSink(SinkSettings(self._service(), topic, self._schema, **self._settings))


def _function(value: Any, name: str) -> Any:
    if not callable(value):
        raise ValidationError(f"PubSubSink: {name} needs a function of the record, got {cut(value)}")
    return value
