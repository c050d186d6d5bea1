"""`IterativeStream`: the head of a loop."""

from __future__ import annotations

from typing import Any

from datastream.errors import ValidationError, cut
from datastream.graph import operators as ops

from .data_stream import DataStream


class IterativeStream(DataStream):
    """The records of a stream, and those that come back to it. ``DataStream.iterate`` gives it (FLIP-130).

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
        builder = self._env._builder
        if feedback_stream._env is not self._env or self._id not in builder.before(feedback_stream._id):
            raise ValidationError(
                f"the stream {feedback_stream._place} cannot be fed back to the loop {self._place}: it is not made of "
                "the stream that iterate() returned"
            )
        kind, feedback = self._type(), feedback_stream
        if kind is not None and repr(feedback._type()) != repr(kind):
            subtasks = builder.operators[feedback._id].parallelism
            feedback = feedback._then(ops.Map, "Feedback", function=_same, output_type=kind, parallelism=subtasks)
        builder.add(ops.Feedback, "Feedback", [feedback._input], head=self._id)
        return feedback_stream


def _same(record: Any) -> Any:
    return record
