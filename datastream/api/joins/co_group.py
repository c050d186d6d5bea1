"""Co-groups: all records of a key and window, each stream's by themselves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from datastream.api.callables import resolve

from .windowed import PairFunction, Pairing


class CoGroupedStreams(Pairing):
    """Two streams whose records of a key and window are handled together.

    ``first.co_group(second).where(selector).equal_to(selector).window(assigner).apply(function)``: the function is a
    `CoGroupFunction`, or a function of two lists of records that returns or yields any number. It is called also when
    one stream has no records there. Results have the timestamp of the window's end less 1 ms.
    """

    what = "Co-Group"

    @staticmethod
    def _wrap(function: Any) -> PairFunction:
        call, _ = resolve(function, "co_group", ("first", "second"), "apply")
        return _CoGroup(function, call)


class _CoGroup(PairFunction):
    def pair(self, first: list[Any], second: list[Any]) -> Iterable[Any] | None:
        results: Iterable[Any] | None = self._call(first, second)
        return results
