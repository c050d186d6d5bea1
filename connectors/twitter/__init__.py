"""The streams of X, once Twitter, as a source, by the names of Flink's connector for Java, over API v2 and httpx.

`TwitterSource` stores what the stream brings beside the checkpoint before it hands it on: an epoch that runs again
reads the same. What X sends again is dropped by its id.
"""

from .endpoints import EndpointInitializer, FilteredStreamEndpoint, SampleStreamEndpoint, StreamingEndpoint, StreamRule
from .reconnects import Reconnects
from .source import TwitterSource

__all__ = [
    "EndpointInitializer",
    "FilteredStreamEndpoint",
    "Reconnects",
    "SampleStreamEndpoint",
    "StreamRule",
    "StreamingEndpoint",
    "TwitterSource",
]
