"""Google Pub/Sub as a source and a sink, by the names of Flink's connector for Java, over google-cloud-pubsub.

`PubSubSource` spools and acknowledges: exactly once by the messages' ids. `PubSubSink` waits until the service has all
messages: at least once. Needs google-cloud-pubsub (``pip install '.[pubsub]'``).
"""

from .message import PubSubDeserializationSchema, PubsubMessage
from .sink import PubSubSink, PubSubSinkBuilder
from .source import PubSubSource, PubSubSourceBuilder

__all__ = [
    "PubSubDeserializationSchema",
    "PubSubSink",
    "PubSubSinkBuilder",
    "PubSubSource",
    "PubSubSourceBuilder",
    "PubsubMessage",
]
