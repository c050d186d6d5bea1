"""The source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.io import EnumeratorContext, Produced, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.types import Types

from . import client_settings
from .endpoints import EndpointInitializer, SampleStreamEndpoint, StreamingEndpoint
from .reconnects import Reconnects


class TwitterSource(Source):
    """The posts of a stream of X, as texts of JSON, in the form of API v2.

    Nothing that was stored is lost or comes twice over restarts, with a checkpoint directory. Posts that come while no
    connection is open are lost, but for the minutes that X sends again (``backfill_minutes`` of the endpoint). Each
    record has the time at which its post was written as its timestamp.

    Args:
        properties: The app's token (`BEARER_TOKEN`) or key and secret (`CONSUMER_KEY`, `CONSUMER_SECRET`); and
            `CLIENT_NAME`, `CLIENT_HOSTS`, `CLIENT_BUFFER_SIZE`. They are never shown.
        endpoint: The stream. Default: the sample of all posts, as in Flink.

    Attributes:
        client: How X is reached.
        endpoint: The stream.
        reconnects: How long the source waits before it connects again, and until it gives up.

    Raises:
        ValidationError: A property is missing, not known, or not possible.
    """

    CONSUMER_KEY = client_settings.CONSUMER_KEY
    CONSUMER_SECRET = client_settings.CONSUMER_SECRET
    TOKEN = client_settings.TOKEN
    TOKEN_SECRET = client_settings.TOKEN_SECRET
    BEARER_TOKEN = client_settings.BEARER_TOKEN
    CLIENT_NAME = client_settings.CLIENT_NAME
    CLIENT_HOSTS = client_settings.CLIENT_HOSTS
    CLIENT_BUFFER_SIZE = client_settings.CLIENT_BUFFER_SIZE

    bounded = False
    reconnects: Reconnects = Reconnects()

    def __init__(self, properties: Mapping[str, Any], endpoint: StreamingEndpoint | None = None) -> None:
        self.client = client_settings.client_settings(properties)
        self.endpoint = SampleStreamEndpoint() if endpoint is None else _checked(endpoint, "TwitterSource")

    def set_custom_endpoint_initializer(self, initializer: EndpointInitializer) -> None:
        """Read the stream that the initializer creates.

        Raises:
            ValidationError: It is none, or creates none.
        """
        if not isinstance(initializer, EndpointInitializer):
            raise ValidationError(
                "set_custom_endpoint_initializer needs an EndpointInitializer with a method create_endpoint(), "
                f"got {cut(initializer)}"
            )
        self.endpoint = _checked(initializer.create_endpoint(), f"{type(initializer).__name__}.create_endpoint()")

    @property
    def produced(self) -> Produced:
        return Produced(Types.STRING(), exact=True, timestamps=True)

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        from .enumerator import TwitterEnumerator  # its client takes its time to import

        return TwitterEnumerator(self.client, self.endpoint, self.reconnects, context)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        from .reader import TwitterReader

        return TwitterReader(context)


def _checked(endpoint: Any, what: str) -> StreamingEndpoint:
    if not isinstance(endpoint, StreamingEndpoint) or type(endpoint) is StreamingEndpoint:
        raise ValidationError(
            f"{what}: expected a FilteredStreamEndpoint or SampleStreamEndpoint, got {cut(endpoint)}; endpoints of "
            "Java's Hosebird client were of API v1.1"
        )
    return endpoint
