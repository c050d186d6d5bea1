"""Calls of the functions of models: a row, or many, -> them with the columns that the model makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from datastream.config.duration_text import parse_duration_ms
from datastream.errors import TypeMismatch, ValidationError, cut
from datastream.functions import AsyncFunction, AsyncFunctionDescriptor, AsyncRetryStrategy
from datastream.table.codegen.arrow_columns import ArrowColumn, arrow_type
from datastream.table.codegen.user_calls import RowFromPython, ToPython
from datastream.table.codegen.user_open import context_arguments
from datastream.table.connectors.models import RunnableModel
from datastream.table.functions.casts import InnerCast
from datastream.table.functions.coercion import same_type
from datastream.table.functions.predict_functions import PredictContext
from datastream.table.types.logical_types import DataType
from datastream.table.types.row_type import RowField, RowType
from datastream.time import Time
from datastream.types import Row
from datastream.types.row import row_factory

_OPTION = "table.exec.async-ml-predict."


class Predictions:
    """What calls of a model have in common.

    Args:
        model: The model.
        places: Of the columns that it takes.
        sources: Their types.
        zone: The session's time zone.
    """

    def __init__(self, model: RunnableModel, places: tuple[int, ...], sources: tuple[DataType, ...], zone: str) -> None:
        self._model, self._places, self._sources, self._zone = model, places, sources, zone
        self.known_as = f"{model.make.__qualname__} of the model {'.'.join(model.path)}"

    def open(self, runtime_context: Any) -> None:
        """Make and open the function."""
        model = self._model
        self._casts = [_cast(*pair, self._zone) for pair in zip(self._sources, self._inputs(), strict=True)]
        fields = [RowField(each.name, each.type) for each in model.outputs]
        self._single = fields[0].data_type if len(fields) == 1 else None
        self._result = RowFromPython(RowType(fields), self._zone)
        self.function = model.make()
        names = ([each.name for each in columns] for columns in (model.inputs, model.outputs))
        self.function.open(PredictContext(model.options, *names, *context_arguments(runtime_context)))

    def close(self) -> None:
        """Close the function."""
        if "function" in self.__dict__:
            self.function.close()

    def _inputs(self) -> list[DataType]:
        return [each.type for each in self._model.inputs]

    def _values(self, record: Any) -> list[Any]:
        """The values that the model takes, inside."""
        values = [record[place] for place in self._places]
        return [value if cast is None else cast(value) for value, cast in zip(values, self._casts, strict=True)]

    def _made(self, result: Any) -> tuple[Any, ...]:
        """A row that the function gave, inside."""
        if self._single is not None and not isinstance(self._single, RowType):
            named = isinstance(result, dict) and self._single.type_name() != "MAP"
            if not named and not isinstance(result, Row | tuple):
                result = (result,)
        try:
            made: tuple[Any, ...] = self._result(result)
        except TypeMismatch as error:
            raise TypeMismatch(error.path, error.expected, error.value, f"it was returned by {self.known_as}") from None
        return made


class _ByRow(Predictions):
    """Calls with one row each."""

    def open(self, runtime_context: Any) -> None:
        super().open(runtime_context)
        self._convert = [ToPython(kind, self._zone) for kind in self._inputs()]
        self._row = row_factory([each.name for each in self._model.inputs])

    def _given(self, record: Any) -> Row:
        """The row that the function gets."""
        pairs = zip(self._values(record), self._convert, strict=True)
        return self._row([None if value is None else convert(value) for value, convert in pairs])

    def _results(self, record: Any, result: Any) -> list[Any]:
        """The rows of a result, each with those of the table before it."""
        return [(*record, *self._made(each)) for each in _rows(result)]


class RowPredictions(_ByRow):
    """Calls a function row by row."""

    def rows_of(self, record: Any) -> list[Any]:
        """The results for a row of the table."""
        return self._results(record, self.function.predict(self._given(record)))


class AwaitedPredictions(_ByRow, AsyncFunction[Any, Any]):
    """Calls a function whose results are awaited."""

    async def async_invoke(self, value: Any) -> list[Any]:
        return self._results(value, await self.function.async_predict(self._given(value)))


class BlockPredictions(_ByRow):
    """Calls a function with many rows at a time.

    Attributes:
        running: What runs, for errors.
    """

    @property
    def running(self) -> str:
        """What runs, for errors."""
        return self.known_as

    def __call__(self, records: list[Any]) -> list[Any]:
        results = self._called(records)
        if len(results) != len(records):
            raise ValidationError(
                f"{self.known_as} must return one row for each of the {len(records)} rows it got, and returned "
                f"{len(results)}"
            )
        return [(*record, *result) for record, result in zip(records, results, strict=True)]

    def _called(self, records: list[Any]) -> Sequence[tuple[Any, ...]]:
        results = self.function.predict_batch([self._given(record) for record in records])
        if isinstance(results, str | bytes | dict) or not hasattr(results, "__iter__"):
            raise ValidationError(f"{self.known_as} must return a list of rows, and returned {cut(results)}")
        return [self._made(each) for each in results]


class FramePredictions(BlockPredictions):
    """Calls a function with many rows at a time as a DataFrame.

    Raises:
        UnsupportedOperation: A type has no form in pandas.
    """

    def __init__(self, model: RunnableModel, *args: Any) -> None:
        super().__init__(model, *args)
        for each in (*model.inputs, *model.outputs):
            arrow_type(each.type)
        self._columns = [ArrowColumn(each.type, self._zone, self.known_as) for each in model.inputs]
        self._outputs = [ArrowColumn(each.type, self._zone, self.known_as) for each in model.outputs]

    def _called(self, records: list[Any]) -> Sequence[tuple[Any, ...]]:
        import pandas

        columns = list(zip(*map(self._values, records), strict=True))
        inputs = self._model.inputs
        series = {
            each.name: made.series(values) for each, made, values in zip(inputs, self._columns, columns, strict=True)
        }
        result = self.function.predict_frame(pandas.DataFrame(series))
        names = [each.name for each in self._model.outputs]
        if not isinstance(result, pandas.DataFrame):
            result = pandas.DataFrame({names[0]: result})
        elif set(names) <= set(result.columns):
            result = result[names]
        if len(result.columns) != len(names):
            raise ValidationError(
                f"{self.known_as} must return the columns {', '.join(names)}, and returned "
                f"{', '.join(map(str, result.columns))}"
            )
        made = [each.values(result.iloc[:, i]) for i, each in enumerate(self._outputs)]
        return list(zip(*made, strict=True))


def predict_descriptor(
    function: AwaitedPredictions, config: Mapping[str, str], settings: Mapping[str, Any]
) -> AsyncFunctionDescriptor:
    """How the calls run: as the options of the call say, or ``table.exec.async-ml-predict.*``.

    Raises:
        ValidationError: An option has no such value.
    """

    def option(key: str, default: str) -> str:
        return str(config.get(key, settings.get(_OPTION + key, default)))

    capacity = option("max-concurrent-operations", "10")
    if not capacity.isdecimal() or not int(capacity):
        raise ValidationError(f"{_OPTION}max-concurrent-operations must be a whole number above 0, got {capacity}")
    mode, modes = option("output-mode", "ORDERED").upper(), AsyncFunctionDescriptor.OutputMode
    if mode not in ("ORDERED", "ALLOW_UNORDERED"):
        raise ValidationError(f"{_OPTION}output-mode must be ORDERED or ALLOW_UNORDERED, got {mode}")
    return AsyncFunctionDescriptor(
        function,
        Time.milliseconds(parse_duration_ms(f"{_OPTION}timeout", option("timeout", "3 min"))),
        int(capacity),
        AsyncRetryStrategy.no_restart(),
        modes.UNORDERED if mode == "ALLOW_UNORDERED" else modes.ORDERED,
    )


def _rows(result: Any) -> Iterator[Any]:
    """The rows of a result: one, several in a list or a generator, or none."""
    if isinstance(result, list | Iterator):
        yield from result
    elif result is not None:
        yield result


def _cast(source: DataType, target: DataType, zone: str) -> Callable[[Any], Any] | None:
    return None if same_type(source, target) else InnerCast(source, target, ZoneInfo(zone))
