"""Window joins: every pair of records of a key and window, one of each stream."""

from __future__ import annotations

from typing import Any

from datastream.api.callables import resolve
from datastream.functions.join_functions import FlatJoinFunction

from .windowed import PairFunction, Pairing


class JoinedStreams(Pairing):
    """Two streams whose records are joined when they share a key and a window.

    ``first.join(second).where(selector).equal_to(selector).window(assigner).apply(function)``: the function is a
    `JoinFunction`, a `FlatJoinFunction`, or a function of two records that returns one. A record without a partner
    returns nothing. Results have the timestamp of the window's end less 1 ms.
    """

    what = "Join"

    @staticmethod
    def _wrap(function: Any) -> PairFunction:
        call, instance = resolve(function, "join", ("first", "second"), "apply")
        return (_FlatJoin if isinstance(instance, FlatJoinFunction) else _Join)(function, call)


class _Join(PairFunction):
    def pair(self, first: list[Any], second: list[Any]) -> list[Any]:
        join = self._call
        return [join(one, two) for one in first for two in second]


class _FlatJoin(PairFunction):
    def pair(self, first: list[Any], second: list[Any]) -> list[Any]:
        join = self._call
        return [result for one in first for two in second for result in join(one, two) or ()]
