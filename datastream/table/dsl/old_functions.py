"""Functions as FLIP-58 declares them: ``@udf(input=..., output=...)`` on a class, of which objects are made later."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from datastream.old_names import warn_of_old
from datastream.table.dsl.old_types import data_type
from datastream.table.functions.user_functions import AggregateFunction, TableFunction, UserDefinedFunction
from datastream.table.types.data_types import DataTypes
from datastream.types import Row

M = TypeVar("M", bound=Callable[..., Any])

_OLD = frozenset(("input", "output", "accumulator"))
#: What the type of the result is called.
_RESULT = {"udtf": "result_types"}


def with_old_keywords(make: M) -> M:
    """Let `udf` and similar functions take the types as ``input``, ``output`` and ``accumulator``."""

    @functools.wraps(make)
    def made(*args: Any, **kwargs: Any) -> Any:
        if not kwargs.keys() & _OLD:
            return make(*args, **kwargs)
        name = make.__name__
        warn_of_old(f"{name}(input=..., output=...)", f"{name}(f, input_types=[...], result_type=...) of an object")
        declared = _new_keywords(name, kwargs)
        return _declared(make, args[0], declared) if args else functools.partial(_declared, make, declared=declared)

    return made  # type: ignore[return-value]


class _Adapter(UserDefinedFunction):
    """Makes a function of a declared one, which is opened and closed with it."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def open(self, function_context: Any) -> None:
        self._function.open(function_context)

    def close(self) -> None:
        self._function.close()

    def is_deterministic(self) -> bool:
        return bool(self._function.is_deterministic())


class CollectingTableFunction(_Adapter, TableFunction):
    """A table function that passes its rows to ``self.collect``."""

    def eval(self, *args: Any) -> Any:
        rows: list[Any] = []
        self._function.collect = rows.append
        given = self._function.eval(*args)
        return rows if given is None else [*rows, *given]


class FieldsAggregateFunction(_Adapter, AggregateFunction[Any, Any]):
    """An aggregate function whose accumulator is a row that has ``get_value`` and ``set_value``."""

    def create_accumulator(self) -> Any:
        made = self._function.create_accumulator()
        # ``Row([0])`` was a row of the values in the list.
        return Row(*made[0]) if isinstance(made, Row) and len(made) == 1 and isinstance(made[0], list) else made

    def accumulate(self, accumulator: Any, *args: Any) -> None:
        self._function.accumulate(_fields(accumulator), *args)

    def retract(self, accumulator: Any, *args: Any) -> None:
        self._function.retract(_fields(accumulator), *args)

    def merge(self, accumulator: Any, accumulators: Iterable[Any]) -> None:
        self._function.merge(_fields(accumulator), [_fields(each) for each in accumulators])

    def get_value(self, accumulator: Any) -> Any:
        return self._function.get_value(_fields(accumulator))


class RowFields:
    """A row whose fields are got and set by their index from 0."""

    def __init__(self, row: Row) -> None:
        self._row = row

    def get_value(self, index: int = 0) -> Any:
        """A field."""
        return self._row[index]

    def set_value(self, *index_and_value: Any) -> None:
        """Set a field; without an index the first one."""
        index, value = index_and_value if len(index_and_value) == 2 else (0, *index_and_value)
        self._row[index] = value

    def __getitem__(self, index: Any) -> Any:
        return self._row[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._row[index] = value

    def __len__(self) -> int:
        return len(self._row)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._row)


def _fields(accumulator: Any) -> Any:
    return RowFields(accumulator) if isinstance(accumulator, Row) else accumulator


def _declared(make: Callable[..., Any], function: Any, declared: dict[str, Any]) -> Any:
    """The function, or for a class what makes functions of its objects."""
    if not isinstance(function, type):
        return make(_adapted(function), **declared)
    declared = {"name": function.__name__, **declared}

    @functools.wraps(function, updated=())
    def create(*args: Any, **kwargs: Any) -> Any:
        return make(_adapted(function(*args, **kwargs)), **declared)

    return create


def _adapted(function: Any) -> Any:
    if isinstance(function, TableFunction):
        return CollectingTableFunction(function)
    return FieldsAggregateFunction(function) if isinstance(function, AggregateFunction) else function


def _new_keywords(maker: str, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments by their present names."""
    found = {name: value for name, value in given.items() if name not in _OLD}
    inputs = given.get("input", DataTypes.ANY)
    if inputs is not DataTypes.ANY:
        several = inputs if isinstance(inputs, (list, tuple)) else [inputs]
        found["input_types"] = [data_type(each, f"{maker}, input") for each in several]
    output = given.get("output")
    if isinstance(output, (list, tuple)):
        found[_RESULT.get(maker, "result_type")] = [data_type(each, f"{maker}, output") for each in output]
    elif output is not None:
        found[_RESULT.get(maker, "result_type")] = data_type(output, f"{maker}, output")
    if given.get("accumulator") is not None:
        found["accumulator_type"] = data_type(given["accumulator"], f"{maker}, accumulator")
    return found
