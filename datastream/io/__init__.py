"""The connector contract: what a system must offer to be a source or a sink.

The names are those of Flink's FLIP-27 and FLIP-143. A connector is two classes of settings' making: `Source` and `Sink`
are frozen settings, pickled to every process of a job. They make the objects that hold connections, and the engine
owns the life of these: it keeps them over epochs, hands none to two tasks at once, lets go of them in a forked
process, closes them when they are unused and when the job ends.

| Object | Lives | Made | Called |
| --- | --- | --- | --- |
| `Source`, `Sink` | everywhere, as copies | by the user | `validate` once, in the driver |
| `SplitEnumerator` | beside the driver | once a run | several times an epoch; must be quick |
| `SourceReader` | in a worker | when first needed | `read` once for each split |
| `SinkWriter` | in a worker, for a subtask | when first needed | `begin` to `prepare_commit` once an attempt |
| `Committer` | beside the driver | once a run | `commit` once an epoch, again after a failure |

**Epochs.** An epoch is what lies between two offsets of each source. Its offsets are logged before it runs. After a
failure it runs again between the same offsets, perhaps in other processes and after parts of it have been written, so:

- `SplitEnumerator.splits` returns the same data for the same two offsets, and `SourceReader.read` the same records
  in the same order for the same split. A system that cannot do that takes a `Spool`.
- `Committer.commit` does nothing for an epoch that it has committed. `SinkWriter.begin` may come again for an epoch,
  in this process or another one, while what an earlier attempt wrote lies about.
- A process may be killed between any two calls. `close` is for connections; nothing may depend on it.

`datastream.testing.connectors` drives a source or a sink as the engine does, with a crash before and after every call.
"""

from .backoff import Backoff
from .batching import BatchingSink
from .contexts import CommitterContext, EnumeratorContext, ReaderContext, WriterContext
from .feedback import FeedbackEnumerator, FeedbackSink, FeedbackSource, check_notes
from .numbered import NumberedSource
from .predicates import Predicate
from .queues import Message, QueueConnection, QueueSource
from .sinks import CollectingSink, Committer, Consumed, Sink, SinkWriter
from .sources import Batch, Offset, Produced, Source, SourceReader, Split, SplitEnumerator
from .spool import Spool
from .transactional import TransactionalSink

__all__ = [
    "Backoff",
    "Batch",
    "BatchingSink",
    "CollectingSink",
    "Committer",
    "CommitterContext",
    "Consumed",
    "EnumeratorContext",
    "FeedbackEnumerator",
    "FeedbackSink",
    "FeedbackSource",
    "Message",
    "NumberedSource",
    "Offset",
    "Predicate",
    "Produced",
    "QueueConnection",
    "QueueSource",
    "ReaderContext",
    "Sink",
    "SinkWriter",
    "Source",
    "SourceReader",
    "Split",
    "SplitEnumerator",
    "Spool",
    "TransactionalSink",
    "check_notes",
    "WriterContext",
]
