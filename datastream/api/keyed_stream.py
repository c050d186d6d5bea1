"""`KeyedStream`: a stream partitioned by key, and its running aggregates."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any

from datastream.errors import UnsupportedOperation, ValidationError, WrongType, cut
from datastream.functions import KeyedProcessFunction, ProcessFunction, ReduceFunction
from datastream.graph import Hash
from datastream.graph.operators import Filter, KeyedProcess, Operator, Reduce
from datastream.types import TypeInformation
from datastream.types.hint_results import element_hint

from .callables import resolve
from .data_stream import DataStream
from .fields import Position, field_of, with_field
from .keyed_functions import WITH_STATE, may_keep_state
from .step import node_of

if TYPE_CHECKING:
    from datastream.windows import WindowAssigner

    from .environment import StreamExecutionEnvironment
    from .joins import IntervalJoin
    from .step import DataStreamSink
    from .windowed_stream import WindowedStream


class KeyedStream(DataStream):
    """A stream whose records of one key meet in one subtask. See ``pyflink.datastream.KeyedStream``.

    In streaming mode an aggregate emits its new value for every record; in batch mode its last one, at the end.
    """

    _before_windows = "window(...) or count_window(...)"

    class AccumulateType(Enum):
        MIN = 1
        MAX = 2
        MIN_BY = 3
        MAX_BY = 4
        SUM = 5

    def __init__(
        self,
        env: StreamExecutionEnvironment,
        origin: DataStream,
        key: Callable[[Any], Any],
        key_type: TypeInformation | None = None,
    ) -> None:
        super().__init__(env, node_of(origin).partitioned(Hash(key, key_type)))
        self._origin = origin

    def get_name(self) -> str:
        """A keyed stream is no operator: it has no name.

        Raises:
            ValidationError: always, as in PyFlink.
        """
        raise ValidationError("Get name of KeyedStream is not supported.")

    def _then(self, kind: type[Operator], name: str, **fields: Any) -> DataStream:
        """Functions of one record whose ``open`` may ask for keyed state run as process functions."""
        with_state = WITH_STATE.get(kind)
        if with_state is None or not may_keep_state(fields.get("instance")):
            return super()._then(kind, name, **fields)
        function = with_state(fields.pop("function")).process_element
        return super()._then(KeyedProcess, name, function=function, fits=kind is Filter, **fields)

    def reduce(self, func: Callable[[Any, Any], Any] | ReduceFunction) -> DataStream:
        """Combine each record with the value so far of its key.

        Args:
            func: (value so far, record) -> new value, of the records' own type; must not change its arguments. A
                `ReduceFunction` may get keyed state of its own in its ``open``.
        """
        function, instance = resolve(func, "reduce", ("value1", "value2"), "reduce")
        return self._then(
            Reduce,
            "Reduce",
            function=function,
            instance=instance,
            **self._node.types,
        )

    def sum(self, position_to_sum: Position = 0) -> DataStream:
        """Running sum of a field; the other fields are those of the key's first record."""
        return self._aggregate("Sum", _Sum(_position(position_to_sum, "sum")))

    def min(self, position_to_min: Position = 0) -> DataStream:
        """Running minimum of a field; the other fields are those of the key's first record."""
        return self._aggregate("Min", _Extreme(_position(position_to_min, "min"), least=True))

    def max(self, position_to_max: Position = 0) -> DataStream:
        """Running maximum of a field; the other fields are those of the key's first record."""
        return self._aggregate("Max", _Extreme(_position(position_to_max, "max"), least=False))

    def min_by(self, position_to_min_by: Position = 0) -> DataStream:
        """The whole record with the least field so far; the first one, when several are equal."""
        return self._aggregate("Min By", _ExtremeBy(_position(position_to_min_by, "min_by"), least=True))

    def max_by(self, position_to_max_by: Position = 0) -> DataStream:
        """The whole record with the greatest field so far; the first one, when several are equal."""
        return self._aggregate("Max By", _ExtremeBy(_position(position_to_max_by, "max_by"), least=False))

    def key_by(self, key_selector: Any, key_type: Any = None) -> KeyedStream:
        """Partition by another key."""
        return self._origin.key_by(key_selector, key_type)

    def print(self, sink_identifier: str | None = None) -> DataStreamSink:
        """Print every record, as in PyFlink without the identifier."""
        return super().print()

    def process(
        self, func: KeyedProcessFunction | ProcessFunction, output_type: TypeInformation | None = None
    ) -> DataStream:
        """Run a `KeyedProcessFunction`, with state and timers by key.

        Args:
            func: The function; a `ProcessFunction` gets no timers and no state of its own.
            output_type: Declared type of the results.
        """
        if isinstance(func, ProcessFunction):
            return super().process(func, output_type)
        function, instance = resolve(func, "process_element", ("value", "ctx"), "process")
        if not isinstance(instance, KeyedProcessFunction):
            raise ValidationError(f"process on a keyed stream needs a KeyedProcessFunction, got {cut(func)}")
        return self._then(
            KeyedProcess,
            "KEYED PROCESS",
            function=function,
            instance=instance,
            output_type=output_type,
            hinted=element_hint(function),
        )

    def window(self, window_assigner: WindowAssigner[Any, Any]) -> WindowedStream:
        """Group the records of each key in windows."""
        from .windowed_stream import WindowedStream

        return WindowedStream(self, window_assigner)

    def count_window(self, size: int, slide: int = 0) -> WindowedStream:
        """Group the records of each key by their number.

        Args:
            size: Records of a window; it fires when it has as many.
            slide: After how many records the next window starts; 0: windows do not overlap.
        """
        from datastream.windows import CountSlidingWindowAssigner, CountTumblingWindowAssigner

        if slide:
            return self.window(CountSlidingWindowAssigner.of(size, slide))
        return self.window(CountTumblingWindowAssigner.of(size))

    def interval_join(self, other_stream: KeyedStream) -> IntervalJoin:
        """Pair records of two streams that have one key and times close to each other; Flink has it in Java."""
        from .joins import IntervalJoin

        return IntervalJoin(self, other_stream)

    def union(self, *streams: DataStream) -> DataStream:
        """All records of this and the other streams, without keys."""
        return self._origin.union(*map(without_keys, streams))

    def _by(self, partitioner: Any) -> DataStream:
        raise UnsupportedOperation(f"{partitioner.name}() would undo key_by; call it on the stream before key_by")

    def _aggregate(self, name: str, function: Callable[[Any, Any], Any]) -> DataStream:
        return self._then(Reduce, name, function=function, **self._node.types)


