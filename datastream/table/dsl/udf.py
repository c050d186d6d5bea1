"""`udf`, `udtf`, `udaf`, `udtaf`, `udptf`: users' functions as functions of tables."""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, TypeVar

from datastream.errors import ValidationError, WrongType, cut
from datastream.table.dsl.base import functions_of, node_of
from datastream.table.dsl.expression import Expression, expression_of
from datastream.table.dsl.old_functions import with_old_keywords
from datastream.table.functions.process_functions import ArgumentHint, ArgumentTrait, ProcessTableFunction, StateHint
from datastream.table.functions.process_signature import ProcessFunction, read_signature
from datastream.table.functions.user_functions import (
    AggregateFunction,
    AsyncScalarFunction,
    FunctionContext,
    ImperativeAggregateFunction,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    UserDefinedFunction,
    UserFunction,
)
from datastream.table.plan import expressions as plan
from datastream.table.sql.parser import parse_data_type
from datastream.table.types.logical_types import DataType
from datastream.table.types.row_type import RowField, RowType
from datastream.table.types.type_hints import returned_type, yielded_type

__all__ = [
    "AggregateFunction",
    "ArgumentHint",
    "ArgumentTrait",
    "AsyncScalarFunction",
    "FunctionContext",
    "ImperativeAggregateFunction",
    "ProcessTableFunction",
    "ScalarFunction",
    "StateHint",
    "TableAggregateFunction",
    "TableFunction",
    "UserDefinedAggregateFunctionWrapper",
    "UserDefinedFunction",
    "UserDefinedFunctionWrapper",
    "UserDefinedProcessTableFunctionWrapper",
    "UserDefinedScalarFunctionWrapper",
    "UserDefinedTableFunctionWrapper",
    "UserFunction",
    "udaf",
    "udf",
    "udptf",
    "udtaf",
    "udtf",
]

M = TypeVar("M", bound=Callable[..., Any])
Type = DataType | str

_CLASSES: dict[str, type[UserDefinedFunction]] = {
    "scalar": ScalarFunction,
    "async": AsyncScalarFunction,
    "table": TableFunction,
    "aggregate": AggregateFunction,
    "table_aggregate": TableAggregateFunction,
    "process": ProcessTableFunction,
}
_MAKERS = {
    "scalar": "udf",
    "async": "udf",
    "table": "udtf",
    "aggregate": "udaf",
    "table_aggregate": "udtaf",
    "process": "udptf",
}
#: How many functions of a name have been called without a catalog.
_inline: Counter[str] = Counter()


class UserDefinedFunctionWrapper:
    """What `udf` and similar functions return: calling it with expressions returns an expression."""

    def __init__(self, function: UserFunction) -> None:
        self.function = function
        self._called: UserFunction | None = None
        self._names: tuple[str, ...] = ()
        functools.update_wrapper(self, _visible(function.function), updated=())

    def alias(self, *alias_names: str) -> UserDefinedFunctionWrapper:
        """Name the columns of its result where it stands alone, as in ``table.map(f.alias("a", "b"))``."""
        named: UserDefinedFunctionWrapper = copy(self)
        named._names = alias_names
        return named

    def inline(self) -> UserFunction:
        """The function under a name that no other one has, as it is called without being registered."""
        if self._called is None:
            _inline[self.function.name] += 1
            name = f"{self.function.name}${_inline[self.function.name]}"
            self._called = replace(self.function, name=name)
        return self._called

    def __call__(self, *args: Any) -> Expression[Any]:
        function = self.inline()
        node: plan.Expression = plan.Call(function.name, tuple(map(node_of, args)))
        if self._names:
            node = plan.Alias(node, self._names[0], self._names[1:])
        called = expression_of(node)
        called.functions = {**functions_of(args), function.name: function}
        return called

    def __repr__(self) -> str:
        return f"{_MAKERS[self.function.kind]}({self.function.name})"


class UserDefinedScalarFunctionWrapper(UserDefinedFunctionWrapper):
    """What `udf` returns."""


class UserDefinedAsyncScalarFunctionWrapper(UserDefinedScalarFunctionWrapper):
    """What `udf` returns for a coroutine function."""


class UserDefinedTableFunctionWrapper(UserDefinedFunctionWrapper):
    """What `udtf` returns."""


class UserDefinedAggregateFunctionWrapper(UserDefinedFunctionWrapper):
    """What `udaf` and `udtaf` give."""


class UserDefinedProcessTableFunctionWrapper(UserDefinedFunctionWrapper):
    """What `udptf` returns."""

    def __call__(self, *args: Any) -> Expression[Any]:
        """It takes tables, so that it is no expression.

        Raises:
            ValidationError: Always.
        """
        raise ValidationError(
            f"{self.function.name} takes tables: call table.process(f, ...), table.partition_by(...).process(f, ...) "
            "or TableEnvironment.from_call(f, ...)"
        )


