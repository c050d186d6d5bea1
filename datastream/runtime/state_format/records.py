"""What an entry of a job's state can be.

An entry begins with three bytes: `MARK`, the letter of its kind, and the version of that kind. What follows is a
pickle of built-in types around the users' values, and of the names in `datastream.stored_types`; no class of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from datastream.graph.state_forms import Stored

#: No pickle begins with this byte.
MARK = b"\xd5"

#: The state format as a whole; a checkpoint's ``job.json`` names the highest that is in it. And the first one that is
#: read: those before it were never published.
FORMAT, FIRST_FORMAT = 4, 3


@dataclass(frozen=True)
class Record:
    """A kind of entry.

    Attributes:
        name: For messages.
        letter: Its own.
        version: The state format in which it got its form of today.
        earlier: Of each earlier version: from its content to today's.
        header: What its entries begin with.
    """

    name: str
    letter: str
    version: int
    earlier: Mapping[int, Callable[[Any], Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "header", MARK + self.letter.encode() + bytes([self.version]))

    header: bytes = b""


#: Key -> value: keys of a running aggregate.
VALUES = Record("page of values", "v", 3)

#: (log2 of the number of pages, page 0)
VALUES_HEAD = Record("head of pages of values", "V", 3)

#: Key -> slot -> what is there; for the slots see `datastream.runtime.keyed_state` and `hosts.windows.slots`.
CONTENTS = Record("page of contents", "c", 3)

#: (log2 of the number of pages, page 0, page -> least timer of event time, and of processing time, collections so far)
CONTENTS_HEAD = Record("head of pages of contents", "C", 3)

#: Runs, the oldest first, each as (sequence, digest, keys, bytes, timers); sequence -> least timer of event time; of
#: processing time; collections so far. In place of the head of pages; see `datastream.runtime.runs`.
RUN_HEAD = Record("head of runs", "R", 4)

#: See `datastream.runtime.runs`.
RUN = Record("run of keys", "r", 4)

#: (first key group, the one after the last, key group -> least timer of event time, and of processing time)
TIMERS = Record("summary of timers", "t", 3)

#: A list, or a dict: a part of a large collection.
CHUNK = Record("chunk of a collection", "k", 3)

#: A dict: a part of a broadcast state.
BROADCAST = Record("part of broadcast state", "b", 3)

#: (log2 of the number of parts, part 0)
BROADCAST_HEAD = Record("head of broadcast state", "B", 3)

#: (uid -> inputs of an operator, uid -> watermark that it made); see `datastream.runtime.watermark_inputs`.
WATERMARKS = Record("record of watermarks", "w", 3)

#: (keys, values); see `datastream.runtime.appended`.
PART = Record("part of a log", "p", 3)

#: Parts, each as bytes
APPENDED = Record("chunk of a log", "a", 3)


def _without_traces(head: dict[int, list[tuple[Any, ...]]]) -> dict[int, list[tuple[Any, ...]]]:
    return {bucket: [(*chunk, None) for chunk in log] for bucket, log in head.items()}


#: Bucket -> (number, entries, bytes, parts or None, traces of keys or None) of its chunks; see `runtime.appended`.
APPENDED_HEAD = Record("head of logs", "A", 4, {3: _without_traces})

#: How state is stored in pages -> the kinds of page 0, which begins with other things, and of the others.
PAGES = {
    Stored.VALUES: (VALUES_HEAD, VALUES),
    Stored.CONTENTS: (CONTENTS_HEAD, CONTENTS),
    Stored.BROADCAST: (BROADCAST_HEAD, BROADCAST),
}

ALL = (
    VALUES,
    VALUES_HEAD,
    CONTENTS,
    CONTENTS_HEAD,
    RUN_HEAD,
    RUN,
    TIMERS,
    CHUNK,
    BROADCAST,
    BROADCAST_HEAD,
    WATERMARKS,
    PART,
    APPENDED,
    APPENDED_HEAD,
)
