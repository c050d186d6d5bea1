"""HTTP as a sink, over httpx.

`HttpSink` stores requests beside the checkpoint and sends them when their epoch is committed, with keys by which a
receiver drops what comes twice.
"""

from .connection import HttpConnection, HttpTls
from .requests import RefusedRequest
from .sink import HttpSink, HttpSinkBuilder

__all__ = [
    "HttpConnection",
    "HttpSink",
    "HttpSinkBuilder",
    "HttpTls",
    "RefusedRequest",
]
