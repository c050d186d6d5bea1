"""What hosts of joins share: where rows are, and who has partners."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from datastream.codegen import SourceText
from datastream.graph.operators import Joining
from datastream.graph.operators.relational import RowCode
from datastream.runtime.hosts.host import Host, Setting

from .generated_code import AFTER, BEFORE, DELETE, INSERT

#: Whether two rows are partners: (columns of both) -> bool.
Matches = Callable[[tuple[Any, ...]], bool]

#: Gives joined rows: (keys, their rows of a side, the rows of the other side of a key or a default, what takes rows).
Products = Callable[
    [Sequence[Any], Sequence[tuple[Any, ...]], Callable[[Any, Any], Any], Callable[[tuple[Any, ...]], Any]], None
]


class JoinBase(Host):
    """Finds partners by key."""

    def __init__(self, op: Joining, setting: Setting) -> None:
        super().__init__(op, setting)
        self._op = op
        self._left, self._right = op.widths
        self._matches = None if op.condition is None else condition_of(op.condition, op.name)
        self._outer = op.join in ("left", "full", "anti"), op.join in ("right", "full")
        self._nothing = (None,) * self._left, (None,) * self._right
        #: The kind of joined rows, by the side and the kind of the row that comes or goes.
        self._shown = _shown_kinds(*self._outer), _shown_kinds(*reversed(self._outer))

    def _row(self, left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
        """The columns of both sides."""
        return (*left[: self._left], *right[: self._right])

    def _alone(self, side: int, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """A row without partners."""
        return self._nothing[0] + row if side else row + self._nothing[1]

    def _results_of(self, left: list[Any], right: list[Any], out: list[Any]) -> None:
        """Give the results of all rows of both sides of a key."""
        matches, join = self._matches, self._op.join
        found = [False] * len(right)
        for row in left:
            has = False
            for i, other in enumerate(right):
                joined = self._row(row, other)
                if matches is None or matches(joined):
                    has = found[i] = True
                    if join in ("semi", "anti"):
                        break
                    out.append(joined)
            if join in ("semi", "anti"):
                if has is (join == "semi"):
                    out.append(row[: self._left])
            elif not has and self._outer[0]:
                out.append(self._row(row, self._nothing[1]))
        if self._outer[1]:
            out += [self._row(self._nothing[0], row) for row, has in zip(right, found, strict=True) if not has]

    def _is_null(self, key: Any) -> bool:
        """Whether a key has no partners."""
        if self._op.nulls == 1 and not self._op.equals:
            return key is None
        return self._op.nulls > 0 and type(key) is tuple and any(part is None for part in key[: self._op.nulls])


def condition_of(condition: RowCode, name: str) -> Matches:
    """A function: the columns of both sides -> whether the condition is TRUE."""
    code = SourceText(**condition.bound)
    with code.function("def matches(r)"):
        with _where(code, condition):
            code.line("return True")
        code.line("return False")
    matches: Matches = code.compiled("matches", f"condition of {name}")
    return matches


def products_of(condition: RowCode | None, side: int, name: str) -> Products:
    """A function that makes the rows of an inner join, for rows of a side: 0 left, 1 right."""
    code = SourceText(**({} if condition is None else condition.bound))
    with (
        code.function("def products(keys, records, partners, add)"),
        code.block("for key, row in zip(keys, records)"),
        code.block("for other in partners(key, ())"),
    ):
        code.line(f"r = {'other + row' if side else 'row + other'}")
        with nullcontext() if condition is None else _where(code, condition):
            code.line("add(r)")
    products: Products = code.compiled("products", f"rows of {name}")
    return products


@contextmanager
def _where(code: SourceText, condition: RowCode) -> Iterator[None]:
    """Lines that run where a condition is TRUE for ``r``, the columns of both sides."""
    depth = code.depth
    code.line(f"{condition.record} = r")
    for line in condition.lines:
        code.depth = depth + line.depth
        code.line(line.text, line.what)
    code.depth = depth + condition.depth
    yield
    code.depth = depth


def _shown_kinds(outer: bool, other_outer: bool) -> tuple[int, int, int, int]:
    """As in Flink: updates stay updates, unless the row might have been there, or stay, without a partner."""
    comes, goes = outer or other_outer, outer
    return INSERT, DELETE if goes else BEFORE, INSERT if comes else AFTER, DELETE
