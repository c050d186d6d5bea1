"""`IterativeStream`: the head of a loop."""

from __future__ import annotations

from typing import Any

from datastream.errors import ValidationError, cut
from datastream.graph import operators as ops

from .data_stream import DataStream
from .step import node_of


class IterativeStream(DataStream):
    """The records of a stream, and those that come back to it. ``DataStream.iterate`` returns it (FLIP-130).

    Transform it as any stream, and hand what is to go round again to `close_with`::

        loop = numbers.iterate()
        step = loop.map(lambda n: n // 2)
        loop.close_with(step.filter(lambda n: n > 1))
        step.filter(lambda n: n <= 1).print()
    """

    def close_with(self, feedback_stream: DataStream) -> DataStream:
        """Feed records back: they come out of this stream again.

        May be called several times, with several streams. Feedback of a declared type other than this stream's is
        tested against it.

        Args:
            feedback_stream: A stream that was made of this one.

        Returns:
            The same stream.

        Raises:
            ValidationError: The stream was not made of this one.
        """
        if not isinstance(feedback_stream, DataStream):
            raise ValidationError(f"close_with needs a DataStream, got {cut(feedback_stream)}")
        head, feedback = self._node, node_of(feedback_stream)
        if feedback.builder is not head.builder or head.id not in head.builder.before(feedback.id):
            raise ValidationError(
                f"the stream {feedback.place} cannot be fed back to the loop {head.place}: it is not made of "
                "the stream that iterate() returned"
            )
        kind = head.output_type
        if kind is not None and repr(feedback.output_type) != repr(kind):
            subtasks = feedback.operator.parallelism
            feedback = feedback.then(ops.Map, "Feedback", function=_same, output_type=kind, parallelism=subtasks)
        feedback.then(ops.Feedback, "Feedback", head=head.id)
        return feedback_stream


def _same(record: Any) -> Any:
    return record
