"""The grammar of expressions, with the precedence of Flink's operators.

From loose to tight: OR; AND; NOT; IS NULL and its like; comparisons; BETWEEN, IN, LIKE; + and -; *, /, % and ||; signs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import partial, reduce
from typing import Any

from datastream.table.plan.expressions import Call, Cast, Expression, Literal, Name, Order, Position, Subquery
from datastream.table.sql import literals
from datastream.table.sql.cursor import RESERVED
from datastream.table.sql.functions import FunctionGrammar
from datastream.table.sql.syntax import QueryNode
from datastream.table.types.logical_types import BooleanType, NullType

_COMPARISONS = ("=", "<>", "!=", "<", ">", "<=", ">=")
#: What holds where a comparison does not.
_NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
#: What may follow IS, but for DISTINCT FROM and JSON.
_TESTS = ("NULL", "TRUE", "FALSE", "UNKNOWN")
#: Functions that are called without parentheses.
WITHOUT_PARENTHESES = {"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"}
_CALLED_KEYWORDS = {"LEFT", "RIGHT", "GROUPING"}
_TIMES = {"DATE": literals.date_of, "TIME": literals.time_of, "TIMESTAMP": literals.timestamp_of}
_QUERY_GOES_ON = ("UNION", "INTERSECT", "EXCEPT", "MINUS", "ORDER", "LIMIT", "OFFSET", "FETCH")
_UNITS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND")
_NAMES_OF_UNITS = {name: unit for unit in _UNITS for name in (unit, f"{unit}S")}


class ExpressionGrammar(FunctionGrammar):
    """Reads expressions."""

    @abstractmethod
    def query(self) -> QueryNode:
        """A query."""

    def at_query(self) -> bool:
        """Whether a query comes next, perhaps in parentheses."""
        opened = 0
        while self.ahead(opened).word == "(":
            opened += 1
        if self.ahead(opened).word not in ("SELECT", "VALUES", "WITH", "TABLE"):
            return False
        # ((SELECT 1) + 1) is no query, ((SELECT 1) UNION SELECT 2) is one.
        depth, index = opened, opened
        while depth > 1 and self.ahead(index).kind != "end":
            depth += {"(": 1, ")": -1}.get(self.ahead(index).word, 0)
            index += 1
            if depth < opened and self.tokens[self.index + index - 1].word == ")":
                opened = depth
                if self.ahead(index).word in _QUERY_GOES_ON:
                    return True
                if self.ahead(index).word != ")":
                    return False
        return True

    def expression(self) -> Expression:
        return self._chain("OR", self._conjunction)

    def order_item(self) -> Order:
        """``a [ASC | DESC] [NULLS FIRST | NULLS LAST]``."""
        arg = self.expression()
        ascending = self.accept_one("ASC", "DESC") != "DESC"
        nulls_first = self.need_one("FIRST", "LAST") == "FIRST" if self.accept("NULLS") else None
        return Order(arg, ascending, nulls_first, position=arg.position)

    def sum(self) -> Expression:
        left = self._product()
        while (word := self.token.word) in ("+", "-"):
            self.take()
            left = _call(word, left.position, left, self._product())
        return left

    def interval(self) -> Literal:
        """``INTERVAL '1 02:03' DAY TO MINUTE``."""
        start = self.position
        self.need("INTERVAL")
        sign = {"-": -1}.get(self.accept_one("-", "+") or "", 1)
        text = self.string("the interval in single quotes")
        upper = self._interval_unit()
        lower = self._interval_unit() if self.accept("TO") else None
        return self._constant(literals.interval, text, upper, lower, sign, position=start)

    def _interval_unit(self) -> str:
        """A unit, perhaps with numbers of digits, which do not count."""
        unit = _NAMES_OF_UNITS.get(self.token.word)
        if unit is None:
            for each in _UNITS:
                self.seek(each)
            raise self.wrong("a unit such as SECOND, MINUTE, HOUR, DAY, MONTH, YEAR")
        self.take()
        if self.accept("("):
            self.integer("a number of digits")
            if unit == "SECOND" and self.accept(","):
                self.integer("a number of digits")
            self.need(")")
        return unit

    def _conjunction(self) -> Expression:
        return self._chain("AND", self._negation)

    def _chain(self, word: str, read: Callable[[], Expression]) -> Expression:
        """``a AND b AND c``: one call, however many there are."""
        parts = [read()]
        while self.at(word):
            self.take()
            parts.append(read())
        return parts[0] if len(parts) == 1 else _call(word, parts[0].position, *parts)

    def _negation(self) -> Expression:
        start = self.position
        if self.at("NOT"):
            self.take()
            return _call("NOT", start, self._negation())
        return self._test()

    def _test(self) -> Expression:
        left = self._comparison()
        while self.at("IS"):
            self.take()
            negated = "NOT " if self.accept("NOT") else ""
            if self.at("JSON"):
                left = self._is_json(left, bool(negated))
            else:
                left = _call(f"IS {negated}{self.need_one(*_TESTS)}", left.position, left)
        return left

    def _is_json(self, left: Expression, negated: bool) -> Expression:
        self.need("JSON")
        kind = self.accept_one("VALUE", "OBJECT", "ARRAY", "SCALAR")
        made = _call("IS JSON", left.position, left, *([] if kind is None else [self.word(kind)]))
        return _call("NOT", left.position, made) if negated else made

    def _comparison(self) -> Expression:
        left = self._predicate()
        while True:
            if self.token.word in _COMPARISONS:
                if self.at("!="):
                    raise self.error("!= is not known in Flink's SQL: write <>")
                word = self.take().word
                if (quantifier := self.accept_one("ANY", "SOME", "ALL")) is not None:
                    left = self._quantified(left, word, quantifier)
                    continue
                right = self._predicate()
            elif self.at("IS", "DISTINCT", "FROM") or self.at("IS", "NOT", "DISTINCT", "FROM"):
                self.take()
                word = "IS NOT DISTINCT FROM" if self.accept("NOT") else "IS DISTINCT FROM"
                self.need("DISTINCT", "FROM")
                right = self._predicate()
            else:
                return left
            left = _equality(left, right) if word == "=" else _call(word, left.position, left, right)

    def _quantified(self, left: Expression, word: str, quantifier: str) -> Expression:
        """``a < SOME (query)``, ``a < ALL (query)``: not (a >= SOME (query))."""
        start, every = left.position, quantifier == "ALL"
        if not (self.at("(") and self.at_query()):
            raise self.wrong("a query in parentheses")
        operator = _NEGATED[word] if every else word
        looked_for = left.args if isinstance(left, Call) and left.function == "ROW" else (left,)
        if operator == "=":
            found = replace(self._subquery("in", start, looked_for), written=quantifier)
        else:
            found = replace(self._subquery("some", start, looked_for), operator=operator, written=quantifier)
        return _call("NOT", start, found) if every else found

    def _predicate(self) -> Expression:
        left = self.sum()
        while True:
            negation = ""
            if self.at("NOT") and self.ahead().word in ("BETWEEN", "IN", "LIKE", "SIMILAR"):
                negation = f"{self.take().word} "
            if self.at("BETWEEN"):
                left = self._between(left, negation)
            elif self.at("IN"):
                left = self._in(left, negation)
            elif self.at("LIKE") or self.at("SIMILAR"):
                left = self._like(left, negation)
            elif self.at("OVERLAPS"):
                left = self._overlaps(left)
            else:
                return left

    def _between(self, left: Expression, negation: str) -> Expression:
        self.need("BETWEEN")
        symmetric = self.accept_one("SYMMETRIC", "ASYMMETRIC") == "SYMMETRIC"
        low = self.sum()
        self.need("AND")
        name = f"{negation}BETWEEN SYMMETRIC" if symmetric else f"{negation}BETWEEN"
        return _call(name, left.position, left, low, self.sum())

    def _in(self, left: Expression, negation: str) -> Expression:
        self.need("IN")
        if self.at("(") and self.at_query():
            looked_for = left.args if isinstance(left, Call) and left.function == "ROW" else (left,)
            found = self._subquery("in", left.position, looked_for)
            return _call("NOT", left.position, found) if negation else found
        items = self.wrapped(self.expression)
        if not all(_are_rows(left, item) for item in items):
            return _call(f"{negation}IN", left.position, left, *items)
        made = reduce(partial(_call, "OR", left.position), (_equality(left, item, "IN") for item in items))
        return _call("NOT", left.position, made) if negation else made

    def _like(self, left: Expression, negation: str) -> Expression:
        name = "LIKE" if self.accept("LIKE") else "SIMILAR TO"
        if name == "SIMILAR TO":
            self.need("SIMILAR", "TO")
        args = [left, self.sum()]
        if self.accept("ESCAPE"):
            args.append(self.sum())
        return _call(negation + name, left.position, *args)

    def _overlaps(self, left: Expression) -> Expression:
        start = self.position
        self.need("OVERLAPS")
        right = self.sum()
        sides = [side for side in (left, right) if isinstance(side, Call) and side.function == "ROW"]
        if [len(side.args) for side in sides] != [2, 2]:
            raise self.error("OVERLAPS needs two pairs: (start, end) OVERLAPS (start, end)", start)
        return _call("OVERLAPS", left.position, *sides[0].args, *sides[1].args)

    def _product(self) -> Expression:
        left = self._sign()
        while (word := self.token.word) in ("*", "/", "%", "||"):
            self.take()
            left = _call(word, left.position, left, self._sign())
        return left

    def _sign(self) -> Expression:
        start = self.position
        if not (self.at("-") or self.at("+")):
            return self._parts(self._primary())
        word = self.take().word
        arg = self._sign()
        number = isinstance(arg, Literal) and not isinstance(arg.value, bool | str | bytes | None)
        if number and isinstance(arg, Literal) and word == "-" and self.tokens[self.index - 1].kind == "number":
            value, kind = literals.negated(arg.value, arg.type)
            return replace(arg, value=value, type=kind, position=start)
        return _call(word, start, arg)

    def _parts(self, made: Expression) -> Expression:
        while True:
            if self.at("["):
                self.take()
                made = _call("ITEM", made.position, made, self.expression())
                self.need("]")
            elif self.at("."):
                self.take()
                field = self._constant(literals.text_of, self.name("the name of a field"), position=self.position)
                made = _call("DOT", made.position, made, field)
            else:
                return made

    def _primary(self) -> Expression:
        token, start = self.token, self.position
        if token.kind == "number" or (token.word == "." and self._fraction()):
            text = "." if token.word == "." else ""
            if text:
                self.take()
            return self._constant(literals.number, text + self.take().text, position=start)
        if self.at_string():
            return self._constant(literals.text_of, self.string(), position=start)
        if token.kind == "bytes":
            return self._constant(literals.hexadecimal, self.take().text, position=start)
        if token.word == "(":
            return self._parenthesized()
        if token.kind == "name":
            return self._name_or_call()
        if token.kind == "word":
            return self._word()
        raise self.wrong("an expression")

    def _fraction(self) -> bool:
        return self.ahead().kind == "number" and self.ahead().start == self.token.end and self.ahead().text.isalnum()

    def _parenthesized(self) -> Expression:
        start = self.position
        if self.at_query():
            return self._subquery("scalar", start, ())
        items = self.wrapped(self.expression)
        if len(items) > 1:
            return _call("ROW", start, *items)
        first = items[0]
        if isinstance(first, Call) and first.function == "-" and self.token.word in _UNITS:
            # ``(a - b) DAY TO SECOND``
            unit = self._interval_unit()
            if self.accept("TO"):
                self._interval_unit()
            return _call("MINUS_DATE", start, self.word(unit, start), *first.args)
        return first

    def _subquery(self, kind: str, start: Position | None, args: tuple[Expression, ...]) -> Subquery:
        self.need("(")
        # Unresolved: the resolver puts a relation in its place.
        query: Any = self.query()
        self.need(")")
        return Subquery(kind, query, args, position=start)

    def _word(self) -> Expression:
        word, start, following = self.token.word, self.position, self.ahead()
        if word in _TIMES and following.kind in ("string", "unicode"):
            self.take()
            return self._constant(_TIMES[word], self.string(), position=start)
        if word == "TIMESTAMP" and following.word == "WITH":
            raise self.error("a constant of TIMESTAMP_LTZ is not known; use CAST or TO_TIMESTAMP_LTZ")
        if word == "INTERVAL":
            return self.interval()
        if word in ("NULL", "UNKNOWN"):
            self.take()
            return Literal(None, position=start, type=NullType() if word == "NULL" else BooleanType())
        if word in ("TRUE", "FALSE"):
            self.take()
            return Literal(word == "TRUE", position=start, type=BooleanType(False))
        if word == "CASE":
            return self._case()
        if word in ("CAST", "TRY_CAST"):
            return self._cast()
        if word == "EXISTS":
            self.take()
            if not self.at_query():
                raise self.wrong("a query in parentheses")
            return self._subquery("exists", start, ())
        if word in ("ARRAY", "MAP") and following.word == "[":
            return self._array_or_map()
        if word == "ROW" and following.word == "(":
            self.take()
            return _call("ROW", start, *self.wrapped(self.expression))
        if word in WITHOUT_PARENTHESES and following.word != "(":
            self.take()
            return Call(word, position=start)
        if word in RESERVED and not (word in _CALLED_KEYWORDS and following.word == "("):
            raise self.wrong("an expression")
        return self._name_or_call()

    def _name_or_call(self) -> Expression:
        start = self.position
        parts = [self.take().text]
        while self.at(".") and self.ahead().word != "*":
            self.take()
            parts.append(self.name("a name"))
        if self.at("("):
            return self.call(parts, start)
        return Name(tuple(parts), position=start)

    def _case(self) -> Expression:
        start = self.position
        self.need("CASE")
        subject = None if self.at("WHEN") else self.expression()
        args: list[Expression] = []
        while not args or self.at("WHEN"):
            self.need("WHEN")
            conditions = self.list_of(self.expression) if subject is not None else (self.expression(),)
            if subject is None:
                args.append(conditions[0])
            else:
                operator = "=" if len(conditions) == 1 else "IN"
                args.append(_call(operator, conditions[0].position, subject, *conditions))
            self.need("THEN")
            args.append(self.expression())
        self.seek("WHEN")
        default: Expression = Literal(None, position=self.position, type=NullType())
        if self.accept("ELSE"):
            default = self.expression()
        self.need("END")
        return _call("CASE", start, *args, default)

    def _cast(self) -> Expression:
        start = self.position
        safe = self.take().word == "TRY_CAST"
        self.need("(")
        arg = self.expression()
        self.need("AS")
        kind = self.data_type()
        self.need(")")
        return Cast(arg, kind, safe, position=start)

    def _array_or_map(self) -> Expression:
        token = self.take()
        self.need("[")
        items = () if self.at("]") else self.list_of(self.expression)
        self.need("]")
        if token.word == "MAP" and len(items) % 2:
            raise self.error("MAP takes keys and values by turns: MAP['a', 1, 'b', 2]", token.position)
        return _call(token.word, token.position, *items)


def _are_rows(left: Expression, right: Expression) -> bool:
    """Whether both are written as rows of the same number of fields."""
    rows = [each for each in (left, right) if isinstance(each, Call) and each.function == "ROW"]
    return len(rows) == 2 and len(rows[0].args) == len(rows[1].args) > 0


def _equality(left: Expression, right: Expression, operator: str = "=") -> Expression:
    """``left = right``; of two rows that of each pair of fields, so that NULL equals nothing, as in Flink."""
    if not _are_rows(left, right):
        return _call(operator, left.position, left, right)
    assert isinstance(left, Call)
    assert isinstance(right, Call)
    pairs = (_call(operator, left.position, one, other) for one, other in zip(left.args, right.args, strict=True))
    return reduce(partial(_call, "AND", left.position), pairs)


def _call(function: str, position: Position | None, *args: Expression) -> Call:
    return Call(function, args, position=position)
