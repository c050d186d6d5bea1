"""Functions of one record on a keyed stream: which of them may keep state, and how those are run."""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterable
from typing import Any

from datastream import package
from datastream.graph.operators import Filter, FlatMap, Map, Operator

#: What an `open` may ask its context for without having state.
_STATELESS = frozenset(
    {
        "get_task_name",
        "get_task_name_with_subtasks",
        "get_number_of_parallel_subtasks",
        "get_max_number_of_parallel_subtasks",
        "get_index_of_this_subtask",
        "get_attempt_number",
        "get_job_parameter",
        "get_metrics_group",
    }
)


def may_keep_state(instance: Any) -> bool:
    """Whether the ``open`` of a user's object may ask its context for keyed state.

    Goes by the byte code: an `open` that calls nothing else of its context, and does not pass it on, keeps no state.
    """
    opening = getattr(instance, "open", None)
    if opening is None:
        return False
    function = getattr(opening, "__func__", opening)
    code = getattr(function, "__code__", None)
    if code is None:
        return True
    if code.co_filename.startswith(package.FOLDER):  # the empty one of our base classes
        return False
    position = 1 if function is not opening else 0
    if code.co_argcount <= position or code.co_varnames[position] in code.co_cellvars:
        return True
    context = code.co_varnames[position]
    instructions = list(dis.get_instructions(code))
    for instruction, following in zip(instructions, [*instructions[1:], None], strict=True):
        if not instruction.opname.startswith("LOAD_FAST"):
            continue
        loaded = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
        if context not in loaded:
            continue
        if loaded[-1] != context or context in loaded[:-1] or following is None:
            return True
        if following.opname not in ("LOAD_ATTR", "LOAD_METHOD") or following.argval not in _STATELESS:
            return True
    return False


class KeyedMap:
    """Runs a map function as the function of a process function."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def process_element(self, value: Any, ctx: Any) -> Iterable[Any]:
        return (self._function(value),)


class KeyedFlatMap:
    """Runs a flat map function as the function of a process function."""

    def __init__(self, function: Callable[[Any], Iterable[Any] | None]) -> None:
        self._function = function

    def process_element(self, value: Any, ctx: Any) -> Iterable[Any] | None:
        return self._function(value)


class KeyedFilter:
    """Runs a filter function as the function of a process function."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def process_element(self, value: Any, ctx: Any) -> Iterable[Any]:
        return (value,) if self._function(value) else ()


#: What runs the function of an operator that may keep state.
WITH_STATE: dict[type[Operator], type[KeyedMap | KeyedFlatMap | KeyedFilter]] = {
    Map: KeyedMap,
    FlatMap: KeyedFlatMap,
    Filter: KeyedFilter,
}
