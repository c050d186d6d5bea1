"""Plans as text, under Flink's headings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from datastream.table.execution.inserts import sink_plan
from datastream.table.execution.jobs import lowered, lowering, optimized, undone
from datastream.table.explain_detail import ExplainDetail
from datastream.table.plan.explain import executed
from datastream.table.plan.explain import explained as plan_text
from datastream.table.plan.relations import Relation
from datastream.table.session import Session

if TYPE_CHECKING:
    from datastream.table.execution.insert_plan import InsertPlan


def explained(
    session: Session, relations: Sequence[Relation], details: Sequence[ExplainDetail], sinks: Sequence[str] = ()
) -> str:
    """The plan of queries.

    Args:
        session: Where their tables and functions are.
        relations: The queries.
        details: What is shown beside the plan.
        sinks: The tables that they are written to; empty: none.
    """
    texts = []
    for i, relation in enumerate(relations):
        texts.append(plan_text(relation, optimized(session, relation), sinks[i] if sinks else None))
    if ExplainDetail.JSON_EXECUTION_PLAN in details:
        texts.append(f"== Physical Execution Plan ==\n{_execution(session, relations)}")
    return "\n".join(text.rstrip("\n") + "\n" for text in texts)


def explained_plan(session: Session, plan: InsertPlan, details: Sequence[ExplainDetail]) -> str:
    """A compiled plan; `details` as in `explained`."""
    text = executed([(sink.rows, sink.name) for sink in plan.sinks])
    if ExplainDetail.JSON_EXECUTION_PLAN in details:
        text += f"\n== Physical Execution Plan ==\n{_operators(session, lambda: sink_plan(session, plan))}\n"
    return text


def _execution(session: Session, relations: Sequence[Relation]) -> str:
    into = lowering(session)
    return _operators(session, lambda: [lowered(session, relation, into) for relation in relations])


def _operators(session: Session, make: Callable[[], object]) -> str:
    """The operators that are made as JSON; none of them stays."""
    from datastream.graph import Plan
    from datastream.graph.explain import to_json

    with undone(session):
        make()
        return to_json(Plan.of(session.env._graph("plan", preview=True)))
