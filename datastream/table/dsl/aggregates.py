"""Methods of `Expression` on all values of a group."""

from __future__ import annotations

from typing import Any, Self

from datastream.table.dsl.base import BaseExpression
from datastream.table.plan import expressions as plan


class AggregateMethods(BaseExpression):
    """Aggregates."""

    __slots__ = ()

    @property
    def distinct(self) -> Self:
        """An aggregate over each value once."""
        if isinstance(self.node, plan.Call):
            from dataclasses import replace

            return self._with(replace(self.node, distinct=True))
        return self._call("distinct")

    @property
    def sum(self) -> Self:
        """The sum; NULL: there is no value."""
        return self._call("sum")

    @property
    def sum0(self) -> Self:
        """The sum; 0: there is no value."""
        return self._call("sum0")

    @property
    def min(self) -> Self:
        """The smallest value."""
        return self._call("min")

    @property
    def max(self) -> Self:
        """The largest value."""
        return self._call("max")

    @property
    def count(self) -> Self:
        """How many values are not NULL."""
        return self._call("count")

    @property
    def avg(self) -> Self:
        """The average, of the values' type."""
        return self._call("avg")

    @property
    def first_value(self) -> Self:
        """The first value that arrived."""
        return self._call("FIRST_VALUE")

    @property
    def last_value(self) -> Self:
        """The last value that arrived."""
        return self._call("LAST_VALUE")

    @property
    def stddev_pop(self) -> Self:
        """The standard deviation of a population."""
        return self._call("stddevPop")

    @property
    def stddev_samp(self) -> Self:
        """The standard deviation of a sample."""
        return self._call("stddevSamp")

    @property
    def var_pop(self) -> Self:
        """The variance of a population."""
        return self._call("varPop")

    @property
    def var_samp(self) -> Self:
        """The variance of a sample."""
        return self._call("varSamp")

    @property
    def collect(self) -> Self:
        """All values, as a multiset."""
        return self._call("collect")

    @property
    def array_agg(self) -> Self:
        """All values, as an array."""
        return self._call("ARRAY_AGG")

    def list_agg(self, separator: Any = None) -> Self:
        """All texts, with a separator between them. Default: a comma."""
        return self._call("LISTAGG", "," if separator is None else separator)

    def percentile(self, percentage: Any, frequency: Any = None) -> Self:
        """The exact percentile, or an array of several, by numbers from 0 to 1."""
        return (
            self._call("PERCENTILE", percentage)
            if frequency is None
            else self._call("PERCENTILE", percentage, frequency)
        )

    def bitmap_and_agg(self) -> Self:
        """What is in all bitmaps."""
        return self._call("BITMAP_AND_AGG")

    def bitmap_and_cardinality_agg(self) -> Self:
        """How many numbers are in all bitmaps."""
        return self._call("BITMAP_AND_CARDINALITY_AGG")

    def bitmap_build_agg(self) -> Self:
        """A bitmap of all numbers."""
        return self._call("BITMAP_BUILD_AGG")

    def bitmap_build_cardinality_agg(self) -> Self:
        """How many different numbers there are."""
        return self._call("BITMAP_BUILD_CARDINALITY_AGG")

    def bitmap_or_agg(self) -> Self:
        """What is in any of the bitmaps."""
        return self._call("BITMAP_OR_AGG")

    def bitmap_or_cardinality_agg(self) -> Self:
        """How many numbers are in any of the bitmaps."""
        return self._call("BITMAP_OR_CARDINALITY_AGG")

    def bitmap_xor_agg(self) -> Self:
        """What is in an odd number of bitmaps."""
        return self._call("BITMAP_XOR_AGG")

    def bitmap_xor_cardinality_agg(self) -> Self:
        """How many numbers are in an odd number of bitmaps."""
        return self._call("BITMAP_XOR_CARDINALITY_AGG")
