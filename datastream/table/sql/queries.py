"""The grammar of queries."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from datastream.table.plan.expressions import Alias, Call, Expression, Order, Star
from datastream.table.sql.expressions import WITHOUT_PARENTHESES
from datastream.table.sql.functions import WindowSpec
from datastream.table.sql.syntax import GroupBy, QueryNode, Select, SetQuery, SubqueryRef, ValuesQuery, With
from datastream.table.sql.tables import TableGrammar

#: The sets of a part of GROUP BY, by the expressions in them.
Sets = list[tuple[Expression, ...]]
_SET_OPERATIONS = {"UNION": "union", "INTERSECT": "intersect", "EXCEPT": "minus", "MINUS": "minus"}


class QueryGrammar(TableGrammar):
    """Reads queries."""

    def query(self) -> QueryNode:
        """A query, with WITH before it and ORDER BY, LIMIT after it."""
        start = self.position
        if not self.accept("WITH"):
            return self._ordered(self._sets())
        if self.at("RECURSIVE"):
            raise self.error("WITH RECURSIVE is not known here")
        tables = self.list_of(self._common_table)
        return With(tables, self._ordered(self._sets()), position=start)

    def one_expression(self) -> Expression:
        """An expression, perhaps with an alias, and nothing after it.

        Raises:
            SqlError: There is something else.
        """
        made = self._item()
        if self.token.kind != "end":
            self.seek("the end")
            raise self.wrong()
        return made

    def _common_table(self) -> tuple[str, tuple[str, ...], QueryNode]:
        name = self.name()
        names = self.names() if self.at("(") else ()
        self.need("AS", "(")
        query = self.query()
        self.need(")")
        return name, names, query

    def _sets(self) -> QueryNode:
        left = self._intersections()
        while (word := self.accept_one("UNION", "EXCEPT", "MINUS")) is not None:
            every = self.accept_one("ALL", "DISTINCT") == "ALL"
            left = SetQuery(left, self._intersections(), _SET_OPERATIONS[word], every, position=left.position)
        return left

    def _intersections(self) -> QueryNode:
        left = self._operand()
        while self.accept("INTERSECT"):
            every = self.accept_one("ALL", "DISTINCT") == "ALL"
            left = SetQuery(left, self._operand(), "intersect", every, position=left.position)
        return left

    def _operand(self) -> QueryNode:
        start = self.position
        if self.accept("("):
            query = self.query()
            self.need(")")
            return query
        if self.accept("VALUES"):
            return ValuesQuery(self.list_of(self._values), position=start)
        if self.accept("TABLE"):
            return Select((Star(position=start),), self.named_table(), position=start)
        if not self.accept("SELECT"):
            raise self.wrong()
        return self._select()

    def _values(self) -> tuple[Expression, ...]:
        if self.at("ROW", "("):
            self.take()
        return self.wrapped(self.expression) if self.at("(") else (self.expression(),)

    def _select(self) -> Select:
        """What follows SELECT."""
        start = self.tokens[self.index - 1].position
        self.windows.append({})
        self._read_windows_ahead()
        hints = self.hints()
        distinct = self.accept_one("DISTINCT", "ALL") == "DISTINCT"
        expressions = self.list_of(self._selected)
        source = self.tables() if self.accept("FROM") else None
        where = self.expression() if source is not None and self.accept("WHERE") else None
        group = self._group() if source is not None and self.accept("GROUP", "BY") else None
        having = self.expression() if self.accept("HAVING") else None
        if self.accept("WINDOW"):
            self.list_of(self._window)
        qualify = self.expression() if source is not None and self.accept("QUALIFY") else None
        self.windows.pop()
        return Select(expressions, source, where, group, having, distinct, qualify=qualify, hints=hints, position=start)

    def _selected(self) -> Expression:
        """An item; a function that is called without parentheses gives it its name."""
        index = self.index
        made = self._item()
        words = [token for token in self.tokens[index : self.index] if token.word not in ("(", ")")]
        named = len(words) == 1 and words[0].word in WITHOUT_PARENTHESES
        return self._named(made, words[0].text) if named else made

    def _item(self) -> Expression:
        start, index = self.position, self.index
        if self.at("*"):
            self.take()
            return Star(position=start)
        parts: list[str] = []
        while self.is_name() and self.ahead().word == ".":
            parts.append(self.take().text)
            self.take()
            if self.at("*"):
                self.take()
                return Star(tuple(parts), position=start)
        self.index = index
        made = self.expression()
        if self.accept("AS"):
            return self._named(made, self.name("the name of a column"))
        return self._named(made, self.take().text) if self.is_name() and not self.at("QUALIFY") else made

    def _named(self, made: Expression, name: str) -> Expression:
        return Alias(made, name, position=made.position)

    def _group(self) -> GroupBy:
        if self.at("DISTINCT"):
            raise self.error("GROUP BY DISTINCT is not known here")
        parts = self.list_of(self._grouping)
        sets = [sum(chosen, ()) for chosen in product(*parts)]
        keys: list[Expression] = []
        for part in parts:
            for each in part:
                keys += [key for key in each if not any(_same(key, other) for other in keys)]
        if all(len(part) == 1 for part in parts):
            return GroupBy(tuple(keys))
        indexes = tuple(tuple(sorted({_index(key, keys) for key in each})) for each in sets)
        return GroupBy(tuple(keys), indexes)

    def _grouping(self) -> Sets:
        """A part of GROUP BY: its sets."""
        if self.accept("GROUPING", "SETS"):
            return [each for part in self.wrapped(self._grouping_set) for each in part]
        if self.accept("ROLLUP"):
            keys = self.wrapped(self._keys)
            return [sum(keys[:count], ()) for count in range(len(keys), -1, -1)]
        if self.accept("CUBE"):
            keys = self.wrapped(self._keys)
            choices = product((True, False), repeat=len(keys))
            return [sum((key for key, taken in zip(keys, chosen, strict=True) if taken), ()) for chosen in choices]
        return [self._keys()]

    def _grouping_set(self) -> Sets:
        return self._grouping()

    def _keys(self) -> tuple[Expression, ...]:
        """One key, or several in parentheses."""
        if self.accept("(", ")"):
            return ()
        start, parenthesized = self.position, self.at("(")
        made = self.expression()
        if parenthesized and isinstance(made, Call) and made.function == "ROW" and made.position == start:
            return made.args
        return (made,)

    def _window(self) -> tuple[str, WindowSpec]:
        name = self.name("a window's name")
        self.need("AS")
        return name, self.window_spec()

    def _read_windows_ahead(self) -> None:
        """Read the clause WINDOW before the expressions that use its windows."""
        index, depth = self.index, 0
        while depth >= 0 and self.token.kind != "end" and not (depth == 0 and self._ends_select()):
            if depth == 0 and self.at("WINDOW") and self.is_name(self.ahead()) and self.ahead(2).word == "AS":
                self.take()
                while True:
                    name, spec = self._window()
                    self.windows[-1][name] = spec
                    if not self.accept(","):
                        break
                break
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(self.token.word, 0)
            self.take()
        self.index = index

    def _ends_select(self) -> bool:
        return self.token.word in (*_SET_OPERATIONS, ";")

    def _ordered(self, query: QueryNode) -> QueryNode:
        """A query with ORDER BY, OFFSET and LIMIT, as far as they come next."""
        order: tuple[Order, ...] = ()
        offset, limit = 0, None
        start = self.index
        if self.accept("ORDER", "BY"):
            order = self.list_of(self.order_item)
        if self.accept("LIMIT"):
            limit = None if self.accept("ALL") else self.integer("a whole number or ALL")
        if self.accept("OFFSET"):
            offset = self.integer()
            self.accept_one("ROWS", "ROW")
        if limit is None and self.accept("FETCH"):
            self.need_one("FIRST", "NEXT")
            limit = self.integer() if self.token.kind == "number" else 1
            self.need_one("ROWS", "ROW")
            self.need("ONLY")
        if self.index == start:
            return query
        plain = isinstance(query, Select | SetQuery) and not query.order and not query.offset and query.limit is None
        if not plain:
            query = Select((Star(position=query.position),), SubqueryRef(query), position=query.position)
        assert isinstance(query, Select | SetQuery)
        return replace(query, order=order, offset=offset, limit=limit)


def _index(key: Expression, keys: list[Expression]) -> int:
    return next(index for index, other in enumerate(keys) if _same(key, other))


def _same(left: Expression, right: Expression) -> bool:
    """Whether they are written alike."""
    return str(left) == str(right) and type(left) is type(right)
