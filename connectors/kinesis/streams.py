"""Streams and their shards, as the service lists them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from datastream.errors import ValidationError, cut

_ARN = re.compile(r"arn:[^:]+:kinesis:(?P<region>[^:]+):\d*:stream/(?P<name>[\w.-]+)")
_NAME = re.compile(r"[\w.-]{1,128}")


@dataclass(frozen=True)
class Stream:
    """A stream, or a delivery stream of Firehose.

    Attributes:
        name: Its name.
        arn: Its ARN; None: it is of the account of the credentials.
    """

    name: str
    arn: str | None = None

    @property
    def key(self) -> dict[str, str]:
        """The arguments of a request that name it."""
        return {"StreamName": self.name} if self.arn is None else {"StreamARN": self.arn}


@dataclass(frozen=True)
class Shard:
    """A shard.

    Attributes:
        id: Its id.
        parents: Ids of the shards that it was split or merged from.
        closed: It was split or merged itself.
        hashes: Those of the partition keys that it takes.
    """

    id: str
    parents: tuple[str, ...]
    closed: bool
    hashes: range = range(2**128)


def stream_of(text: Any, what: str) -> tuple[Stream, str | None]:
    """A stream, and the region if its ARN names one.

    Args:
        text: Name or ARN.
        what: Who needs it, for errors.

    Raises:
        ValidationError: It is neither.
    """
    if isinstance(text, str):
        if found := _ARN.fullmatch(text):
            return Stream(found["name"], text), found["region"]
        if _NAME.fullmatch(text):
            return Stream(text), None
    raise ValidationError(f"{what}: expected the name or the ARN of a stream, got {cut(text)}")


def delivery_stream_of(text: Any, what: str) -> Stream:
    """A delivery stream of Firehose.

    Args:
        text: Its name.
        what: Who needs it, for errors.

    Raises:
        ValidationError: It is none.
    """
    if isinstance(text, str) and _NAME.fullmatch(text):
        return Stream(text)
    raise ValidationError(f"{what}: expected the name of a delivery stream, got {cut(text)}")


def shards_of(client: Any, stream: Stream) -> list[Shard]:
    """All shards whose records the service may still have, in the order of their ids."""
    request: dict[str, Any] = dict(stream.key)
    found = []
    while True:
        answer = client.list_shards(**request)
        for shard in answer["Shards"]:
            parents = (shard.get("ParentShardId"), shard.get("AdjacentParentShardId"))
            closed = "EndingSequenceNumber" in shard["SequenceNumberRange"]
            first, last = (int(shard["HashKeyRange"][end]) for end in ("StartingHashKey", "EndingHashKey"))
            hashes = range(first, last + 1)
            found.append(Shard(shard["ShardId"], tuple(one for one in parents if one), closed, hashes))
        if not answer.get("NextToken"):
            return sorted(found, key=lambda shard: shard.id)
        request = {"NextToken": answer["NextToken"]}
