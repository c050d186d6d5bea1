"""Calls of functions that are awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from datastream.config.duration_text import parse_duration_ms
from datastream.errors import ValidationError
from datastream.functions import AsyncFunction, AsyncFunctionDescriptor, AsyncRetryStrategy
from datastream.table.codegen.user_calls import FromPython, ToPython
from datastream.table.codegen.user_open import Opened
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.expressions import Call, Field, Literal
from datastream.table.plan.typed import type_of
from datastream.time import Time

from .block_calls import block_function

_OPTION = "table.exec.async-scalar."


class AwaitedCalls(AsyncFunction[Any, Any]):
    """A row -> the same row with a column more for each call. The calls of a row run side by side.

    Args:
        calls: Their arguments are columns and constants.
        shift: How many values stand before the columns.
        functions: Finds functions.
        zone: The session's time zone.
    """

    def __init__(self, calls: Sequence[Call], shift: int, functions: FunctionLookup, zone: str) -> None:
        self._calls: list[tuple[Any, list[Callable[[Any], Any]], FromPython]] = []
        names = []
        for call in calls:
            function = block_function(call, functions)
            assert function is not None
            names.append(function.name)
            args: list[Callable[[Any], Any]] = []
            for arg in call.args:
                convert = ToPython(type_of(arg), zone)
                if isinstance(arg, Field):
                    args.append(ColumnArgument(arg.index + shift, convert))
                else:
                    assert isinstance(arg, Literal)
                    args.append(ConstantArgument(None if arg.value is None else convert(arg.value)))
            self._calls.append((function.function, args, FromPython(function.result_type, zone, function.name)))
        self.known_as = ", ".join(dict.fromkeys(names))
        self._opened = tuple(Opened(each) for each in dict.fromkeys(each[0] for each in self._calls))

    def open(self, runtime_context: Any) -> None:
        for function in self._opened:
            function.open(runtime_context)

    def close(self) -> None:
        for function in self._opened:
            function.close()

    async def async_invoke(self, value: Any) -> list[Any]:
        if len(self._calls) == 1:
            ((function, args, convert),) = self._calls
            return [(*value, convert(await function.eval(*[arg(value) for arg in args])))]
        calls = (function.eval(*[arg(value) for arg in args]) for function, args, _ in self._calls)
        results = await asyncio.gather(*calls)
        converted = (convert(result) for (_, _, convert), result in zip(self._calls, results, strict=True))
        return [(*value, *converted)]


class ColumnArgument:
    """A function: a row -> what a user's function gets of a column."""

    def __init__(self, index: int, convert: ToPython) -> None:
        self._index, self._convert = index, convert

    def __call__(self, row: Any) -> Any:
        value = row[self._index]
        return None if value is None else self._convert(value)


class ConstantArgument:
    """A function: a row -> a constant."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __call__(self, row: Any) -> Any:
        return self._value


def awaited(function: AwaitedCalls, config: Mapping[str, Any]) -> AsyncFunctionDescriptor:
    """How the calls run: as the options ``table.exec.async-scalar.*`` say. Rows keep their order.

    Raises:
        ValidationError: An option has no such value.
    """
    capacity = _number(config, "max-concurrent-operations", _number(config, "buffer-capacity", 10))
    timeout = parse_duration_ms(f"{_OPTION}timeout", config.get(f"{_OPTION}timeout", "3 min"))
    name = str(config.get(f"{_OPTION}retry-strategy", "FIXED_DELAY")).upper()
    if name not in ("FIXED_DELAY", "NO_RETRY"):
        raise ValidationError(f"{_OPTION}retry-strategy must be FIXED_DELAY or NO_RETRY, got {name}")
    strategy = AsyncRetryStrategy.no_restart()
    if name == "FIXED_DELAY":
        delay = parse_duration_ms(f"{_OPTION}retry-delay", config.get(f"{_OPTION}retry-delay", "100 ms"))
        attempts = _number(config, "max-attempts", 3)
        strategy = AsyncRetryStrategy.fixed_delay(attempts, max(delay, 1), exception_predicate=_any_error)
    mode = AsyncFunctionDescriptor.OutputMode.ORDERED
    return AsyncFunctionDescriptor(function, Time.milliseconds(timeout), capacity, strategy, mode)


def _any_error(error: Exception) -> bool:
    return True


def _number(config: Mapping[str, Any], key: str, default: int) -> int:
    text = str(config.get(f"{_OPTION}{key}", default))
    if not text.isdecimal() or not int(text):
        raise ValidationError(f"{_OPTION}{key} must be a whole number above 0, got {text}")
    return int(text)
