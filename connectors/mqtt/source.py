"""`MqttSource`: the messages of topics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

from datastream.connectors.server_settings import checked_connection, checked_number
from datastream.errors import ValidationError, cut
from datastream.formats import DeserializationSchema
from datastream.formats.schema import checked_schema, dead_letter_tags, records_fit
from datastream.io import EnumeratorContext, Produced, QueueConnection, QueueSource, ReaderContext, SourceReader
from datastream.types import TypeInformation, Types

from .connection import MqttConnection
from .consumer import Consumer, Subscription
from .message import MqttMessage
from .reader import MqttReader

_SHARE = "$share/"
#: A session expiry of this means: never.
_MOST_EXPIRY = 2**32 - 1


class MqttSource(QueueSource):
    """The messages of topics, without end; for ``from_source``. Made by `MqttSource.builder`.

    A task receives messages, stores them beside the checkpoint, acknowledges them, and only then emits them. With QoS 1
    each message comes at least once, or exactly once where each has an id of its own; see
    `MqttSourceBuilder.set_id_property`. With QoS 0 messages may be lost.

    Shared subscriptions (``$share/group/filter``) are spread over all subtasks. Others are read by one.

    Attributes:
        subscription: The settings.
        deserializer: How payloads become records; None: `record_function` does it.
        record_function: How messages become records.
        wait_ms: How long a look waits for the first message.
    """

    wait_ms: int = 50

    def __init__(
        self,
        subscription: Subscription,
        deserializer: DeserializationSchema | None,
        record_function: Callable[[MqttMessage], Any] | None,
        record_type: TypeInformation | None,
    ) -> None:
        self.subscription = subscription
        self.deserializer = deserializer
        self.record_function = record_function
        self._record_type = record_type
        if subscription.id_property is None:
            self.kept_s = 0.0  # there are no ids

    @staticmethod
    def builder() -> MqttSourceBuilder:
        """A builder."""
        return MqttSourceBuilder()

    def __repr__(self) -> str:
        return f"MqttSource({self.subscription.connection}, {', '.join(self.subscription.topics)})"

    @property
    def produced(self) -> Produced:
        schema = self.deserializer
        if schema is None:
            return Produced(self.get_produced_type())
        return Produced(schema.get_produced_type(), records_fit(schema), dead_letter_tags(schema))

    def get_produced_type(self) -> TypeInformation:
        """The type of the records."""
        if self.deserializer is not None:
            return self.deserializer.get_produced_type()
        return self._record_type or Types.PICKLED_BYTE_ARRAY()

    def validate(self) -> None:
        self.subscription.connection.validate()

    def most_tasks(self, context: EnumeratorContext) -> int | None:
        return None if all(map(_is_shared, self.subscription.topics)) else 1

    def connect(self) -> QueueConnection:
        return self.consumer(0)

    def consumer(self, task: int) -> Consumer:
        """The session of a task.

        Args:
            task: Its index.
        """
        return Consumer(self.subscription, task, self.wait_ms)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return MqttReader(self, context)


class MqttSourceBuilder:
    """Builds an `MqttSource`. It needs a connection, topics, a client id, and a schema or a function."""

    def __init__(self) -> None:
        self._subscription = Subscription(MqttConnection(), (), "")
        self._connected = False
        self._schema: DeserializationSchema | None = None
        self._function: Callable[[MqttMessage], Any] | None = None
        self._type: TypeInformation | None = None

    def set_connection(self, connection: MqttConnection | str) -> Self:
        """Set the server: a connection, or a URL such as ``mqtt://user:password@host:1883``."""
        self._connected = True
        return self._set(connection=checked_connection(MqttConnection, connection, "MqttSource"))

    def set_topics(self, *topics: str) -> Self:
        """Set the filters of topics. ``+`` stands for one level, ``#`` at the end for all that follow.

        ``$share/group/filter`` gives each message to one of the group's members; all subtasks read then, and without it
        one does.

        Args:
            topics: They; either all are shared, or none is.

        Raises:
            ValidationError: One is no filter, or some are shared and some are not.
        """
        if not topics:
            raise ValidationError("set_topics needs at least one filter of topics, such as 'sensors/+/temperature'")
        for topic in topics:
            _check_filter(topic)
        if len({_is_shared(topic) for topic in topics}) > 1:
            raise ValidationError(
                f"set_topics: either all filters begin with '$share/', or none does; got {cut(list(topics))}; make two "
                "sources"
            )
        return self._set(topics=tuple(topics))

    def set_client_id(self, client_id: str) -> Self:
        """Set what the names of sessions begin with; the index of the subtask is appended, as in ``name-0``.

        The server keeps messages for a session while the job is away. So the id has to be the same when the job starts
        again, and no two sources may have the same.
        """
        if not isinstance(client_id, str) or not client_id:
            raise ValidationError(f"set_client_id needs a text that is not empty, got {cut(client_id)}")
        return self._set(client_id=client_id)

    def set_deserializer(self, schema: DeserializationSchema) -> Self:
        """Set how payloads become records. A payload for which it returns None is dropped."""
        self._schema = checked_schema(schema, "MqttSource")
        return self

    def set_record_function(
        self, function: Callable[[MqttMessage], Any], record_type: TypeInformation | None = None
    ) -> Self:
        """Set how messages, with topic and properties, become records; instead of a schema.

        Args:
            function: Is called with each `MqttMessage`.
            record_type: The type of what it returns. Default: any Python object.
        """
        if not callable(function):
            raise ValidationError(f"set_record_function needs a function of an MqttMessage, got {cut(function)}")
        self._function, self._type = function, record_type
        return self

    def set_qos(self, qos: int) -> Self:
        """Set the quality of service: 1, at least once, or 0, with which messages may be lost. Default: 1.

        QoS 2 is not possible: the client confirms such a message before the job has it, so a crash would lose it.
        Messages that were published with QoS 2 are received with QoS 1.
        """
        if qos == 2 and not isinstance(qos, bool):
            raise ValidationError(
                "MqttSource: QoS 2 is not possible: such a message is confirmed before it is stored, and a crash would "
                "lose it. Set QoS 1, at least once; with set_id_property each message comes exactly once"
            )
        return self._set(qos=checked_number(qos, "MqttSource: qos", 0, 1))

    def set_session_expiry(self, seconds: int) -> Self:
        """Set how long the server keeps sessions, and messages for them, while no job reads. Default: 86,400, a day.

        4,294,967,295 means for ever.
        """
        return self._set(session_expiry=checked_number(seconds, "MqttSource: session_expiry", 1, _MOST_EXPIRY))

    def set_receive_maximum(self, messages: int) -> Self:
        """Set how many messages the server sends ahead to each subtask. Default: 10,000.

        An epoch holds at most this number from each subtask.
        """
        return self._set(receive_maximum=checked_number(messages, "MqttSource: receive_maximum", 1, 65_535))

    def set_max_payload_size(self, size: int) -> Self:
        """Set the largest payload in bytes; a larger one fails the job. Default: 16,777,216."""
        return self._set(max_payload_size=checked_number(size, "MqttSource: max_payload_size", 1, 268_435_455))

    def set_retained(self, retained: bool) -> Self:
        """Set whether the messages that the server has retained come when a session begins. Default: False."""
        if not isinstance(retained, bool):
            raise ValidationError(f"MqttSource: retained must be True or False, got {cut(retained)}")
        return self._set(retained=retained)

    def set_id_property(self, name: str) -> Self:
        """Set the user property that holds an id which no other message has: each message comes exactly once then."""
        if not isinstance(name, str) or not name:
            raise ValidationError(f"set_id_property needs the name of a user property, got {cut(name)}")
        return self._set(id_property=name)

    def build(self) -> MqttSource:
        """The source.

        Raises:
            ValidationError: Something is missing.
        """
        if not self._connected:
            raise ValidationError("MqttSource needs set_connection, such as 'mqtt://localhost:1883'")
        if not self._subscription.topics:
            raise ValidationError("MqttSource needs set_topics, such as 'sensors/#'")
        if not self._subscription.client_id:
            raise ValidationError(
                "MqttSource needs set_client_id: a name that stays the same when the job starts again"
            )
        if (self._schema is None) == (self._function is None):
            raise ValidationError("MqttSource needs either set_deserializer or set_record_function")
        return MqttSource(self._subscription, self._schema, self._function, self._type)

    def _set(self, **settings: Any) -> Self:
        self._subscription = replace(self._subscription, **settings)
        return self


def _is_shared(topic: str) -> bool:
    return topic.startswith(_SHARE)


def _check_filter(topic: Any) -> None:
    wrong = f"MqttSource: {cut(topic)} is no filter of topics"
    if not isinstance(topic, str) or not topic or "\0" in topic or len(topic.encode()) > 65_535:
        raise ValidationError(f"{wrong}: it must be a text that is not empty, such as 'sensors/+/temperature'")
    rest = topic
    if _is_shared(topic):
        group, _, rest = topic[len(_SHARE) :].partition("/")
        if not group or "+" in group or "#" in group or not rest:
            raise ValidationError(f"{wrong}: a shared one looks like '$share/group/sensors/#'")
    levels = rest.split("/")
    for index, level in enumerate(levels):
        if ("#" in level and (level != "#" or index < len(levels) - 1)) or ("+" in level and level != "+"):
            raise ValidationError(f"{wrong}: '+' stands for a whole level, and '#' for the last one")
