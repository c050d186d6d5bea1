"""`PulsarSource`: the messages of topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, Self

from datastream.config import ConfigOption
from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.formats import DeserializationSchema
from datastream.formats.schema import checked_schema
from datastream.io import EnumeratorContext, Produced, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.types import TypeInformation

from .cursors import StartCursor, StopCursor, stop_of
from .message import PulsarMessage
from .message_records import MessageRecords
from .properties import checked_topics
from .range_generator import RangeGenerator
from .service import Authentication
from .source_settings import SourceSettings, source_settings


class PulsarSource(Source):
    """The messages of topics, exactly once with a checkpoint directory. Made by `PulsarSource.builder`.

    Each partition keeps its order, and has a watermark of its own. A record's timestamp is the event time of its
    message, or, where it has none, the time at which it was published.

    Attributes:
        settings: The settings.
    """

    def __init__(self, settings: SourceSettings, bounded: bool = False) -> None:
        self.settings, self.bounded = settings, bounded

    @staticmethod
    def builder() -> PulsarSourceBuilder:
        """A builder."""
        return PulsarSourceBuilder()

    def __repr__(self) -> str:
        return f"PulsarSource({self.settings.service.url}, {', '.join(self.settings.topics)})"

    @property
    def produced(self) -> Produced:
        return Produced.by(self.settings.schema, timestamps=True, lanes=True)

    def get_produced_type(self) -> TypeInformation:
        """The type of the records."""
        return self.settings.schema.get_produced_type()

    def validate(self) -> None:
        self.settings.service.validate()

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        from .enumerator import PulsarEnumerator

        return PulsarEnumerator(self.settings, context)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        from .reader import PulsarReader

        return PulsarReader(self.settings, context)

    @property
    def _ends(self) -> bool:
        return stop_of(self.settings.stop)[0] != "never"


class PulsarSourceBuilder:
    """Builds a `PulsarSource`. It needs a service URL, topics, the name of a subscription, and a schema."""

    def __init__(self) -> None:
        self._given: dict[str, Any] = {}
        self._properties: dict[str, Any] = {}
        self._bounded = False

    def set_admin_url(self, admin_url: str) -> Self:
        """Set the URL of the REST API, such as ``http://localhost:8080``. Reading does not need it."""
        self._given["admin_url"] = admin_url
        return self

    def set_service_url(self, service_url: str) -> Self:
        """Set the brokers: ``pulsar://localhost:6650``, or ``pulsar+ssl://`` for TLS; several with commas."""
        self._given["url"] = service_url
        return self

    def set_subscription_name(self, subscription_name: str) -> Self:
        """Set the subscription. Messages that the job has read are acknowledged in it, after each commit."""
        self._given["subscription"] = subscription_name
        return self

    def set_topics(self, topics: str | Sequence[str]) -> Self:
        """Set the topics, or single partitions such as ``t-partition-0``.

        Raises:
            ValidationError: There is none, or one is not a name.
        """
        self._given["topics"] = checked_topics(topics, "PulsarSource")
        return self

    def set_topic_pattern(self, topic_pattern: str) -> NoReturn:
        """Not possible: the library for Python does not list topics.

        Raises:
            UnsupportedOperation: Always.
        """
        raise UnsupportedOperation(
            f"PulsarSource: set_topic_pattern({cut(topic_pattern)}): Pulsar's library for Python does not list topics; "
            "name them in set_topics"
        )

    def set_consumer_name(self, consumer_name: str) -> Self:
        """Set what the consumers are called in statistics of the topics. Default: the brokers choose."""
        self._given["consumer"] = consumer_name
        return self

    def set_range_generator(self, range_generator: RangeGenerator) -> Self:
        """Set which keys are read: ``RangeGenerator.full()``, which is the default."""
        if not isinstance(range_generator, RangeGenerator):
            raise ValidationError(
                f"PulsarSource: set_range_generator: expected a RangeGenerator, got {cut(range_generator)}"
            )
        return self

    def set_start_cursor(self, start_cursor: StartCursor) -> Self:
        """Set where a new job starts; one with a checkpoint goes on where it was. Default: the earliest message."""
        if not isinstance(start_cursor, StartCursor):
            raise ValidationError(
                "PulsarSource: set_start_cursor: expected a StartCursor such as StartCursor.earliest(), got "
                f"{cut(start_cursor)}"
            )
        self._given["start"] = start_cursor
        return self

    def set_unbounded_stop_cursor(self, stop_cursor: StopCursor) -> Self:
        """Set where reading stops, though it counts as a source without end. Default: nowhere."""
        return self._stop(stop_cursor, False, "set_unbounded_stop_cursor")

    def set_bounded_stop_cursor(self, stop_cursor: StopCursor) -> Self:
        """Set where reading stops; batch mode may read such a source."""
        return self._stop(stop_cursor, True, "set_bounded_stop_cursor")

    def set_deserialization_schema(self, deserialization_schema: DeserializationSchema) -> Self:
        """Set how the contents of messages become records."""
        self._given["schema"] = checked_schema(deserialization_schema, "PulsarSource")
        return self

    def set_record_function(
        self, function: Callable[[PulsarMessage], Any], record_type: TypeInformation | None = None
    ) -> Self:
        """Set how messages, with key and properties, become records; instead of a schema.

        Args:
            function: Is called with each `PulsarMessage`.
            record_type: The type of what it returns. Default: any Python object.
        """
        if not callable(function):
            raise ValidationError(
                f"PulsarSource: set_record_function needs a function of a PulsarMessage, got {cut(function)}"
            )
        self._given["schema"] = MessageRecords(function, record_type)
        return self

    def set_authentication(self, auth_plugin_class_name: str, auth_params_string: str | Mapping[str, str]) -> Self:
        """Set the credentials, by Java's names.

        Args:
            auth_plugin_class_name: ``org.apache.pulsar.client.impl.auth.AuthenticationToken``, ``AuthenticationTls``,
                ``AuthenticationBasic``, or ``oauth2.AuthenticationOAuth2``.
            auth_params_string: Its parameters: a dict, ``key1:val1,key2:val2``, or JSON. Never shown.
        """
        self._given["authentication"] = Authentication(auth_plugin_class_name, auth_params_string)
        return self

    def set_config(self, key: str | ConfigOption[Any], value: Any) -> Self:
        """Set a property; see `set_properties`."""
        return self.set_properties({key.key() if isinstance(key, ConfigOption) else key: value})

    def set_config_with_dict(self, config: Mapping[str, Any]) -> Self:
        """Set properties; see `set_properties`."""
        return self.set_properties(config)

    def set_properties(self, config: Mapping[str, Any]) -> Self:
        """Set properties by PyFlink's names, such as ``pulsar.consumer.receiverQueueSize``."""
        self._properties |= config
        return self

    def build(self) -> PulsarSource:
        """The source.

        Raises:
            ValidationError: Something is missing, wrong or unknown.
        """
        if "schema" not in self._given:
            raise ValidationError("PulsarSource needs set_deserialization_schema or set_record_function")
        return PulsarSource(source_settings(self._given, self._properties), self._bounded)

    def _stop(self, cursor: StopCursor, bounded: bool, call: str) -> Self:
        if not isinstance(cursor, StopCursor):
            raise ValidationError(
                f"PulsarSource: {call}: expected a StopCursor such as StopCursor.latest(), got {cut(cursor)}"
            )
        self._given["stop"], self._bounded = cursor, bounded
        return self