def without_keys(stream: DataStream) -> DataStream:
    """A stream as it was before it was keyed."""
    return stream._origin if isinstance(stream, KeyedStream) else stream  # noqa: SLF001 - users do not see it


def _position(position: Position, what: str) -> Position:
    if not isinstance(position, (int, str)) or isinstance(position, bool):
        raise WrongType(f"{what} needs a field's position or name, got {cut(position)}")
    return position


class _Sum:
    def __init__(self, position: Position) -> None:
        self._position = position
        self._get = field_of(position)
        self.known_as = f"sum of field {position!r}"

    def __call__(self, so_far: Any, record: Any) -> Any:
        if type(so_far) is tuple and len(so_far) == 2 and self._position == 1:  # (word, 1): four times as fast
            return (so_far[0], so_far[1] + record[1])
        return with_field(so_far, self._position, self._get(so_far) + self._get(record))


class _Extreme:
    def __init__(self, position: Position, least: bool) -> None:
        self._position, self._least = position, least
        self._get = field_of(position)
        self.known_as = f"{'min' if least else 'max'} of field {position!r}"

    def __call__(self, so_far: Any, record: Any) -> Any:
        old, new = self._get(so_far), self._get(record)
        return with_field(so_far, self._position, new) if (new < old if self._least else new > old) else so_far


class _ExtremeBy:
    def __init__(self, position: Position, least: bool) -> None:
        self._least = least
        self._get = field_of(position)
        self.known_as = f"{'min_by' if least else 'max_by'} of field {position!r}"

    def __call__(self, so_far: Any, record: Any) -> Any:
        old, new = self._get(so_far), self._get(record)
        return record if (new < old if self._least else new > old) else so_far
