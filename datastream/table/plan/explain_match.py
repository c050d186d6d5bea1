"""The text of MATCH_RECOGNIZE in plans, as Flink writes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from .expressions import Expression
from .relations import Match, PatternVariable

_AFTER = {
    "past_last": "SKIP PAST LAST ROW",
    "next": "SKIP TO NEXT ROW",
    "first": "SKIP TO FIRST",
    "last": "SKIP TO LAST",
}


def match_text(relation: Match, ordered: Callable[[Expression], str]) -> str:
    """The text of the node.

    Args:
        relation: It.
        ordered: Gives the text of a part of ORDER BY.
    """
    names = relation.input.names
    by = f"partitionBy=[{', '.join(names[i] for i in relation.partition)}], " if relation.partition else ""
    columns = relation.columns[len(relation.partition) :]
    measures = [f"FINAL({each}) AS {column.name}" for each, column in zip(relation.measures, columns, strict=True)]
    conditions = [f"{each.name}={each.condition}" for each in relation.pattern if each.condition is not None]
    return (
        f"Match({by}orderBy=[{', '.join(map(ordered, relation.order))}], measures=[{', '.join(measures)}], "
        f"rowsPerMatch=[ONE ROW PER MATCH], after=[{_after(relation)}], pattern=[{_pattern(relation)}], "
        f"define=[{{{', '.join(conditions)}}}])"
    )


def _after(relation: Match) -> str:
    text = _AFTER[relation.skip]
    return text if relation.target is None else f"{text} '{relation.pattern[relation.target].name}'"


def _pattern(relation: Match) -> str:
    return reduce(lambda left, right: f"({left}, {right})", map(_variable, relation.pattern))


def _variable(variable: PatternVariable) -> str:
    most = -1 if variable.most is None else variable.most
    if (variable.least, most) == (1, 1):
        return f"'{variable.name}'"
    single = (variable.least, most) == (0, 1) or variable.least == most
    reluctant = str(not single and not variable.greedy).lower()
    return f"PATTERN_QUANTIFIER('{variable.name}', {variable.least}, {most}, {reluctant})"
