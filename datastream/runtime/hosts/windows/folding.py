"""How what is in a window comes about: its accumulator, record by record."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from datastream.codegen import SourceText
from datastream.functions import AggregateFunction, ReduceFunction
from datastream.runtime.keyed_state import apart

#: Notes the record in hand and the function that raised.
NoteFailure = Callable[[Any, str], None]

#: What each key has, by start of window.
Opened = dict[Any, dict[int, Any]]

#: Puts records into windows: (what each key has, keys, records, starts of their windows, what is called with the key
#: and start of a window before its first record).
Fold = Callable[[Opened, list[Any], list[Any], list[int], Callable[[Any, int], None]], None]


class Folding:
    """Keeps all records in a list: an operation without reduce or aggregate function.

    Args:
        incremental: The operation's function.
        note_failure: Called when the function raises.

    Attributes:
        adding: The function that takes a record, as people know it.
        joining: The one that makes one accumulator of two.
        giving: The one that gives the result.
        gathers: Nothing is folded: the accumulator is the list of records.
        adds_to_records: The accumulator of one record is that record.
        fold: Puts a block of records into windows.
        fires_again: A window may take records after it fired, so that its result must not change with its accumulator.
    """

    adding = joining = giving = "window"
    gathers = True
    adds_to_records = False
    fires_again = False

    def __init__(self, incremental: Any, note_failure: NoteFailure) -> None:
        self._note_failure = note_failure
        self.fold = self._loop("[record]", "windows[start].append(record)")

    def _loop(self, first: str, added: str, **functions: Any) -> Fold:
        """The generated loop over records, so that a record costs one call.

        Args:
            first: The expression of a window's accumulator after its first `record`.
            added: The statement that adds a `record` to ``windows[start]``.
            functions: What they call.
        """
        code = SourceText(note_failure=self._note_failure, adding=self.adding, **functions)
        with code.function("def fold(opened, keys, records, starts, opening)"):
            code.line("record = None")
            with code.block("try"), code.block("for key, record, start in zip(keys, records, starts)"):
                code.line("windows = opened[key]")
                with code.block("if start in windows"):
                    code.line(added)
                with code.block("else"):
                    code.lines("opening(key, start)", f"windows[start] = {first}")
            with code.block("except BaseException"):
                code.lines("note_failure(record, adding)", "raise")
        return code.compiled("fold", "window loop")

    def first(self, record: Any) -> Any:
        """The accumulator of one record, which may be the record itself."""
        return [record]

    def add(self, accumulator: Any, record: Any) -> Any:
        accumulator.append(record)
        return accumulator

    def join(self, one: Any, other: Any) -> Any:
        """One accumulator of two, the records of the first before those of the second. Both are used up."""
        return one + other

    def elements(self, accumulator: Any) -> list[Any]:
        """What the window function sees: nothing where the result is None, as in Flink; it is not called then."""
        return accumulator  # type: ignore[no-any-return]

    def summary(self, records: list[Any]) -> list[Any]:
        """What the window function sees of these records."""
        return records


class Reducing(Folding):
    """A reduce function."""

    gathers = False
    adds_to_records = True

    def __init__(self, incremental: Any, note_failure: NoteFailure) -> None:
        self._note_failure = note_failure
        if isinstance(incremental, ReduceFunction) or callable(getattr(incremental, "reduce", None)):
            self.add = self.join = incremental.reduce  # type: ignore[method-assign]
            name = f"{type(incremental).__qualname__}.reduce"
        else:
            self.add = self.join = incremental  # type: ignore[method-assign]
            name = getattr(incremental, "__qualname__", type(incremental).__qualname__)
        self.adding = self.joining = self.giving = name
        self.fold = self._loop("record", "windows[start] = add(windows[start], record)", add=self.add)

    def first(self, record: Any) -> Any:
        return record

    def elements(self, accumulator: Any) -> list[Any]:
        return [] if accumulator is None else [apart(accumulator) if self.fires_again else accumulator]

    def summary(self, records: list[Any]) -> list[Any]:
        accumulator = reduce(self.add, records) if records else None
        return [] if accumulator is None else [accumulator]


class Aggregating(Folding):
    """An aggregate function."""

    gathers = False

    def __init__(self, incremental: Any, note_failure: NoteFailure) -> None:
        self._note_failure = note_failure
        self._function: AggregateFunction = incremental
        name = type(incremental).__qualname__
        self.adding, self.joining, self.giving = f"{name}.add", f"{name}.merge", f"{name}.get_result"
        functions = {"add": incremental.add, "create": incremental.create_accumulator}
        self.fold = self._loop("add(record, create())", "windows[start] = add(record, windows[start])", **functions)

    def first(self, record: Any) -> Any:
        return self._function.add(record, self._function.create_accumulator())

    def add(self, accumulator: Any, record: Any) -> Any:
        return self._function.add(record, accumulator)

    def join(self, one: Any, other: Any) -> Any:
        return self._function.merge(one, other)

    def elements(self, accumulator: Any) -> list[Any]:
        result = self._function.get_result(accumulator)
        return [] if result is None else [apart(result) if self.fires_again else result]

    def summary(self, records: list[Any]) -> list[Any]:
        accumulator = self._function.create_accumulator()
        for record in records:
            accumulator = self._function.add(record, accumulator)
        result = self._function.get_result(accumulator)
        return [] if result is None else [result]


def folding(incremental: Any, note_failure: NoteFailure) -> Folding:
    """The folding of an operation's incremental function, or of none."""
    if incremental is None:
        return Folding(None, note_failure)
    return (Aggregating if isinstance(incremental, AggregateFunction) else Reducing)(incremental, note_failure)
