"""`BroadcastStream` and what connects it to another stream."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from datastream.errors import ValidationError, WrongType, cut
from datastream.functions import BroadcastProcessFunction, KeyedBroadcastProcessFunction
from datastream.graph import Broadcast
from datastream.graph.operators import BroadcastProcess, KeyedBroadcastProcess
from datastream.state import MapStateDescriptor
from datastream.types import TypeInformation

from .connected_streams import methods
from .data_stream import DataStream, check_environment
from .keyed_stream import KeyedStream
from .step import node_of


class BroadcastStream:
    """A stream whose records every subtask gets, to make broadcast states of them; see `DataStream.connect`.

    Args:
        input_stream: The stream.
        broadcast_state_descriptors: The states, each a `MapStateDescriptor`.

    Raises:
        ValidationError: there is no descriptor, it is something else, two share a name, or its entries shall expire.
    """

    def __init__(self, input_stream: DataStream, broadcast_state_descriptors: Iterable[MapStateDescriptor]) -> None:
        self.input_stream = input_stream
        self.broadcast_state_descriptors = tuple(broadcast_state_descriptors)
        names = set()
        for descriptor in self.broadcast_state_descriptors:
            if not isinstance(descriptor, MapStateDescriptor):
                raise WrongType(f"broadcast needs MapStateDescriptors, got {cut(descriptor)}")
            name = descriptor.get_name()
            if name in names:
                raise ValidationError(f"broadcast got two descriptors named '{name}'; give one another name")
            if descriptor.get_ttl_config() is not None:
                raise ValidationError(
                    f"the broadcast state '{name}' has a time to live, but broadcast state does not expire; "
                    "remove its entries in process_broadcast_element"
                )
            names.add(name)
        if not names:
            raise ValidationError("a BroadcastStream needs a MapStateDescriptor: stream.broadcast(descriptor)")


class BroadcastConnectedStream:
    """A stream, keyed or not, connected with a broadcast one.

    See ``pyflink.datastream.BroadcastConnectedStream``.

    Args:
        non_broadcast_stream: The stream.
        broadcast_stream: The broadcast stream.
        broadcast_state_descriptors: Its descriptors.

    Raises:
        ValidationError: the two are of two environments.
    """

    def __init__(
        self,
        non_broadcast_stream: DataStream,
        broadcast_stream: BroadcastStream,
        broadcast_state_descriptors: Iterable[MapStateDescriptor],
    ) -> None:
        check_environment("connect", non_broadcast_stream, broadcast_stream.input_stream)
        self.non_broadcast_stream = non_broadcast_stream
        self.broadcast_stream = broadcast_stream
        self.broadcast_state_descriptors = tuple(broadcast_state_descriptors)

    def process(
        self,
        func: BroadcastProcessFunction[Any, Any, Any] | KeyedBroadcastProcessFunction[Any, Any, Any, Any],
        output_type: TypeInformation | None = None,
    ) -> DataStream:
        """Run a function that makes broadcast states of the broadcast records, and reads them for the others.

        Args:
            func: A `KeyedBroadcastProcessFunction` when the other stream is keyed, else a `BroadcastProcessFunction`.
            output_type: Declared type of the results.

        Raises:
            ValidationError: the function is of another class.
        """
        stream, broadcast = self.non_broadcast_stream, self.broadcast_stream.input_stream
        keyed = isinstance(stream, KeyedStream)
        wanted = KeyedBroadcastProcessFunction if keyed else BroadcastProcessFunction
        names = ("process_element", "process_broadcast_element")
        methods(func, names, ("value", "ctx"), "process", f"a {wanted.__name__}")
        if not isinstance(func, wanted):
            raise ValidationError(
                f"process of a stream that is {'keyed' if keyed else 'not keyed'}, connected with a broadcast one, "
                f"needs a {wanted.__name__}; {type(func).__name__} is none"
            )
        node = node_of(stream)
        made = node.builder.add(
            KeyedBroadcastProcess if keyed else BroadcastProcess,
            "Keyed-Co-Process-Broadcast" if keyed else "Co-Process-Broadcast",
            [node, node_of(broadcast).partitioned(Broadcast())],
            function=func,
            descriptors=self.broadcast_state_descriptors,
            output_type=output_type,
        )
        return DataStream(stream.get_execution_environment(), made)
