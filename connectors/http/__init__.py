"""HTTP as a source and a sink, over httpx.

`HttpSource` asks a URL for records, and stores what it gets beside the checkpoint before an epoch reads it;
`ServerSentEventSource` does so with the events of a stream. `HttpSink` stores requests there and sends them when their
epoch is committed, with keys by which a receiver drops what comes twice.
"""

from .connection import HttpConnection, HttpTls
from .cursor import HttpCursor
from .event import ServerSentEvent
from .event_source import ServerSentEventSource, ServerSentEventSourceBuilder
from .requests import RefusedRequest
from .sink import HttpSink, HttpSinkBuilder
from .source import HttpSource, HttpSourceBuilder

__all__ = [
    "HttpConnection",
    "HttpCursor",
    "HttpSink",
    "HttpSinkBuilder",
    "HttpSource",
    "HttpSourceBuilder",
    "HttpTls",
    "RefusedRequest",
    "ServerSentEvent",
    "ServerSentEventSource",
    "ServerSentEventSourceBuilder",
]
