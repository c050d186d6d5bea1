"""Operators of table plans whose state grows for ever."""

from __future__ import annotations

from collections.abc import Iterator

from datastream.config.job_warnings import JobWarning
from datastream.graph import Plan
from datastream.graph.operators import GroupAggregate, Operator, SinkMaterialize, TableJoin, TopN

_LISTED = 3


class GrowingState:
    """Warns once, at the begin, of a query that keeps something of every key or row of an endless input.

    Args:
        plan: Of the job.
    """

    def __init__(self, plan: Plan) -> None:
        endless = {id for source in plan.sources if not source.source.bounded for id in _behind(plan, source)}
        self._operators = [op for op in plan.operators.values() if op.id in endless and _grows(op)]
        if plan.graph.batch:
            self._operators = []

    def take(self) -> Iterator[JobWarning]:
        """An epoch was committed; returns what is to be warned of."""
        operators, self._operators = self._operators, []
        if not operators:
            return
        names = [f"'{op.name}' ({op.state_uid})" for op in operators[:_LISTED]]
        if len(operators) > _LISTED:
            names.append(f"{len(operators) - _LISTED} more")
        yield JobWarning(
            "state-grows",
            operators[0].state_uid,
            f"{' and '.join(names)}: the input has no end, so the state grows with each new key or row and nothing is "
            "ever forgotten. Set table.exec.state.ttl ('1 d'), so that what did not change for so long is forgotten, "
            "group by windows, or make sure that there are not too many different keys or rows",
        )


def _behind(plan: Plan, source: Operator) -> set[int]:
    """The ids of all operators after a source."""
    found: set[int] = set()
    ahead = [source.id]
    while ahead:
        for edge in plan.outputs[ahead.pop()]:
            if edge.target not in found:
                found.add(edge.target)
                ahead.append(edge.target)
    return found


def _grows(op: Operator) -> bool:
    if isinstance(op, GroupAggregate | TableJoin):
        return not op.ttl_ms and bool(isinstance(op, TableJoin) or op.key)
    if isinstance(op, SinkMaterialize):
        return True
    return isinstance(op, TopN) and op.changes
