"""The connector contract: what a system must offer to be a source or a sink.

A source is asked in two places. Beside the driver: `Source.initial_offset`, `Source.latest_offset`,
`Source.plan` and `Source.commit` decide which data an epoch holds; offsets are JSON and live in Spark's
offset log. In the workers: `Source.read` turns one split into blocks of records. A replayed epoch reads the
same offsets, so a source that reads the same data for the same offsets is exactly once.

A sink writes in the workers (`Sink.writer`, one writer an epoch and task) and becomes visible beside the
driver (`Sink.committer`). An epoch may be written and committed again after a failure: a committer must do
nothing for an epoch that it has committed already.
"""

from .sinks import Committer, Sink, Writer, WriterContext
from .sources import Offset, Source, Split

__all__ = ["Committer", "Offset", "Sink", "Source", "Split", "Writer", "WriterContext"]
