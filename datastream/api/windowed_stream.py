"""`WindowedStream` and `AllWindowedStream`: streams whose records are grouped in windows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

from datastream.errors import ValidationError, cut
from datastream.functions import (
    AggregateFunction,
    AllWindowFunction,
    OutputTag,
    ProcessAllWindowFunction,
    ProcessWindowFunction,
    ReduceFunction,
    WindowFunction,
)
from datastream.graph.operators import Window as WindowOperator
from datastream.missing_names import MissingNames
from datastream.types import TypeInformation
from datastream.types.hint_results import element_hint, result_hint
from datastream.windows import Evictor, Trigger, WindowAssigner
from datastream.windows.operation import WindowOperation

from .callables import resolve
from .data_stream import DataStream
from .step import node_of

if TYPE_CHECKING:
    from .environment import StreamExecutionEnvironment
    from .keyed_stream import KeyedStream


class _Windows(MissingNames):
    """What windows with and without keys have in common."""

    #: Classes of window functions: with the window only, and with time and state.
    _apply_class: type
    _process_class: type
    _keyed: bool

    _remedies: ClassVar[dict[str, str]] = dict.fromkeys(
        ("sum", "min", "max", "min_by", "max_by"), "call reduce, such as reduce(lambda a, b: (a[0], a[1] + b[1]))"
    )

    def __init__(self, stream: DataStream, window_assigner: WindowAssigner[Any, Any]) -> None:
        self._stream = stream
        self._settings: dict[str, Any] = {"assigner": window_assigner}
        WindowOperation(window_assigner)

    @classmethod
    def _remedy(cls, name: str) -> str | None:
        if hasattr(DataStream, name) and not hasattr(cls, name):
            return "call reduce, aggregate, apply or process first: they make a stream"
        return super()._remedy(name)

    def get_execution_environment(self) -> StreamExecutionEnvironment:
        """The environment that the stream belongs to."""
        return self._stream.get_execution_environment()

    def get_input_type(self) -> TypeInformation:
        """The type of the records in the windows."""
        return self._stream.get_type()

    def trigger(self, trigger: Trigger[Any, Any]) -> Self:
        """Set when windows fire; default: the assigner's trigger.

        Raises:
            ValidationError: It is no trigger, or cannot merge windows that do.
        """
        return self._with(trigger=trigger)

    def evictor(self, evictor: Evictor[Any, Any]) -> Self:
        """Remove records from windows when they fire. Windows then keep all their records until they do.

        Raises:
            ValidationError: It is no evictor.
        """
        return self._with(evictor=evictor)

    def allowed_lateness(self, time_ms: int) -> Self:
        """Keep windows of event time for so long after they have ended; each late record fires its window again.

        Args:
            time_ms: In ms of event time, from 0 up; default 0. Windows of processing time have no lateness.

        Raises:
            ValidationError: It is out of range.
        """
        return self._with(allowed_lateness=time_ms)

    def side_output_late_data(self, output_tag: OutputTag) -> Self:
        """Send records that are too late to a side output, which `get_side_output` of the result reads.

        Without it they are dropped and counted.

        Raises:
            ValidationError: It is no `OutputTag`.
        """
        if not isinstance(output_tag, OutputTag):
            raise ValidationError(f"side_output_late_data needs an OutputTag: got {cut(output_tag)}.")
        return self._with(late_tag=output_tag)

    def reduce(
        self,
        reduce_function: Callable[[Any, Any], Any] | ReduceFunction,
        window_function: Any = None,
        output_type: TypeInformation | None = None,
    ) -> DataStream:
        """Join the records of a window into one as they come; a window never holds more than that one.

        Args:
            reduce_function: (so far, record) -> new value of the records' type. Must be associative and must not
                change what it is called with.
            window_function: Called with the one value when the window fires; default: the value is the result.
            output_type: Declared type of the results; default without a window function: the records'.

        Raises:
            ValidationError: A function is of a wrong kind.
        """
        target, instance = resolve(reduce_function, "reduce", ("value1", "value2"), "reduce")
        incremental = target if instance is None else instance
        hinted = None
        if window_function is None:
            output_type = output_type or node_of(self._stream).output_type
            hinted = node_of(self._stream).hinted
        return self._then("Reduce", incremental, window_function, output_type, hinted)

    def aggregate(
        self,
        aggregate_function: AggregateFunction,
        window_function: Any = None,
        accumulator_type: TypeInformation | None = None,
        output_type: TypeInformation | None = None,
    ) -> DataStream:
        """Aggregate the records of a window as they come; a window never holds more than the accumulator.

        Args:
            aggregate_function: Adds records to an accumulator; `merge` is needed for windows that merge, and makes
                sliding windows cheaper.
            window_function: Called with the one result when the window fires; default: that is the result.
            accumulator_type: Taken for PyFlink's sake; accumulators are kept as they are, whatever it says.
            output_type: Declared type of the results.

        Raises:
            ValidationError: A function is of a wrong kind.
        """
        _require(aggregate_function, (AggregateFunction,), "aggregate")
        hinted = result_hint(aggregate_function.get_result) if window_function is None else None
        return self._then("Aggregate", aggregate_function, window_function, output_type, hinted)

    def apply(self, window_function: Any, output_type: TypeInformation | None = None) -> DataStream:
        """Call a function with all records of a window when it fires.

        Args:
            window_function: A `WindowFunction`; without keys an `AllWindowFunction`.
            output_type: Declared type of the results.

        Raises:
            ValidationError: The function is of a wrong kind.
        """
        _require(window_function, (self._apply_class,), "apply")
        return self._then("Apply", None, window_function, output_type)

    def process(self, process_window_function: Any, output_type: TypeInformation | None = None) -> DataStream:
        """Call a function that sees time and state with all records of a window when it fires.

        Args:
            process_window_function: A `ProcessWindowFunction`; without keys a `ProcessAllWindowFunction`.
            output_type: Declared type of the results.

        Raises:
            ValidationError: The function is of a wrong kind.
        """
        _require(process_window_function, (self._process_class,), "process")
        return self._then("Process", None, process_window_function, output_type)

    # -- the inside --------------------------------------------------------------------------------

    def _with(self, **settings: Any) -> Self:
        changed = self._settings | settings
        WindowOperation(**changed)  # refuses what does not fit together where it is written
        self._settings = changed
        return self

    def _then(
        self,
        what: str,
        incremental: Any,
        function: Any,
        output_type: TypeInformation | None,
        hinted: TypeInformation | None = None,
    ) -> DataStream:
        if function is not None:
            _require(function, (self._apply_class, self._process_class), what.lower())
            hinted = element_hint(getattr(function, "process", None) or function.apply)
        operation = WindowOperation(**self._settings, incremental=incremental, function=function, keyed=self._keyed)
        name = f"Window({type(operation.assigner).__name__}, {what})"
        types = {"output_type": output_type, "hinted": hinted}
        node = node_of(self._stream).then(WindowOperator, name, operation=operation, **types)
        return DataStream(self.get_execution_environment(), node)


class WindowedStream(_Windows):
    """The records of each key in windows. See ``pyflink.datastream.WindowedStream``.

    Args:
        keyed_stream: The records by key.
        window_assigner: Says which windows a record belongs to.

    Raises:
        ValidationError: `window_assigner` is none.
    """

    _apply_class = WindowFunction
    _process_class = ProcessWindowFunction
    _keyed = True

    def __init__(self, keyed_stream: KeyedStream, window_assigner: WindowAssigner[Any, Any]) -> None:
        super().__init__(keyed_stream, window_assigner)


class AllWindowedStream(_Windows):
    """All records of a stream in windows, in one subtask. See ``pyflink.datastream.AllWindowedStream``.

    Args:
        data_stream: The records.
        window_assigner: Says which windows a record belongs to.

    Raises:
        ValidationError: `window_assigner` is none.
    """

    _apply_class = AllWindowFunction
    _process_class = ProcessAllWindowFunction
    _keyed = False

    def __init__(self, data_stream: DataStream, window_assigner: WindowAssigner[Any, Any]) -> None:
        super().__init__(data_stream.key_by(_one_key), window_assigner)

    def _then(self, *what: Any) -> DataStream:
        return super()._then(*what).force_non_parallel()


def _one_key(record: Any) -> int:
    return 0


def _require(function: Any, kinds: tuple[type, ...], call: str) -> None:
    if isinstance(function, kinds):
        return
    if inspect.isclass(function) and issubclass(function, kinds):
        raise ValidationError(f"{call} got the class {function.__name__}; pass an object: {function.__name__}().")
    wanted = " or ".join(kind.__name__ for kind in kinds)
    raise ValidationError(f"{call} of these windows needs a {wanted}: got {cut(function)}.")
