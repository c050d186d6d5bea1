"""Conditions on one column, by which a source may leave rows out before they are read."""

from __future__ import annotations

from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Any, Literal

Operator = Literal["=", "<>", "<", "<=", ">", ">=", "IN", "IS NULL", "IS NOT NULL"]

_COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True)
class Predicate:
    """A condition on a column. A source may leave out rows for which it is not true, and need not: they are filtered.

    Attributes:
        column: The column's name.
        operator: How its values are compared.
        values: With what, none of them None: one value, of IN one or more, of IS NULL and IS NOT NULL none.
    """

    column: str
    operator: Operator
    values: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.operator}({', '.join([self.column, *map(repr, self.values)])})"

    def passes(self, value: Any) -> bool:
        """Whether the condition is true for a value, which may be None."""
        if value is None:
            return self.operator == "IS NULL"
        match self.operator:
            case "IS NULL":
                return False
            case "IS NOT NULL":
                return True
            case "=" | "IN":
                return value in self.values
            case "<>":
                return bool(value != self.values[0])
        return bool(_COMPARE[self.operator](value, self.values[0]))

    def may_pass(self, lowest: Any, highest: Any) -> bool:
        """Whether the condition may be true for a value between two others, both included.

        Raises:
            TypeError: These values cannot be compared with those of the condition.
        """
        match self.operator:
            case "IS NULL":
                return False
            case "=" | "IN":
                return any(lowest <= value <= highest for value in self.values)
            case "<" | "<=":
                return self.passes(lowest)
            case ">" | ">=":
                return self.passes(highest)
        return True
