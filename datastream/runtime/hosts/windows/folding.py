"""How what is in a window comes about: its accumulator, record by record."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from datastream.functions import AggregateFunction, ReduceFunction
from datastream.runtime.keyed_state import apart

#: Notes the record in hand and the function that raised.
Blame = Callable[[Any, str], None]

#: What each key has, by start of window.
Opened = dict[Any, dict[int, Any]]


class Folding:
    """Keeps all records in a list: an operation without reduce or aggregate function.

    Args:
        incremental: The operation's function.
        blame: Called when the function raises.

    Attributes:
        adding: The function that takes a record, as people know it.
        joining: The one that makes one accumulator of two.
        giving: The one that gives the result.
        gathers: Nothing is folded: the accumulator is the list of records.
        adds_to_records: The accumulator of one record is that record.
        goes_on: A window may take records after it fired, so that its result must not change with its accumulator.
    """

    adding = joining = giving = "window"
    gathers = True
    adds_to_records = False
    goes_on = False

    def __init__(self, incremental: Any, blame: Blame) -> None:
        self._blame = blame

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
        """What the window function sees."""
        return accumulator  # type: ignore[no-any-return]

    def summary(self, records: list[Any]) -> list[Any]:
        """What the window function sees of these records."""
        return records

    def fold(
        self,
        opened: Opened,
        keys: list[Any],
        records: list[Any],
        starts: list[int],
        opening: Callable[[Any, int], None],
    ) -> None:
        """Put records into windows.

        Args:
            opened: By key and start of the window, the accumulators.
            keys: Of the records.
            records: The records.
            starts: Those of their windows.
            opening: Called with the key and start of a window before its first record.
        """
        for key, record, start in zip(keys, records, starts):  # noqa: B905 - they have one length
            windows = opened[key]
            if start in windows:
                windows[start].append(record)
            else:
                opening(key, start)
                windows[start] = [record]


class Reducing(Folding):
    """A reduce function."""

    gathers = False
    adds_to_records = True

    def __init__(self, incremental: Any, blame: Blame) -> None:
        super().__init__(incremental, blame)
        if isinstance(incremental, ReduceFunction) or callable(getattr(incremental, "reduce", None)):
            self.add = self.join = incremental.reduce  # type: ignore[method-assign]
            name = f"{type(incremental).__qualname__}.reduce"
        else:
            self.add = self.join = incremental  # type: ignore[method-assign]
            name = getattr(incremental, "__qualname__", type(incremental).__qualname__)
        self.adding = self.joining = self.giving = name

    def first(self, record: Any) -> Any:
        return record

    def elements(self, accumulator: Any) -> list[Any]:
        return [apart(accumulator) if self.goes_on else accumulator]

    def summary(self, records: list[Any]) -> list[Any]:
        return [reduce(self.add, records)] if records else []

    def fold(
        self,
        opened: Opened,
        keys: list[Any],
        records: list[Any],
        starts: list[int],
        opening: Callable[[Any, int], None],
    ) -> None:
        add = self.add
        record = None
        try:
            for key, record, start in zip(keys, records, starts):  # noqa: B905
                windows = opened[key]
                if start in windows:
                    windows[start] = add(windows[start], record)
                else:
                    opening(key, start)
                    windows[start] = record
        except BaseException:
            self._blame(record, self.adding)
            raise


class Aggregating(Folding):
    """An aggregate function."""

    gathers = False

    def __init__(self, incremental: Any, blame: Blame) -> None:
        super().__init__(incremental, blame)
        self._function: AggregateFunction = incremental
        name = type(incremental).__qualname__
        self.adding, self.joining, self.giving = f"{name}.add", f"{name}.merge", f"{name}.get_result"

    def first(self, record: Any) -> Any:
        return self._function.add(record, self._function.create_accumulator())

    def add(self, accumulator: Any, record: Any) -> Any:
        return self._function.add(record, accumulator)

    def join(self, one: Any, other: Any) -> Any:
        return self._function.merge(one, other)

    def elements(self, accumulator: Any) -> list[Any]:
        result = self._function.get_result(accumulator)
        return [apart(result) if self.goes_on else result]

    def summary(self, records: list[Any]) -> list[Any]:
        accumulator = self._function.create_accumulator()
        for record in records:
            accumulator = self._function.add(record, accumulator)
        return [self._function.get_result(accumulator)]

    def fold(
        self,
        opened: Opened,
        keys: list[Any],
        records: list[Any],
        starts: list[int],
        opening: Callable[[Any, int], None],
    ) -> None:
        add, create = self._function.add, self._function.create_accumulator
        record = None
        try:
            for key, record, start in zip(keys, records, starts):  # noqa: B905
                windows = opened[key]
                if start in windows:
                    windows[start] = add(record, windows[start])
                else:
                    opening(key, start)
                    windows[start] = add(record, create())
        except BaseException:
            self._blame(record, self.adding)
            raise


def folding(incremental: Any, blame: Blame) -> Folding:
    """The folding of an operation's incremental function, or of none."""
    if incremental is None:
        return Folding(None, blame)
    return (Aggregating if isinstance(incremental, AggregateFunction) else Reducing)(incremental, blame)
