"""Joins of two streams by key: of records in one window, or of records whose times are near each other.

Flink has these in Java, PyFlink does not; the names are Java's in Python's spelling.
"""

from .co_group import CoGroupedStreams
from .interval import IntervalJoin, IntervalJoined
from .join import JoinedStreams

__all__ = ["CoGroupedStreams", "IntervalJoin", "IntervalJoined", "JoinedStreams"]
