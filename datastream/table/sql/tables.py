"""The grammar of What FROM names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from datastream.table.plan.expressions import Call, Descriptor, Expression
from datastream.table.sql.cursor import Cursor, Refusal
from datastream.table.sql.match_recognize import MatchGrammar
from datastream.table.sql.syntax import (
    ArgumentNode,
    Hint,
    JoinRef,
    LateralRef,
    ModelNode,
    ProcessRef,
    QueryNode,
    SubqueryRef,
    TableNode,
    TableRef,
    WindowRef,
)

#: A window function -> its intervals in Flink's order, by their names.
_WINDOWS = {
    "TUMBLE": ("SIZE",),
    "HOP": ("SLIDE", "SIZE"),
    "CUMULATE": ("STEP", "SIZE"),
    "SESSION": ("GAP",),
}
_HINTS = ("BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE", "NEST_LOOP", "MULTI_JOIN", "LOOKUP", "STATE_TTL")


class TableGrammar(MatchGrammar):
    """Reads tables and joins."""

    def tables(self) -> QueryNode:
        """Tables and joins, with commas between them."""
        left = self._joins()
        while self.accept(","):
            left = JoinRef(left, self._joins(), "cross", position=left.position)
        return left

    def named_table(self) -> TableRef:
        """A table by name, with its hint and FOR SYSTEM_TIME AS OF."""
        start = self.position
        path = self.path("a table")
        options: dict[str, str] = {}
        for hint in self.hints(("OPTIONS",)):
            options |= hint.options
        as_of = None
        if self.accept("FOR", "SYSTEM_TIME"):
            self.need("AS", "OF")
            as_of = self.sum()
        return TableRef(path, options=options, as_of=as_of, position=start)

    def hints(self, known: tuple[str, ...] = _HINTS) -> tuple[Hint, ...]:
        """Hints, if they come next."""
        found: list[Hint] = []
        while self.token.kind == "hint":
            token = self.take()
            inner = _HintGrammar(self.text, token.start + 3, token.end - 2)
            found += inner.read(known)
        return tuple(found)

    def _joins(self) -> QueryNode:
        left = self._table()
        while True:
            natural, start = self.at("NATURAL"), self.position
            if natural:
                self.take()
            kind = self._join_kind()
            if kind is None and not natural:
                return left
            if kind is None or (natural and kind == "cross"):
                raise self.error("NATURAL is allowed only before JOIN, INNER JOIN, LEFT, RIGHT or FULL JOIN", start)
            right = self._table()
            condition: Expression | None = None
            using: tuple[str, ...] = ()
            if kind != "cross" and not natural:
                if self.accept("USING"):
                    using = self.names()
                else:
                    self.need("ON")
                    condition = self.expression()
            left = JoinRef(left, right, kind, condition, using, natural, position=left.position)

    def _join_kind(self) -> str | None:
        if self.accept("JOIN"):
            return "inner"
        word = self.accept_one("INNER", "CROSS", "LEFT", "RIGHT", "FULL")
        if word is None:
            return None
        if word in ("LEFT", "RIGHT", "FULL"):
            self.accept("OUTER")
        self.need("JOIN")
        return word.lower()

    def _table(self) -> QueryNode:
        made = self._plain_table()
        if self.at("MATCH_RECOGNIZE"):
            match = self.match_recognize(made)
            alias, names = self._alias()
            made = replace(match, alias=alias, names=names)
        if self.at("TABLESAMPLE"):
            raise self.error("TABLESAMPLE is not known here")
        return made

    def _plain_table(self) -> QueryNode:
        start = self.position
        if self.accept("LATERAL"):
            if self.at("(") and self.at_query():
                self.take()
                query = self.query()
                self.need(")")
                return SubqueryRef(query, *self._alias(), lateral=True, position=start)
            if self.at("(") or self.at("UNNEST"):
                raise self.error("LATERAL is allowed only before TABLE(function(...)) and (SELECT ...)")
            self.need("TABLE", "(")
            call = self._table_call()
            self.need(")")
            return self._lateral(call)
        if self.at("UNNEST"):
            return self._unnest()
        if self.accept("TABLE", "("):
            made = self._function()
            self.need(")")
            return self._aliased(made)
        if self.at("("):
            if self.at_query():
                self.take()
                query = self.query()
                self.need(")")
                return SubqueryRef(query, *self._alias(), position=start)
            self.take()
            made = self.tables()
            self.need(")")
            return made
        if self.at("VALUES"):
            raise self.error("VALUES needs parentheses after FROM: FROM (VALUES (1, 'a')) AS t (x, y)")
        if self.is_name() and self._path_before("("):
            return self._aliased(self._function())
        return self._aliased(self.named_table())

    def _path_before(self, word: str) -> bool:
        index = 1
        while self.ahead(index).word == "." and self.is_name(self.ahead(index + 1)):
            index += 2
        return self.ahead(index).word == word

    def _alias(self) -> tuple[str | None, tuple[str, ...]]:
        """``AS t (a, b)``: name, names of columns."""
        if not self.accept("AS") and (not self.is_name() or self.at("QUALIFY")):
            return None, ()
        return self.name(), self.names() if self.at("(") else ()

    def _aliased(self, made: QueryNode) -> QueryNode:
        alias, names = self._alias()
        return _renamed(made, alias, names)

    def _lateral(self, call: Call) -> LateralRef:
        alias, names = self._alias()
        return LateralRef(call, alias, names, position=call.position)

    def _unnest(self) -> LateralRef:
        start = self.position
        self.need("UNNEST", "(")
        arg = self.expression()
        self.need(")")
        function = "UNNEST WITH ORDINALITY" if self.accept("WITH", "ORDINALITY") else "UNNEST"
        return self._lateral(Call(function, (arg,), position=start))

    def _table_call(self) -> Call:
        start = self.position
        made = self.call(self.path("a table function"), start)
        if not isinstance(made, Call):
            raise self.error("expected a table function", start)
        return made

    def _function(self) -> QueryNode:
        """A window function, or another table function."""
        start = self.position
        name = self.token.word
        if name not in _WINDOWS or self.ahead().word != "(":
            if name == "ML_EVALUATE" and self._takes_tables():
                raise Refusal(name, "Flink cannot run it either: compare what ML_PREDICT adds with the true values")
            if self._takes_tables():
                return self._process_function()
            call = self._table_call()
            return LateralRef(call, position=start)
        self.take()
        self.need("(")
        sizes = _WINDOWS[name]
        given: dict[str, Any] = {}
        order = ("DATA", "TIMECOL", *sizes, *(() if name == "SESSION" else ("OFFSET",)))
        for index, each in enumerate(order):
            if each == "OFFSET" and not self.at(","):
                break
            if index:
                self.need(",")
            key = self._argument_name(order, given) or each
            given[key] = self._window_argument(key, name)
        self.need(")")
        missing = [key for key in order if key not in given and key != "OFFSET"]
        if missing:
            raise self.error(f"{name}: {missing[0]} is missing", start)
        table, partition = given["DATA"]
        intervals = tuple(given[key] for key in (*sizes, "OFFSET") if key in given)
        return WindowRef(name.lower(), table, given["TIMECOL"], intervals, partition, position=start)

    def _takes_tables(self) -> bool:
        """Whether a call has an argument by name, or one that is a table or a descriptor."""
        index = 1
        while self.ahead(index).word == "." and self.is_name(self.ahead(index + 1)):
            index += 2
        depth = 0
        while self.ahead(index).kind != "end":
            word, following = self.ahead(index).word, self.ahead(index + 1).word
            depth += (word == "(") - (word == ")")
            if depth == 0:
                return False
            if depth == 1 and (word == "=>" or (word in ("(", ",") and self._is_table(index + 1))):
                return True
            if depth == 1 and word in ("(", ",") and following == "DESCRIPTOR":
                return True
            index += 1
        return False

    def _is_table(self, index: int) -> bool:
        word, following = self.ahead(index).word, self.ahead(index + 1).word
        return (word == "TABLE" and following != "(") or (word == "(" and following in ("SELECT", "WITH", "VALUES"))

    def _process_function(self) -> ProcessRef:
        start = self.position
        parts = self.path("a table function")
        args = self.wrapped(self._process_argument)
        return ProcessRef(parts[0].upper() if len(parts) == 1 else ".".join(parts), args, position=start)

    def _process_argument(self) -> ArgumentNode:
        start = self.position
        name = None
        if self.ahead().word == "=>":
            name = self.name("the name of an argument") if self.is_name() else self.take().text
            self.take()
        if self._is_table(0):
            where = self.position
            table, partition = self._table_argument()
            return ArgumentNode(TableNode(table, partition, where), name, start)
        if self.at("MODEL") and self.is_name(self.ahead()):
            where = self.position
            self.take()
            return ArgumentNode(ModelNode(tuple(self.path("a model")), where), name, start)
        if self.at("DESCRIPTOR"):
            where = self.position
            self.take()
            return ArgumentNode(Descriptor(self.names(), position=where), name, start)
        return ArgumentNode(self.expression(), name, start)

    def _argument_name(self, order: tuple[str, ...], given: dict[str, Any]) -> str | None:
        if self.ahead().word != "=>":
            return None
        name = self.token.text.upper()
        if name not in order:
            for each in order:
                self.seek(each)
            raise self.wrong()
        if name in given:
            raise self.error(f"{name} is given twice")
        self.take()
        self.take()
        return name

    def _window_argument(self, key: str, function: str) -> Any:
        if key == "DATA":
            return self._window_table(function)
        if key == "TIMECOL":
            self.need("DESCRIPTOR", "(")
            name = self.name("the name of a column")
            self.need(")")
            return name
        return self._interval_argument()

    def _interval_argument(self) -> Expression:
        if not self.at("INTERVAL"):
            raise self.wrong("an INTERVAL")
        return self.interval()

    def _window_table(self, function: str) -> tuple[QueryNode, tuple[str, ...]]:
        return self._table_argument(None if function == "SESSION" else function)

    def _table_argument(self, unpartitioned: str | None = None) -> tuple[QueryNode, tuple[str, ...]]:
        """A table, and its PARTITION BY; `unpartitioned`: the function that allows none."""
        start = self.position
        if self.accept("TABLE"):
            table: QueryNode = self._function() if self._path_before("(") else self.named_table()
        elif self.accept("("):
            table = SubqueryRef(self.query(), position=start)
            self.need(")")
        else:
            self.seek("a query in parentheses")
            raise self.wrong()
        partition: tuple[str, ...] = ()
        if self.at("PARTITION"):
            if unpartitioned is not None:
                raise self.error(f"PARTITION BY is allowed only in SESSION, not in {unpartitioned}")
            self.need("PARTITION", "BY")
            partition = self.names() if self.at("(") else (self.name("the name of a column"),)
        if self.at("ORDER", "BY"):
            raise self.error("ORDER BY in a table argument is not supported: rows are processed as they come")
        return table, partition


class _HintGrammar(Cursor):
    """Reads what stands in a hint."""

    def read(self, known: tuple[str, ...]) -> list[Hint]:
        found = [self._hint(known)]
        while self.token.kind != "end":
            self.need(",")
            found.append(self._hint(known))
        return found

    def _hint(self, known: tuple[str, ...]) -> Hint:
        name = self.token.word
        if name not in known:
            for each in known:
                self.seek(each)
            raise self.wrong(f"a hint: {', '.join(known)}")
        self.take()
        args: list[str] = []
        options: dict[str, str] = {}
        if not self.at("("):
            return Hint(name)
        self.take()
        while not self.at(")"):
            if args or options:
                self.need(",")
            text = self.string() if self.at_string() else ".".join(self.path("a table"))
            if name == "OPTIONS" and not self.at("="):
                self.need("=")
            if self.accept("="):
                options[text] = self.string("a value in single quotes")
            else:
                args.append(text)
        self.need(")")
        return Hint(name, tuple(args), options)


def _renamed(made: QueryNode, alias: str | None, names: tuple[str, ...]) -> QueryNode:
    return replace(made, alias=alias, names=names) if alias is not None else made  # type: ignore[call-arg]
