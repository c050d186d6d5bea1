"""The ends of event time. Timestamps and watermarks are signed numbers of 64 bits, as in Flink."""

from __future__ import annotations

#: The watermark before there is one, in ms. Nothing is late against it.
MIN_WATERMARK = -(2**63)

#: The watermark at the end of bounded input, in ms: every event-time timer fires.
MAX_WATERMARK = 2**63 - 1

#: What a `TimestampAssigner` is given as the timestamp of a record that has none.
NO_TIMESTAMP = -(2**63)
