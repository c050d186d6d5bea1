"""`PubSubSource`: the messages of a subscription."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats import DeserializationSchema
from datastream.formats.schema import checked_schema
from datastream.io import EnumeratorContext, Produced, QueueConnection, QueueSource, ReaderContext, SourceReader
from datastream.time import Duration
from datastream.types import TypeInformation

from .failures import failure
from .message import DataOnly, PubSubDeserializationSchema
from .pulling import Pulling
from .reader import PubSubReader
from .service import ServiceBuilder, checked_name, path_of
from .source_settings import SourceSettings

_MOST_MESSAGES = 10_000
#: A question about the subscription may take so long, and is asked again for so long.
_CALL_S, _RETRY_S = 10.0, 5.0


@dataclass(eq=False)
class PubSubSource(QueueSource):
    """The messages of a subscription, without end. Made by `new_builder`.

    A task pulls messages, stores them beside the checkpoint, acknowledges them, and only then emits them. A message
    that is delivered again is dropped if its id is stored. The publish time is the record's timestamp.

    Attributes:
        settings: Its settings.
        wait_ms: How long a look waits for the first message.
        kept_s: How long the ids of acknowledged messages are kept: the service may lose an acknowledgement, and
            delivers the message again after its deadline.
    """

    settings: SourceSettings
    wait_ms: int = 50
    kept_s: float = 60.0

    @staticmethod
    def new_builder() -> PubSubSourceBuilder:
        """A builder."""
        return PubSubSourceBuilder()

    @property
    def produced(self) -> Produced:
        return Produced.by(self.settings.schema, timestamps=True)

    def get_produced_type(self) -> TypeInformation:
        """The type of the records."""
        return self.settings.schema.get_produced_type()

    def validate(self) -> None:
        self.settings.service.validate()

    def start(self, context: EnumeratorContext) -> None:
        settings = self.settings
        target: dict[str, Any] = {}
        if settings.start_time is not None:
            target["time"] = _timestamp(settings.start_time)
        elif settings.start_snapshot is not None:
            target["snapshot"] = path_of(settings.service.project, "snapshots", settings.start_snapshot)
        if target:
            self._ask("seek", request={"subscription": settings.path, **target})

    def most_tasks(self, context: EnumeratorContext) -> int | None:
        ordered = self.settings.ordered
        if ordered is None:
            try:
                ordered = self._ask("get_subscription", subscription=self.settings.path).enable_message_ordering
            except ValidationError as error:
                context.logger.warning(
                    "whether the subscription keeps the order of messages is not known, so several tasks read it; "
                    "with_message_ordering(True) keeps the order, False ends this warning: %s",
                    error,
                )
        return 1 if ordered else None

    def _ask(self, method: str, **arguments: Any) -> Any:
        from google.api_core.retry import Retry

        client = self.settings.service.subscriber()
        try:
            return getattr(client, method)(**arguments, timeout=_CALL_S, retry=Retry(timeout=_RETRY_S))
        except Exception as error:
            what = f"the subscription {self.settings.subscription!r}"
            raise failure(error, self.settings.service, what) from error
        finally:
            client.transport.close()

    def connect(self) -> QueueConnection:
        return Pulling(self.settings, self.wait_ms / 1000)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return PubSubReader(self, self.settings, context)


def _timestamp(millis: int) -> Any:
    from google.protobuf.timestamp_pb2 import Timestamp

    return Timestamp(seconds=millis // 1000, nanos=millis % 1000 * 1_000_000)


class PubSubSourceBuilder(ServiceBuilder):
    """Builds a `PubSubSource`; a schema, a project and a subscription are needed."""

    _built = "PubSubSource"

    def __init__(self) -> None:
        super().__init__()
        self._schema: Any = None
        self._subscription: Any = None
        self._settings: dict[str, Any] = {}

    def with_deserialization_schema(
        self, deserialization_schema: DeserializationSchema | PubSubDeserializationSchema
    ) -> PubSubSourceBuilder:
        """How the content of messages, or messages as a whole, become records. None is no record."""
        self._schema = deserialization_schema
        return self

    def with_project_name(self, project_name: str) -> PubSubSourceBuilder:
        """The id of the project."""
        self._project = project_name
        return self

    def with_subscription_name(self, subscription_name: str) -> PubSubSourceBuilder:
        """The subscription, which must be there."""
        self._subscription = subscription_name
        return self

    def with_credentials(self, credentials: Any) -> PubSubSourceBuilder:
        """Credentials of google-auth. Default: the application default credentials. They are never shown."""
        self._credentials = credentials
        return self

    def with_credentials_file(self, path: str) -> PubSubSourceBuilder:
        """A service account's JSON file, at the same path on each machine of the job. An addition to Flink's names."""
        self._credentials_file = path
        return self

    def with_host_and_port_for_emulator(self, host_and_port: str) -> PubSubSourceBuilder:
        """An emulator, such as ``localhost:8085``. Default: that of the variable PUBSUB_EMULATOR_HOST, if it is set."""
        self._emulator = host_and_port
        return self

    def with_endpoint(self, endpoint: str) -> PubSubSourceBuilder:
        """The service's address, such as ``europe-west1-pubsub.googleapis.com:443``. An addition to Flink's names."""
        self._endpoint = endpoint
        return self

    def with_pub_sub_subscriber_factory(
        self, max_messages_per_pull: int, per_request_timeout: Duration | None = None, retries: int | None = None
    ) -> PubSubSourceBuilder:
        """How messages are pulled.

        Args:
            max_messages_per_pull: Messages of a request at most. Default without this call: 1000.
            per_request_timeout: No effect: a request ends early enough for its messages' deadlines.
            retries: No effect: a task that cannot reach the service fails, and the restart strategy decides.
        """
        if not isinstance(max_messages_per_pull, int) or not 1 <= max_messages_per_pull <= _MOST_MESSAGES:
            raise ValidationError(
                f"PubSubSource: max_messages_per_pull must be a number from 1 to {_MOST_MESSAGES}, got "
                f"{cut(max_messages_per_pull)}"
            )
        self._settings["max_messages"] = max_messages_per_pull
        return self

    def with_message_ordering(self, ordered: bool = True) -> PubSubSourceBuilder:
        """Whether one task pulls, which keeps the order of messages with the same ordering key.

        Default: as the subscription says. An addition to Flink's names.
        """
        self._settings["ordered"] = bool(ordered)
        return self

    def with_start_from_timestamp(self, timestamp: int) -> PubSubSourceBuilder:
        """Seek to this time before a new job reads, in ms since 1970. An addition to Flink's names."""
        if not isinstance(timestamp, int) or timestamp < 0:
            raise ValidationError(f"PubSubSource: expected a time in ms since 1970, got {cut(timestamp)}")
        self._settings["start_time"] = timestamp
        return self

    def with_start_from_snapshot(self, snapshot_name: str) -> PubSubSourceBuilder:
        """Seek to this snapshot before a new job reads. An addition to Flink's names."""
        self._settings["start_snapshot"] = checked_name(snapshot_name, "PubSubSource", "with_start_from_snapshot")
        return self

    def build(self) -> PubSubSource:
        """The source.

        Raises:
            ValidationError: Something is missing, wrong or contradictory.
        """
        what = "PubSubSource: with_deserialization_schema"
        schema = checked_schema(self._schema, what, PubSubDeserializationSchema)
        if isinstance(schema, DeserializationSchema):
            schema = DataOnly(schema)
        if {"start_time", "start_snapshot"} <= self._settings.keys():
            raise ValidationError("PubSubSource: a new job starts from a timestamp or from a snapshot, not from both")
        subscription = checked_name(self._subscription, "PubSubSource", "with_subscription_name")
        return PubSubSource(SourceSettings(self._service(), subscription, schema, **self._settings))
