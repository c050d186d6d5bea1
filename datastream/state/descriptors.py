"""What a function says of a state it wants: its name, its type, how long it lives."""

from __future__ import annotations

from abc import ABC
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.functions.aggregate_function import AggregateFunction
from datastream.functions.reduce_function import ReduceFunction
from datastream.state.ttl_config import StateTtlConfig
from datastream.types import ListTypeInfo, MapTypeInfo, TypeInformation


class StateDescriptor(ABC):  # noqa: B024 - abstract in PyFlink, with nothing to implement
    """Names a state of an operator and says what is in it.

    Args:
        name: Unique within the operator. State is found again by it after a restart.
        type_info: The type of the content. Values are kept as they are, whatever the type says.

    Raises:
        ValidationError: The name is not a text, or empty.
    """

    def __init__(self, name: str, type_info: TypeInformation) -> None:
        if not isinstance(name, str) or not name:
            raise ValidationError(f"the name of a state must be a text that is not empty: got {cut(name)}.")
        self.name = name
        self.type_info = type_info
        self._ttl_config: StateTtlConfig | None = None

    def get_name(self) -> str:
        """Return the name of the state."""
        return self.name

    def enable_time_to_live(self, ttl_config: StateTtlConfig) -> None:
        """Let the state's values expire; default: they stay until they are cleared.

        Raises:
            ValidationError: It is not a `StateTtlConfig`.
        """
        if not isinstance(ttl_config, StateTtlConfig):
            raise ValidationError(f"enable_time_to_live needs a StateTtlConfig: got {cut(ttl_config)}.")
        self._ttl_config = ttl_config

    def get_ttl_config(self) -> StateTtlConfig | None:
        """Return how values expire, or None when they do not. An addition to PyFlink's names."""
        config = self._ttl_config
        return config if config is not None and config.is_enabled() else None


class ValueStateDescriptor(StateDescriptor):
    """Describes a `ValueState`."""

    def __init__(self, name: str, value_type_info: TypeInformation) -> None:
        super().__init__(name, value_type_info)


class ListStateDescriptor(StateDescriptor):
    """Describes a `ListState`."""

    def __init__(self, name: str, elem_type_info: TypeInformation) -> None:
        super().__init__(name, ListTypeInfo(elem_type_info))


class MapStateDescriptor(StateDescriptor):
    """Describes a `MapState` or a `BroadcastState`."""

    def __init__(self, name: str, key_type_info: TypeInformation, value_type_info: TypeInformation) -> None:
        super().__init__(name, MapTypeInfo(key_type_info, value_type_info))


class ReducingStateDescriptor(StateDescriptor):
    """Describes a `ReducingState`.

    Args:
        name: The name of the state.
        reduce_function: A `ReduceFunction`, or a function of two values.
        type_info: The type of the values.

    Raises:
        TypeError: `reduce_function` is neither.
    """

    def __init__(self, name: str, reduce_function: Any, type_info: TypeInformation) -> None:
        super().__init__(name, type_info)
        if not isinstance(reduce_function, ReduceFunction):
            if not callable(reduce_function) or isinstance(reduce_function, type):
                raise TypeError(
                    f"the reduce_function of state '{name}' must be a ReduceFunction or a callable: "
                    f"got {cut(reduce_function)}."
                )
            reduce_function = _CallableReduce(reduce_function)
        self._reduce_function: ReduceFunction = reduce_function

    def get_reduce_function(self) -> ReduceFunction:
        """Return the function that joins two values."""
        return self._reduce_function


class AggregatingStateDescriptor(StateDescriptor):
    """Describes an `AggregatingState`.

    Args:
        name: The name of the state.
        agg_function: An `AggregateFunction`.
        state_type_info: The type of the accumulator.

    Raises:
        TypeError: `agg_function` is not an `AggregateFunction`.
    """

    def __init__(self, name: str, agg_function: AggregateFunction, state_type_info: TypeInformation) -> None:
        super().__init__(name, state_type_info)
        if not isinstance(agg_function, AggregateFunction):
            raise TypeError(
                f"the agg_function of state '{name}' must be an AggregateFunction: got {cut(agg_function)}."
            )
        self._agg_function = agg_function

    def get_agg_function(self) -> AggregateFunction:
        """Return the function that adds values to the accumulator."""
        return self._agg_function


class _CallableReduce(ReduceFunction):
    """A plain function as a `ReduceFunction`."""

    def __init__(self, function: Any) -> None:
        self.reduce = function  # type: ignore[method-assign]

    def reduce(self, value1: Any, value2: Any) -> Any:  # never called: stands for the attribute
        raise NotImplementedError