class DelegatingScalarFunction(ScalarFunction):
    """A plain function, or an object that can be called, as a `ScalarFunction`."""

    def __init__(self, func: Callable[..., Any]) -> None:
        self.function = func
        self.eval = func  # type: ignore[method-assign]

    def eval(self, *args: Any) -> Any:
        return self.function(*args)


class DelegatingAsyncFunction(AsyncScalarFunction):
    """A coroutine function as an `AsyncScalarFunction`."""

    def __init__(self, func: Callable[..., Any]) -> None:
        self.function = func

    async def eval(self, *args: Any) -> Any:
        return await self.function(*args)


class DelegatingTableFunction(TableFunction):
    """A generator function, or one that returns rows, as a `TableFunction`."""

    def __init__(self, func: Callable[..., Any]) -> None:
        self.function = func

    def eval(self, *args: Any) -> Any:
        return self.function(*args)


class DelegatingPandasAggregateFunction(AggregateFunction[Any, list[Any]]):
    """A function of Series as an `AggregateFunction`."""

    def __init__(self, func: Callable[..., Any]) -> None:
        self.function = func

    def create_accumulator(self) -> list[Any]:
        return []

    def accumulate(self, accumulator: list[Any], *args: Any) -> None:
        accumulator.append(self.function(*args))

    def get_value(self, accumulator: list[Any]) -> Any:
        return accumulator[0]


def _or_decorator(make: M) -> M:
    """Let what makes a function of `f` be a decorator where it is called without it."""

    @functools.wraps(make)
    def made(f: Any = None, *args: Any, **kwargs: Any) -> Any:
        return (lambda f: make(f, *args, **kwargs)) if f is None else make(f, *args, **kwargs)

    return made  # type: ignore[return-value]


@with_old_keywords
@_or_decorator
def udf(
    f: Callable[..., Any] | ScalarFunction | AsyncScalarFunction | type | None = None,
    input_types: Sequence[Type] | Type | None = None,
    result_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
    udf_type: str | None = None,
) -> Any:
    """Make a function of rows: of a function, a lambda, an object that can be called, or a `ScalarFunction`.

    Without `f` it is a decorator. A coroutine function, or an `AsyncScalarFunction`, is awaited.

    Args:
        f: The function.
        input_types: Of the arguments. Default: any.
        result_type: Of the value. Default: that of the type hint.
        deterministic: Whether it returns the same for the same arguments. Default: it does.
        name: In plans. Default: the function's.
        func_type: ``general``, or ``pandas``: it takes and returns Series.
        udf_type: The old name of `func_type`.

    Raises:
        ValidationError: it is no such function, or a type is missing or wrong.
    """
    func_type = udf_type or func_type
    function, plain = _object("udf", f, (ScalarFunction, AsyncScalarFunction))
    if isinstance(function, AsyncScalarFunction) or inspect.iscoroutinefunction(plain):
        kind, made = "async", function or DelegatingAsyncFunction(plain)
    else:
        kind, made = "scalar", function or DelegatingScalarFunction(plain)
    pandas = _is_pandas("udf", func_type)
    if pandas and kind == "async":
        raise ValidationError("udf: a coroutine function cannot be of func_type pandas")
    hinted = None if pandas or result_type is not None else returned_type(plain if function is None else function.eval)
    declared = UserFunction(
        _name(name, f),
        kind,
        made,
        _result("udf", result_type, hinted, f),
        _inputs("udf", input_types),
        pandas=pandas,
        deterministic=_deterministic(deterministic, made),
    )
    wrapper = UserDefinedAsyncScalarFunctionWrapper if kind == "async" else UserDefinedScalarFunctionWrapper
    return wrapper(declared)


