"""`ConnectedStreams`: two streams of any types that one function reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError, cut
from datastream.functions import (
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    KeyedCoProcessFunction,
    KeySelector,
    ProcessFunction,
)
from datastream.graph import Hash
from datastream.graph.operators import CoProcess, KeyedCoProcess
from datastream.missing_names import MissingNames
from datastream.types import TypeInformation, Types
from datastream.types.row import row_factory

from .callables import check_arity
from .data_stream import DataStream, check_environment
from .keyed_stream import KeyedStream
from .step import node_of

if TYPE_CHECKING:
    from collections.abc import Callable


class ConnectedStreams(MissingNames):
    """Two streams that share a function, and when both are keyed, state and timers of a key.

    See ``pyflink.datastream.ConnectedStreams``. Between the two streams there is no order. Where only one
    of them is keyed, its records are rows of key and record, ``Row(f0=key, f1=record)``, as in PyFlink.

    Args:
        stream1: The first stream.
        stream2: The second stream.

    Raises:
        ValidationError: they are of two environments, or keyed by two types.
    """

    def __init__(self, stream1: DataStream, stream2: DataStream) -> None:
        if not isinstance(stream2, DataStream):
            raise ValidationError(
                f"connect needs a DataStream, or the BroadcastStream that stream.broadcast(descriptor) returns, "
                f"got {cut(stream2)}"
            )
        check_environment("connect", stream1, stream2)
        self.stream1 = stream1
        self.stream2 = stream2
        if self._keyed:
            check_key_types(stream1, stream2, "connect")

    @classmethod
    def _remedy(cls, name: str) -> str | None:
        if hasattr(DataStream, name) and not hasattr(cls, name):
            return "call map, flat_map or process first: they make a stream"
        return super()._remedy(name)

    def key_by(
        self,
        key_selector1: Callable[[Any], Any] | KeySelector,
        key_selector2: Callable[[Any], Any] | KeySelector,
        key_type: TypeInformation | None = None,
    ) -> ConnectedStreams:
        """Partition both streams by key, so that equal keys of both meet in one subtask.

        Args:
            key_selector1: record of the first stream -> key.
            key_selector2: record of the second stream -> key.
            key_type: Declared type of the keys.
        """
        return ConnectedStreams(
            self.stream1.key_by(key_selector1, key_type), self.stream2.key_by(key_selector2, key_type)
        )

    def map(self, func: CoMapFunction, output_type: TypeInformation | None = None) -> DataStream:
        """Replace each record by the result of ``map1`` or ``map2``, whichever its stream's is; None drops it.

        Args:
            func: A `CoMapFunction`.
            output_type: Declared type of the results.
        """
        methods(func, ("map1", "map2"), ("value",), "map", "a CoMapFunction")
        return self._then("Co-Map", CoMap(func), func, output_type)

    def flat_map(self, func: CoFlatMapFunction, output_type: TypeInformation | None = None) -> DataStream:
        """Replace each record by what ``flat_map1`` or ``flat_map2`` returns or yields; None is nothing.

        Args:
            func: A `CoFlatMapFunction`.
            output_type: Declared type of the results.
        """
        methods(func, ("flat_map1", "flat_map2"), ("value",), "flat_map", "a CoFlatMapFunction")
        return self._then("Co-Flat Map", CoFlatMap(func), func, output_type)

    def process(
        self, func: CoProcessFunction | KeyedCoProcessFunction, output_type: TypeInformation | None = None
    ) -> DataStream:
        """Run a function that sees the time and, when both streams are keyed, has state and timers of a key.

        Args:
            func: A `KeyedCoProcessFunction` for keyed streams, else a `CoProcessFunction`.
            output_type: Declared type of the results.

        Raises:
            ValidationError: the function is of another class.
        """
        what = "a KeyedCoProcessFunction" if self._keyed else "a CoProcessFunction"
        methods(func, ("process_element1", "process_element2"), ("value", "ctx"), "process", what)
        if isinstance(func, KeyedCoProcessFunction) and not self._keyed:
            self._refuse_half_keyed()
            raise ValidationError(
                f"{type(func).__name__} is a KeyedCoProcessFunction, but the streams are not keyed; call "
                "connect(...).key_by(key_selector1, key_selector2) before process, or make it a CoProcessFunction"
            )
        return self._then("Keyed Co-Process" if self._keyed else "Co-Process", func, func, output_type)

    @property
    def _keyed(self) -> bool:
        return isinstance(self.stream1, KeyedStream) and isinstance(self.stream2, KeyedStream)

    def _refuse_half_keyed(self) -> None:
        if isinstance(self.stream1, KeyedStream) is not isinstance(self.stream2, KeyedStream):
            keyed, other = ("first", "second") if isinstance(self.stream1, KeyedStream) else ("second", "first")
            raise ValidationError(
                f"the {keyed} of the connected streams is keyed and the {other} is not; key both, by "
                "connect(...).key_by(key_selector1, key_selector2), or none"
            )

    def _then(self, name: str, function: Any, instance: Any, output_type: TypeInformation | None) -> DataStream:
        streams = self.stream1, self.stream2
        node = node_of(self.stream1).builder.add(
            KeyedCoProcess if self._keyed else CoProcess,
            name,
            [node_of(stream if self._keyed else _with_key(stream)) for stream in streams],
            function=function,
            instance=instance,
            output_type=output_type,
        )
        return DataStream(self.stream1.get_execution_environment(), node)


def _with_key(stream: DataStream) -> DataStream:
    """The records of a stream; where it alone is keyed they are rows of key and record, as in PyFlink."""
    node = node_of(stream)
    partitioner = node.partitioner
    if not isinstance(stream, KeyedStream) or not isinstance(partitioner, Hash):
        return stream
    key_type, kind = partitioner.key_type, node.output_type
    both = None if key_type is None or kind is None else Types.ROW([key_type, kind])
    return stream.process(_Keyed(partitioner.key), both).name("Key and Record")


class _Keyed(ProcessFunction):
    def __init__(self, key: Callable[[Any], Any]) -> None:
        self._key = key

    def process_element(self, value: Any, ctx: ProcessFunction.Context) -> Iterable[Any]:
        return (_KEYED([self._key(value), value]),)


_KEYED = row_factory(("f0", "f1"))


class CoMap:
    """Runs the two functions of a `CoMapFunction` as those of a process function."""

    method_names = ("map1", "map2")

    def __init__(self, function: CoMapFunction) -> None:
        self._map1, self._map2 = function.map1, function.map2

    def process_element1(self, value: Any, ctx: Any) -> Iterable[Any] | None:
        result = self._map1(value)
        return None if result is None else (result,)

    def process_element2(self, value: Any, ctx: Any) -> Iterable[Any] | None:
        result = self._map2(value)
        return None if result is None else (result,)


class CoFlatMap:
    """Runs the two functions of a `CoFlatMapFunction` as those of a process function."""

    method_names = ("flat_map1", "flat_map2")

    def __init__(self, function: CoFlatMapFunction) -> None:
        self._flat_map1, self._flat_map2 = function.flat_map1, function.flat_map2

    def process_element1(self, value: Any, ctx: Any) -> Iterable[Any] | None:
        return self._flat_map1(value)

    def process_element2(self, value: Any, ctx: Any) -> Iterable[Any] | None:
        return self._flat_map2(value)


def methods(function: Any, names: tuple[str, ...], arguments: tuple[str, ...], where: str, what: str) -> None:
    """Refuse what is not an object with all these methods.

    Args:
        function: What the user passed.
        names: The methods.
        arguments: Names of what each is called with.
        where: The API call, for messages.
        what: What it should be, for messages.
    """
    calls = " and ".join(f"{name}({', '.join(arguments)})" for name in names)
    if isinstance(function, type):
        raise ValidationError(f"{where} got the class {function.__name__}; pass an object: {function.__name__}()")
    for name in names:
        method = getattr(function, name, None)
        if not callable(method):
            raise ValidationError(f"{where} needs {what}, which has {calls}; got {cut(function)}")
        check_arity(method, arguments, where)


def check_key_types(stream1: DataStream, stream2: DataStream, where: str) -> None:
    """Refuse two keyed streams whose keys are declared to be of different types."""
    types = [getattr(node_of(stream).partitioner, "key_type", None) for stream in (stream1, stream2)]
    if None not in types and types[0] != types[1]:
        raise ValidationError(
            f"{where} needs streams whose keys are of one type, got {types[0]!r} and {types[1]!r} (key_type of key_by)"
        )
