"""The grammar of calls: arguments, OVER, and functions with words between their arguments.

Those functions become calls with plain arguments; words become literals:

=====================================================  ==============================================================
``EXTRACT(DAY FROM t)``                                ``EXTRACT('DAY', t)``
``TIMESTAMPADD(DAY, 1, t)``, ``TIMESTAMPDIFF``         the unit first, as a literal
``FLOOR(t TO HOUR)``, ``CEIL``                         ``FLOOR(t, 'HOUR')``
``TRIM(a)``, ``TRIM(LEADING 'x' FROM a)``              ``TRIM('BOTH', ' ', a)``, ``TRIM('LEADING', 'x', a)``
``POSITION(a IN b)``                                   ``POSITION(a, b)``
``SUBSTRING(a FROM 1 FOR 2)``                          ``SUBSTRING(a, 1, 2)``
``OVERLAY(a PLACING b FROM 1 FOR 2)``                  ``OVERLAY(a, b, 1, 2)``
``JSON_EXISTS(a, p FALSE ON ERROR)``                   ``JSON_EXISTS(a, p, 'FALSE')``
``JSON_VALUE(a, p)``                                   as it is; with any words after the path all seven arguments:
                                                       a, p, a NULL of the type returned, what on empty (``NULL``,
                                                       ``ERROR``, ``DEFAULT``), its default, what on error, its default
``JSON_QUERY(a, p)``                                   as it is; with words all six: a, p, a NULL of the type returned,
                                                       the wrapper (``WITHOUT``, ``CONDITIONAL``, ``UNCONDITIONAL``),
                                                       what on empty (``NULL``, ``ERROR``, ``EMPTY ARRAY``,
                                                       ``EMPTY OBJECT``), what on error
``JSON_OBJECT(KEY a VALUE b)``                         ``JSON_OBJECT('NULL', a, b)``; ``'ABSENT'`` for ABSENT ON NULL
``JSON_ARRAY(a)``                                      ``JSON_ARRAY('ABSENT', a)``
``JSON_OBJECTAGG(KEY a VALUE b)``                      ``JSON_OBJECTAGG('NULL', a, b)``
``JSON_ARRAYAGG(a)``                                   ``JSON_ARRAYAGG('ABSENT', a)``
=====================================================  ==============================================================
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from datastream.table.plan.expressions import Call, Expression, Literal, Order, Over, Position, Star
from datastream.table.sql import literals
from datastream.table.sql.types import TypeGrammar
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType, IntType, NullType

UNITS = (
    *(
        "YEAR",
        "QUARTER",
        "MONTH",
        "WEEK",
        "DAY",
        "HOUR",
        "MINUTE",
        "SECOND",
        "MILLISECOND",
        "MICROSECOND",
        "NANOSECOND",
    ),
    *("DOY", "DOW", "ISODOW", "ISOYEAR", "EPOCH", "DECADE", "CENTURY", "MILLENNIUM"),
)

Frame = tuple[str, Expression | None, Expression | None]


@dataclass(frozen=True)
class WindowSpec:
    """What is in the parentheses after OVER or in the clause WINDOW."""

    partition: tuple[Expression, ...] = ()
    order: tuple[Order, ...] = ()
    frame: Frame | None = None


class FunctionGrammar(TypeGrammar):
    """Reads calls."""

    def __init__(self, text: str, start: int = 0, end: int | None = None) -> None:
        super().__init__(text, start, end)
        #: Windows of the clause WINDOW, of the queries around this place, innermost last.
        self.windows: list[dict[str, WindowSpec]] = []

    @abstractmethod
    def expression(self) -> Expression:
        """An expression."""

    @abstractmethod
    def sum(self) -> Expression:
        """An expression without comparisons and what binds looser."""

    @abstractmethod
    def interval(self) -> Literal:
        """An interval."""

    @abstractmethod
    def order_item(self) -> Order:
        """A part of ORDER BY."""

    def word(self, text: str, position: Position | None = None) -> Literal:
        """A word of the syntax, as a literal."""
        value, kind = literals.text_of(text)
        return Literal(value, position=position or self.position, type=kind)

    def call(self, parts: Sequence[str], start: Position) -> Expression:
        """What follows a function's name: arguments, FILTER, OVER."""
        name = parts[0].upper() if len(parts) == 1 else ".".join(parts)
        special = self._special().get(name)
        self.need("(")
        distinct = False
        if special is not None:
            args: tuple[Expression, ...] = tuple(special())
        else:
            distinct = self.accept_one("DISTINCT", "ALL") == "DISTINCT"
            args = () if self.at(")") and not distinct else self._arguments()
        made = Call(name, args, distinct, position=start)
        if name == "ARRAY_AGG":
            made = self._nulls_of(made)
        self.need(")")
        if self.at("WITHIN", "GROUP"):
            raise self.error("WITHIN GROUP is not known here")
        if self.at("IGNORE", "NULLS") or self.at("RESPECT", "NULLS"):
            raise self.error(f"{self.token.word} NULLS is not known here")
        if self.at("FILTER", "("):
            self.need("FILTER", "(", "WHERE")
            condition = self.expression()
            made = replace(made, filter=Call("AND", (made.filter, condition)) if made.filter else condition)
            self.need(")")
        return self._over(made) if self.accept("OVER") else made

    def _nulls_of(self, made: Call) -> Call:
        """``IGNORE NULLS`` or ``RESPECT NULLS`` behind an aggregate's argument."""
        if self.at("ORDER", "BY"):
            raise self.error(f"ORDER BY is not known here: {made.function} has the values in the order of arrival")
        if self.accept("IGNORE", "NULLS"):
            return replace(made, filter=Call("IS NOT NULL", made.args[:1], position=made.position))
        self.accept("RESPECT", "NULLS")
        return made

    def window_spec(self) -> WindowSpec:
        """``([name] [PARTITION BY ...] [ORDER BY ...] [frame])``."""
        self.need("(")
        spec = WindowSpec()
        if self.is_name() and not self.at("RANGE"):
            spec = self._named_window()
        if self.accept("PARTITION", "BY"):
            spec = replace(spec, partition=self.list_of(self.expression))
        if self.accept("ORDER", "BY"):
            spec = replace(spec, order=self.list_of(self.order_item))
        kind = self.accept_one("ROWS", "RANGE")
        if kind is not None:
            spec = replace(spec, frame=self._frame(kind))
        self.need(")")
        return spec

    def _arguments(self) -> tuple[Expression, ...]:
        if self.at("*"):
            return (Star(position=self.take().position),)
        return self.list_of(self._argument)

    def _argument(self) -> Expression:
        if self.is_name() and self.ahead().word == "=>":
            raise self.error(
                "arguments by name are those of window functions and process table functions, which are called in FROM "
                "without LATERAL: SELECT * FROM f(input => TABLE t). Give those of other functions in their order"
            )
        if self.token.word in ("TABLE", "DESCRIPTOR", "MODEL") and self.ahead().word in ("(",) or self.at("TABLE"):
            raise self.error(
                f"{self.token.word} is allowed only in window functions and process table functions, which are called "
                "in FROM without LATERAL: SELECT * FROM f(TABLE t)"
            )
        return self.expression()

    def _over(self, call: Call) -> Over:
        spec = self.window_spec() if self.at("(") else self._named_window()
        return Over(call, spec.partition, spec.order, spec.frame, position=call.position)

    def _named_window(self) -> WindowSpec:
        start = self.position
        name = self.name("a window's name")
        known = self.windows[-1] if self.windows else {}
        for each, spec in known.items():
            if each.upper() == name.upper():
                return spec
        there = f"; there are {', '.join(known)}" if known else "; the query has no clause WINDOW"
        raise self.error(f"no window {name}{there}", start)

    def _frame(self, kind: str) -> Frame:
        between = self.accept("BETWEEN")
        first = self._bound("PRECEDING")
        if not between:
            return kind, first, Literal(0, type=IntType(False))
        self.need("AND")
        return kind, first, self._bound("FOLLOWING")

    def _bound(self, unbounded: str) -> Expression | None:
        start = self.position
        if self.accept("UNBOUNDED"):
            self.need(unbounded)
            return None
        if self.accept("CURRENT", "ROW"):
            return Literal(0, position=start, type=IntType(False))
        if self.at("INTERVAL"):
            made = self.interval()
        elif self.token.kind == "number":
            made = self._constant(literals.number, self.take().text, position=start)
            if not isinstance(made.type, IntType):
                raise self.error("expected a whole number of rows", start)
        else:
            raise self.wrong("UNBOUNDED, CURRENT ROW, a whole number or an INTERVAL")
        following = self.need_one("PRECEDING", "FOLLOWING") == "FOLLOWING"
        return replace(made, value=-made.value) if following else made

    def _constant(self, make: Callable[..., literals.Typed], *given: Any, position: Position) -> Literal:
        try:
            value, kind = make(*given)
        except ValueError as error:
            raise self.error(str(error), position) from None
        return Literal(value, position=position, type=kind)

    def _special(self) -> dict[str, Callable[[], Sequence[Expression]]]:
        return {
            "EXTRACT": self._extract,
            "TIMESTAMPADD": self._unit_first,
            "TIMESTAMPDIFF": self._unit_first,
            "FLOOR": self._to_unit,
            "CEIL": self._to_unit,
            "CEILING": self._to_unit,
            "TRIM": self._trim,
            "POSITION": lambda: self._between_words("IN", "FROM"),
            "SUBSTRING": lambda: self._between_words("FROM", "FOR"),
            "OVERLAY": lambda: self._between_words("PLACING", "FROM", "FOR"),
            "JSON_EXISTS": self._json_exists,
            "JSON_VALUE": self._json_value,
            "JSON_QUERY": self._json_query,
            "JSON_OBJECT": self._json_object,
            "JSON_ARRAY": self._json_array,
            "JSON_OBJECTAGG": self._json_objectagg,
            "JSON_ARRAYAGG": self._json_arrayagg,
        }

    def _unit(self) -> Literal:
        position = self.position
        name = self.token.word.removeprefix("SQL_TSI_")
        if name not in UNITS:
            for each in UNITS:
                self.seek(each)
            raise self.wrong("a unit such as SECOND, MINUTE, HOUR, DAY, MONTH, YEAR")
        self.take()
        return self.word(name, position)

    def _extract(self) -> Sequence[Expression]:
        unit = self._unit()
        self.need("FROM")
        return unit, self.expression()

    def _unit_first(self) -> Sequence[Expression]:
        unit = self._unit()
        self.need(",")
        return unit, *self.list_of(self.expression)

    def _to_unit(self) -> Sequence[Expression]:
        args = self.list_of(self.expression)
        return (*args, self._unit()) if self.accept("TO") else args

    def _trim(self) -> Sequence[Expression]:
        start = self.position
        where = self.accept_one("BOTH", "LEADING", "TRAILING")
        blank = self.word(" ", start)
        if where is not None and self.accept("FROM"):
            return self.word(where, start), blank, self.expression()
        first = self.expression()
        if self.accept("FROM"):
            return self.word(where or "BOTH", start), first, self.expression()
        if where is not None:
            raise self.wrong()
        return self.word("BOTH", start), blank, first

    def _between_words(self, *words: str) -> Sequence[Expression]:
        args = [self.sum()]
        if self.at(","):
            self.take()
            return (*args, *self.list_of(self.expression))
        for word in words:
            if self.accept(word):
                args.append(self.sum())
        if len(args) == 1:
            raise self.wrong()
        return args

    def _path(self) -> tuple[Expression, Expression]:
        json = self.expression()
        self.need(",")
        return json, self.expression()

    def _json_exists(self) -> Sequence[Expression]:
        path = self._path()
        start = self.position
        on_error = self.accept_one("TRUE", "FALSE", "UNKNOWN", "ERROR")
        if on_error is None:
            return path
        self.need("ON", "ERROR")
        return *path, self.word(on_error, start)

    def _json_value(self) -> Sequence[Expression]:
        path = self._path()
        if self.at(")"):
            return path
        null = Literal(None, position=self.position, type=NullType())
        made: dict[str, tuple[Expression, Expression]] = {}
        kind = self._returning()
        while not self.at(")"):
            start = self.position
            what = self.need_one("NULL", "ERROR", "DEFAULT")
            default = self.sum() if what == "DEFAULT" else null
            self._put(made, (self.word(what, start), default))
        nothing = self.word("NULL"), null
        return *path, kind, *made.get("EMPTY", nothing), *made.get("ERROR", nothing)

    def _json_query(self) -> Sequence[Expression]:
        path = self._path()
        if self.at(")"):
            return path
        kind = self._returning()
        wrapper = self.word("WITHOUT")
        start = self.position
        if self.at("WITHOUT") or self.at("WITH"):
            given = self.take().word
            if given == "WITH":
                given = self.accept_one("CONDITIONAL", "UNCONDITIONAL") or "UNCONDITIONAL"
            self.accept("ARRAY")
            self.need("WRAPPER")
            wrapper = self.word(given, start)
        made: dict[str, tuple[Expression]] = {}
        while not self.at(")"):
            start = self.position
            what = self.need_one("NULL", "ERROR", "EMPTY")
            if what == "EMPTY":
                what = f"EMPTY {self.need_one('ARRAY', 'OBJECT')}"
            self._put(made, (self.word(what, start),))
        nothing = (self.word("NULL"),)
        return *path, kind, wrapper, *made.get("EMPTY", nothing), *made.get("ERROR", nothing)

    def _put(self, made: dict[str, Any], behavior: Any) -> None:
        self.need("ON")
        start = self.position
        case = self.need_one("EMPTY", "ERROR")
        if case in made or (case == "EMPTY" and "ERROR" in made):
            raise self.error("ON EMPTY may appear once, then ON ERROR once", start)
        made[case] = behavior

    def _returning(self) -> Literal:
        start = self.position
        kind: DataType = self.data_type() if self.accept("RETURNING") else DataTypes.STRING()
        return Literal(None, position=start, type=kind.nullable())

    def _json_object(self) -> Sequence[Expression]:
        args: list[Expression] = []
        while not (self.at(")") or self._at_on_null()):
            if args:
                self.need(",")
            args += self._key_and_value()
        return self._on_null("NULL"), *args

    def _json_array(self) -> Sequence[Expression]:
        args: list[Expression] = []
        while not (self.at(")") or self._at_on_null()):
            if args:
                self.need(",")
            args.append(self.expression())
        return self._on_null("ABSENT"), *args

    def _json_objectagg(self) -> Sequence[Expression]:
        args = self._key_and_value()
        return self._on_null("NULL"), *args

    def _json_arrayagg(self) -> Sequence[Expression]:
        arg = self.expression()
        return self._on_null("ABSENT"), arg

    def _key_and_value(self) -> tuple[Expression, Expression]:
        if self.at("KEY") and self.ahead().word not in ("VALUE", ":", ".", "("):
            self.take()
        key = self.expression()
        self.need_one("VALUE", ":")
        return key, self.expression()

    def _at_on_null(self) -> bool:
        return self.at("NULL", "ON", "NULL") or self.at("ABSENT", "ON", "NULL")

    def _on_null(self, default: str) -> Literal:
        start = self.position
        given = self.accept_one("NULL", "ABSENT")
        if given is not None:
            self.need("ON", "NULL")
        return self.word(given or default, start)
