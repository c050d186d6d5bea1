"""Methods of `Expression` on numbers and truth values."""

from __future__ import annotations

from typing import Any, Self

from datastream.table.dsl.base import BaseExpression, node_of
from datastream.table.plan import expressions as plan


class MathMethods(BaseExpression):
    """Numbers, comparisons and truth values."""

    __slots__ = ()

    @property
    def exp(self) -> Self:
        """e to this power."""
        return self._call("exp")

    @property
    def log10(self) -> Self:
        """The logarithm to base 10."""
        return self._call("log10")

    @property
    def log2(self) -> Self:
        """The logarithm to base 2."""
        return self._call("log2")

    @property
    def ln(self) -> Self:
        """The natural logarithm."""
        return self._call("ln")

    def log(self, base: Any = None) -> Self:
        """The logarithm of this to a base. Default: the natural one."""
        return self._call("log") if base is None else self._with(plan.Call("log", (node_of(base), self.node)), base)

    @property
    def cosh(self) -> Self:
        """The hyperbolic cosine."""
        return self._call("cosh")

    @property
    def sinh(self) -> Self:
        """The hyperbolic sine."""
        return self._call("sinh")

    @property
    def sin(self) -> Self:
        """The sine."""
        return self._call("sin")

    @property
    def cos(self) -> Self:
        """The cosine."""
        return self._call("cos")

    @property
    def tan(self) -> Self:
        """The tangent."""
        return self._call("tan")

    @property
    def cot(self) -> Self:
        """The cotangent."""
        return self._call("cot")

    @property
    def asin(self) -> Self:
        """The arc sine."""
        return self._call("asin")

    @property
    def acos(self) -> Self:
        """The arc cosine."""
        return self._call("acos")

    @property
    def atan(self) -> Self:
        """The arc tangent."""
        return self._call("atan")

    @property
    def tanh(self) -> Self:
        """The hyperbolic tangent."""
        return self._call("tanh")

    @property
    def degrees(self) -> Self:
        """Radians as degrees."""
        return self._call("degrees")

    @property
    def radians(self) -> Self:
        """Degrees as radians."""
        return self._call("radians")

    @property
    def sqrt(self) -> Self:
        """The square root."""
        return self._call("sqrt")

    @property
    def abs(self) -> Self:
        """The absolute value."""
        return self._call("abs")

    @property
    def sign(self) -> Self:
        """-1, 0 or 1."""
        return self._call("sign")

    def round(self, places: Any) -> Self:
        """Rounded half up to this number of digits after the point."""
        return self._call("round", places)

    def truncate(self, n: Any = 0) -> Self:
        """Cut to this number of digits after the point."""
        return self._call("truncate", n)

    @property
    def bin(self) -> Self:
        """The binary digits of a whole number, as a text."""
        return self._call("bin")

    @property
    def hex(self) -> Self:
        """The hexadecimal digits of a whole number or a text."""
        return self._call("hex")

    @property
    def unhex(self) -> Self:
        """The bytes of hexadecimal digits; NULL if they are none."""
        return self._call("UNHEX")

    def between(self, lower_bound: Any, upper_bound: Any) -> Self:
        """Whether it lies between two values, or is one of them."""
        return self._call("between", lower_bound, upper_bound)

    def not_between(self, lower_bound: Any, upper_bound: Any) -> Self:
        """Whether it lies outside of two values."""
        return self._call("notBetween", lower_bound, upper_bound)

    def then(self, if_true: Any, if_false: Any) -> Self:
        """One value where this is TRUE, another elsewhere."""
        return self._call("$ifThenElse", if_true, if_false)

    def if_null(self, null_replacement: Any) -> Self:
        """Another value where this is NULL."""
        return self._call("ifNull", null_replacement)

    @property
    def is_null(self) -> Self:
        """Whether it is NULL."""
        return self._call("isNull")

    @property
    def is_not_null(self) -> Self:
        """Whether it is not NULL."""
        return self._call("isNotNull")

    @property
    def is_true(self) -> Self:
        """Whether it is TRUE, not FALSE or NULL."""
        return self._call("isTrue")

    @property
    def is_false(self) -> Self:
        """Whether it is FALSE, not TRUE or NULL."""
        return self._call("isFalse")

    @property
    def is_not_true(self) -> Self:
        """Whether it is FALSE or NULL."""
        return self._call("isNotTrue")

    @property
    def is_not_false(self) -> Self:
        """Whether it is TRUE or NULL."""
        return self._call("isNotFalse")