@with_old_keywords
@_or_decorator
def udtf(
    f: Callable[..., Any] | TableFunction | type | None = None,
    input_types: Sequence[Type] | Type | None = None,
    result_types: Sequence[Type] | Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Any:
    """Make a function that returns any number of rows for each row: of a function or a `TableFunction`.

    Without `f` it is a decorator.

    Args:
        f: The function: a generator, or one that returns an iterable of rows, or None for none. A row of several
            columns is a Row or a tuple.
        input_types: Of the arguments. Default: any.
        result_types: Of the columns, or a ROW type with their names. Default: those of the type hint.
        deterministic: Whether it returns the same for the same arguments. Default: it does.
        name: In plans. Default: the function's.

    Raises:
        ValidationError: it is no such function, or a type is missing or wrong.
    """
    function, plain = _object("udtf", f, (TableFunction,))
    made = function or DelegatingTableFunction(plain)
    several = isinstance(result_types, Iterable) and not isinstance(result_types, (str, DataType))
    if several:
        fields = [_type("udtf", each) for each in result_types]  # type: ignore[union-attr]
        kind: DataType = fields[0] if len(fields) == 1 else _row(fields)
    else:
        hinted = None if result_types is not None else yielded_type(plain if function is None else function.eval)
        kind = _result("udtf", result_types, hinted, f)  # type: ignore[arg-type]
    declared = UserFunction(
        _name(name, f),
        "table",
        made,
        kind if isinstance(kind, RowType) else _row([kind]),
        _inputs("udtf", input_types),
        deterministic=_deterministic(deterministic, made),
    )
    return UserDefinedTableFunctionWrapper(declared)


@with_old_keywords
@_or_decorator
def udaf(
    f: Callable[..., Any] | AggregateFunction[Any, Any] | type | None = None,
    input_types: Sequence[Type] | Type | None = None,
    result_type: Type | None = None,
    accumulator_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Make a function of all rows of a group: of an `AggregateFunction`, or of a function of Series.

    Without `f` it is a decorator.

    Args:
        f: The function. Not an `AggregateFunction`: only with ``func_type="pandas"``.
        input_types: Of the arguments. Default: any.
        result_type: Of the value. Default: what ``get_result_type`` of the function returns.
        accumulator_type: Of the accumulator. Default: what ``get_accumulator_type`` of the function returns.
        deterministic: Whether it returns the same for the same arguments. Default: it does.
        name: In plans. Default: the function's.
        func_type: ``general``, or ``pandas``: it takes Series.

    Raises:
        ValidationError: it is no such function, or a type is missing or wrong.
    """
    pandas = _is_pandas("udaf", func_type)
    function, plain = _object("udaf", f, (AggregateFunction,))
    if function is None and not pandas:
        raise ValidationError(
            f"udaf needs an AggregateFunction, got {cut(f)}; a plain function of Series needs func_type='pandas'"
        )
    made = function or DelegatingPandasAggregateFunction(plain)
    hinted = None
    if result_type is None:
        hinted = returned_type(plain) if function is None else _own_type(function, "get_result_type")
    return UserDefinedAggregateFunctionWrapper(
        UserFunction(
            _name(name, f),
            "aggregate",
            made,
            _result("udaf", result_type, hinted, f),
            _inputs("udaf", input_types),
            None if pandas else _accumulator("udaf", accumulator_type, made),
            pandas,
            _deterministic(deterministic, made),
        )
    )


@with_old_keywords
@_or_decorator
def udtaf(
    f: TableAggregateFunction[Any, Any] | type | None = None,
    input_types: Sequence[Type] | Type | None = None,
    result_type: Type | None = None,
    accumulator_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Make a function that returns any number of rows for a group: of a `TableAggregateFunction`.

    Without `f` it is a decorator.

    Args:
        f: The function.
        input_types: Of the arguments. Default: any.
        result_type: A ROW type. Default: what ``get_result_type`` of the function returns.
        accumulator_type: Of the accumulator. Default: what ``get_accumulator_type`` of the function returns.
        deterministic: Whether it returns the same for the same arguments. Default: it does.
        name: In plans. Default: the function's.
        func_type: Only ``general``.

    Raises:
        ValidationError: it is no such function, or a type is missing or wrong.
    """
    if func_type != "general":
        raise ValidationError(f"udtaf: func_type must be general, got {cut(func_type)}")
    function, _ = _object("udtaf", f, (TableAggregateFunction,))
    if function is None:
        raise ValidationError(f"udtaf needs a TableAggregateFunction, got {cut(f)}")
    kind = _result("udtaf", result_type, _own_type(function, "get_result_type"), f)
    return UserDefinedAggregateFunctionWrapper(
        UserFunction(
            _name(name, f),
            "table_aggregate",
            function,
            kind if isinstance(kind, RowType) else _row([kind]),
            _inputs("udtaf", input_types),
            _accumulator("udtaf", accumulator_type, function),
            deterministic=_deterministic(deterministic, function),
        )
    )


def udptf(
    f: ProcessTableFunction | None = None,
    result_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Any:
    """Make a function of tables: of a `ProcessTableFunction`. PyFlink has none; it is Java's, in Python.

    Args:
        f: The function.
        result_type: Of its rows: a ROW type, or the type of an only column, which is called ``EXPR$0``. Default: what
            ``get_result_type`` of the function returns, or else the type hint of what ``eval`` yields.
        deterministic: Whether it makes the same of the same rows. Default: it does.
        name: In plans. Default: the function's.

    Raises:
        ValidationError: it is no such function, or something is missing or wrong in what it declares.
    """
    function, _ = _object("udptf", f, (ProcessTableFunction,))
    if function is None:
        raise ValidationError(f"udptf needs a ProcessTableFunction, got {cut(f)}")
    hinted = None
    if result_type is None:
        declares = type(function).get_result_type is not ProcessTableFunction.get_result_type
        hinted = _type(type(function).__name__, function.get_result_type()) if declares else None
        if hinted is None and hasattr(function, "eval"):
            hinted = yielded_type(function.eval)
    return UserDefinedProcessTableFunctionWrapper(
        ProcessFunction(
            _name(name, f),
            "process",
            function,
            _result("udptf", result_type, hinted, function),
            deterministic=_deterministic(deterministic, function),
            signature=read_signature(function, parse_data_type),
        )
    )


def wrapped(function: Any) -> UserDefinedFunctionWrapper:
    """The wrapper itself, or that of a function object that declares its types itself.

    Raises:
        ValidationError: it is neither.
    """
    if isinstance(function, UserDefinedFunctionWrapper):
        return function
    for kind, cls in _CLASSES.items():
        if isinstance(function, cls):
            makers: dict[str, Callable[[Any], Any]] = {
                "udf": udf,
                "udtf": udtf,
                "udaf": udaf,
                "udtaf": udtaf,
                "udptf": udptf,
            }
            made = makers[_MAKERS[kind]](function)
            assert isinstance(made, UserDefinedFunctionWrapper)
            return made
    raise ValidationError(f"expected a function that udf, udtf, udaf, udtaf or udptf returns, got {cut(function)}")


def _object(call: str, given: Any, classes: tuple[type[Any], ...]) -> tuple[Any, Any]:
    """The function object, or None; and what can be called."""
    if isinstance(given, type) and issubclass(given, UserDefinedFunction):
        raise WrongType(f"{call} needs an object of {given.__name__}, not the class: {call}({given.__name__}())")
    if isinstance(given, classes):
        return given, given
    if isinstance(given, UserDefinedFunction):
        fits = next((_MAKERS[kind] for kind, cls in _CLASSES.items() if isinstance(given, cls)), "another one")
        raise WrongType(f"{call}: {type(given).__name__} is for {fits}")
    if isinstance(given, UserDefinedFunctionWrapper) or not callable(given):
        raise WrongType(f"{call} needs a function, got {cut(given)}")
    return None, given


def _name(name: str | None, function: Any) -> str:
    if name is not None:
        return name
    while isinstance(function, functools.partial):
        function = function.func
    found = str(getattr(function, "__name__", type(function).__name__))
    return "lambda" if found == "<lambda>" else found


def _visible(function: Any) -> Any:
    return getattr(function, "function", function)


def _is_pandas(call: str, func_type: str) -> bool:
    if func_type not in ("general", "pandas"):
        raise ValidationError(f"{call}: func_type must be general or pandas, got {cut(func_type)}")
    return func_type == "pandas"


def _type(call: str, given: Any) -> DataType:
    if isinstance(given, DataType):
        return given
    if isinstance(given, str):
        return parse_data_type(given)
    raise WrongType(f"{call}: expected a data type such as DataTypes.BIGINT() or 'BIGINT', got {cut(given)}")


def _inputs(call: str, given: Any) -> list[DataType] | None:
    if given is None:
        return None
    if isinstance(given, (str, DataType)):
        return [_type(call, given)]
    return [_type(call, each) for each in given]


def _result(call: str, given: Type | None, hinted: DataType | None, function: Any) -> DataType:
    if given is not None:
        return _type(call, given)
    if hinted is None:
        parameter = "result_types" if call == "udtf" else "result_type"
        raise WrongType(
            f"{call}: {cut(function)} has no type for its result: give {parameter}=DataTypes.BIGINT() or the like, or "
            "a type hint"
        )
    return hinted


def _own_type(function: Any, method: str) -> DataType | None:
    """What a function's own method says of a type; None: it has no such method."""
    if getattr(type(function), method, None) is getattr(ImperativeAggregateFunction, method):
        return None
    return _type(type(function).__name__, getattr(function, method)())


def _accumulator(call: str, given: Type | None, function: Any) -> DataType | None:
    return _own_type(function, "get_accumulator_type") if given is None else _type(call, given)


def _deterministic(given: bool | None, function: Any) -> bool:
    own = bool(function.is_deterministic())
    if given is not None and given is not own and isinstance(function, UserDefinedFunction) and not own:
        raise ValidationError(
            f"Inconsistent deterministic: {given} and {own}: give it in one place, as deterministic or as the "
            "function's is_deterministic()"
        )
    return own if given is None else given


def _row(kinds: Sequence[DataType]) -> RowType:
    return RowType([RowField(f"f{i}", kind) for i, kind in enumerate(kinds)])
