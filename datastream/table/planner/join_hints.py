"""Hints that name tables: how to join them, and how long their rows are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from datastream.config.duration_text import parse_duration_ms
from datastream.errors import ValidationError
from datastream.table.plan.errors import wrong
from datastream.table.plan.expressions import Position
from datastream.table.plan.relations import Aggregate, Filter, Join, Project, Relation
from datastream.table.sql.syntax import Hint, JoinRef, LateralRef, QueryNode, SubqueryRef, TableRef, WindowRef

#: Hints that say how to compute a result, and never which.
_ADVICE = frozenset({"BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE", "NEST_LOOP", "MULTI_JOIN"})
_STATE_TTL = "STATE_TTL"


def state_ttls(hints: Iterable[Hint], source: QueryNode | None, position: Position | None) -> dict[str, int]:
    """After which time, in ms, the rows of a table are forgotten, by its name; 0: never.

    Args:
        hints: Of a SELECT, of which those for joins are looked at too.
        source: What FROM names.
        position: Where the SELECT begins.

    Raises:
        ValidationError: A hint names no table, one that is not there, or no time.
    """
    found: dict[str, int] = {}
    there = set(tables_of(source))
    for hint in hints:
        named: Sequence[str] = ()
        if hint.name in _ADVICE:
            if not hint.args:
                raise wrong(
                    f"Invalid hint: {hint.name}, expecting at least one table or view specified in hint {hint.name}.",
                    position,
                )
            named = hint.args
        elif hint.name == _STATE_TTL:
            times = _times(hint, position)
            named = tuple(times)
            found |= times
        if missing := [name for name in named if name not in there]:
            raise no_table(missing[0], hint.name, position)
    return found


def no_table(name: str, hint: str, position: Position | None) -> ValidationError:
    """The error for a hint with a table that is not there."""
    return wrong(
        f"The options of following hints cannot match the name of input tables or views: `{name}` in `{hint}`", position
    )


def _times(hint: Hint, position: Position | None) -> dict[str, int]:
    if hint.args:
        raise wrong("Invalid list options in STATE_TTL hint, only support key-value options.", position)
    if not hint.options:
        raise wrong("Invalid STATE_TTL hint, expecting at least one key-value options specified.", position)
    try:
        return {name: parse_duration_ms(_STATE_TTL, text) for name, text in hint.options.items()}
    except ValidationError as error:
        raise wrong(f"Invalid STATE_TTL hint value: {error}", position) from None


def tables_of(node: QueryNode | None) -> Iterable[str]:
    """The names of What FROM names."""
    if isinstance(node, JoinRef):
        yield from tables_of(node.left)
        yield from tables_of(node.right)
    elif (name := name_of(node)) is not None:
        yield name


def name_of(node: QueryNode | None) -> str | None:
    """The name of one table after FROM; None: it has none."""
    match node:
        case TableRef(alias=alias, path=path):
            return alias or path[-1]
        case SubqueryRef(alias=alias) | WindowRef(alias=alias) | LateralRef(alias=alias):
            return alias
    return None


def with_ttls(joined: Relation, node: JoinRef, ttls: Mapping[str, int]) -> Relation:
    """A join that forgets the rows of its tables after the times that hints say."""
    sides = tuple(ttls.get(name_of(each) or "") for each in (node.left, node.right))
    return joined if sides == (None, None) or not isinstance(joined, Join) else replace(joined, ttls=sides)


def with_ttl(grouped: Relation, source: QueryNode | None, ttls: Mapping[str, int]) -> Relation:
    """A grouping that forgets groups after the time that a hint says."""
    ttl = ttls.get(name_of(source) or "")
    if ttl is None:
        return grouped
    if isinstance(grouped, Aggregate):
        return replace(grouped, ttl_ms=ttl)
    if isinstance(grouped, Project | Filter):
        return replace(grouped, input=with_ttl(grouped.input, source, ttls))
    return grouped
