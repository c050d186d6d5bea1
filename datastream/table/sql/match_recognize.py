"""The grammar of MATCH_RECOGNIZE."""

from __future__ import annotations

from datastream.table.plan.expressions import Alias, Call, Expression, Name
from datastream.table.sql.expressions import ExpressionGrammar
from datastream.table.sql.syntax import MatchRef, QueryNode, VariableNode

#: Words of a pattern that are refused, and why.
_REFUSED = (
    (("|",), "alternatives are not supported in a pattern: write one variable, and OR in its condition"),
    (("PERMUTE", "("), "PERMUTE is not supported in a pattern: write the variables in their order"),
    (
        ("{", "-"),
        "{- -} is not supported in a pattern: only ALL ROWS PER MATCH, which is not supported, could exclude rows",
    ),
    (("^",), "^ is not supported in a pattern, which may begin at any row of its partition"),
    (("$",), "$ is not supported in a pattern, which may end at any row of its partition"),
)
_SIMPLE = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class MatchGrammar(ExpressionGrammar):
    """Reads MATCH_RECOGNIZE."""

    def match_recognize(self, table: QueryNode) -> MatchRef:
        """``MATCH_RECOGNIZE (PARTITION BY ... DEFINE ...)``.

        Args:
            table: What is before it.
        """
        start = self.position
        self.need("MATCH_RECOGNIZE", "(")
        partition = self.list_of(self.expression) if self.accept("PARTITION", "BY") else ()
        order = self.list_of(self.order_item) if self.accept("ORDER", "BY") else ()
        if not self.at("MEASURES"):
            raise self.error("expected MEASURES: a match gives a row of its measures")
        self.take()
        measures = self.list_of(self._measure)
        self._rows_per_match()
        skip, target = self._skip_to()
        self.need("PATTERN", "(")
        pattern = self._sequence()
        self.need(")")
        within = self._within()
        if self.at("SUBSET"):
            raise self.error("SUBSET is not supported: name each variable")
        self.need("DEFINE")
        define = self._conditions()
        self.need(")")
        return MatchRef(table, partition, order, measures, pattern, define, skip, target, within, position=start)

    def _primary(self) -> Expression:
        start, word = self.position, self.token.word
        if word in ("FINAL", "RUNNING") and self.ahead().kind == "word" and self.ahead(2).word == "(":
            self.take()
            return Call(word, (super()._primary(),), position=start)
        return super()._primary()

    def _measure(self) -> Alias:
        made = self.expression()
        self.need("AS")
        return Alias(made, self.name("the name of a measure"), position=made.position)

    def _rows_per_match(self) -> None:
        if self.at("ALL"):
            raise self.error("ALL ROWS PER MATCH is not supported: a match emits one row (ONE ROW PER MATCH)")
        if self.accept("ONE"):
            self.need("ROW", "PER", "MATCH")

    def _skip_to(self) -> tuple[str, Name | None]:
        if not self.accept("AFTER"):
            return "next", None  # as in Flink, whatever SQL:2016 says
        self.need("MATCH", "SKIP")
        if self.accept("PAST"):
            self.need("LAST", "ROW")
            return "past_last", None
        self.need("TO")
        if self.accept("NEXT", "ROW"):
            return "next", None
        word = self.accept_one("FIRST", "LAST") or "LAST"
        start = self.position
        return word.lower(), Name((self.name("a variable of the pattern"),), position=start)

    def _within(self) -> Expression | None:
        if not self.accept("WITHIN"):
            return None
        if not self.at("INTERVAL"):
            raise self.wrong("an INTERVAL")
        return self.interval()

    def _conditions(self) -> dict[str, Expression]:
        found: dict[str, Expression] = {}
        while not found or self.accept(","):
            start, name = self.position, self.name("a variable of the pattern")
            if name in found:
                raise self.error(f"Pattern variable '{name}' has already been defined", start)
            self.need("AS")
            found[name] = self.expression()
        return found

    # -- pattern -----------------------------------------------------------------------------------

    def _sequence(self) -> tuple[VariableNode, ...]:
        """Variables up to a closing parenthesis."""
        found: list[VariableNode] = []
        while not found or not self.at(")"):
            found += self._factor()
        return tuple(found)

    def _factor(self) -> tuple[VariableNode, ...]:
        self._check_supported()
        start = self.position
        if self.accept("("):
            inner = self._sequence()
            self.need(")")
            if len(inner) > 1 and self.token.word in (*_SIMPLE, "{"):
                raise self.error("groups with a quantifier are not supported in a pattern", start)
            return inner if len(inner) > 1 else (self._with_quantifier(inner[0]),)
        return (self._with_quantifier(VariableNode(self.name("a variable of the pattern"), position=start)),)

    def _check_supported(self) -> None:
        for words, reason in _REFUSED:
            if self.at(*words):
                raise self.error(reason)

    def _with_quantifier(self, variable: VariableNode) -> VariableNode:
        """A variable with the quantifier after it."""
        bounds = self._bounds()
        if bounds is None:
            return variable
        return VariableNode(variable.name, *bounds, self.accept("?"), position=variable.position)

    def _bounds(self) -> tuple[int, int | None] | None:
        word = self.token.word
        if word in _SIMPLE:
            self.take()
            return _SIMPLE[word]
        if not self.at("{") or self.at("{", "-"):
            return None
        self.take()
        if self.at(","):
            raise self.error("expected how many rows there are at least: write {0,n}")
        least = self.integer("how many rows there are")
        most: int | None = least
        if self.accept(","):
            most = self.integer("how many rows there are at most") if self.token.kind == "number" else None
        self.need("}")
        return least, most
