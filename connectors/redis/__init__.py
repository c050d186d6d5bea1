"""Redis: streams as a source, strings, hashes, lists, sets and streams as sinks, and keys to look up, over redis-py.

The source is exactly once. The sink is, too: the records of an epoch and its marker are written in one transaction.
Needs redis (``pip install '.[redis]'``), and a server of Redis 7 or Valkey that is no cluster.
"""

from .commands import RedisCommand
from .connection import RedisConnection, RedisTls
from .entries import RedisDeserializationSchema, RedisEntry
from .lookup import RedisLookup
from .sink import RedisSink
from .source import RedisStreamsSource

__all__ = [
    "RedisCommand",
    "RedisConnection",
    "RedisDeserializationSchema",
    "RedisEntry",
    "RedisLookup",
    "RedisSink",
    "RedisStreamsSource",
    "RedisTls",
]
