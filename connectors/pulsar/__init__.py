"""Apache Pulsar as a source and a sink, by PyFlink's names, over pulsar-client.

`PulsarSource` reads partitions by message ids: exactly once. `PulsarSink` waits until the brokers have all messages: at
least once; or exactly once, where they drop what they have already. Needs pulsar-client (``pip install '.[pulsar]'``).
"""

from datastream.connectors.delivery_guarantee import DeliveryGuarantee

from .cursors import StartCursor, StopCursor
from .message import PulsarMessage
from .message_delayer import MessageDelayer
from .range_generator import RangeGenerator
from .sink import PulsarSink, PulsarSinkBuilder
from .source import PulsarSource, PulsarSourceBuilder
from .topic_routing_mode import TopicRoutingMode

__all__ = [
    "DeliveryGuarantee",
    "MessageDelayer",
    "PulsarMessage",
    "PulsarSink",
    "PulsarSinkBuilder",
    "PulsarSource",
    "PulsarSourceBuilder",
    "RangeGenerator",
    "StartCursor",
    "StopCursor",
    "TopicRoutingMode",
]
