"""Plans as text, under Flink's headings."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.table.execution.jobs import lowered, lowering, optimized
from datastream.table.explain_detail import ExplainDetail
from datastream.table.plan.explain import explained as plan_text
from datastream.table.plan.relations import Relation
from datastream.table.session import Session


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


def _execution(session: Session, relations: Sequence[Relation]) -> str:
    """The operators as JSON; none of them stays."""
    from datastream.graph import Plan
    from datastream.graph.explain import to_json

    env, builder = session.env, session.env._builder
    count, edges, later = len(builder.operators), len(builder.edges), builder._fresh
    builder._fresh = set()
    try:
        into = lowering(session)
        for relation in relations:
            lowered(session, relation, into)
        return to_json(Plan.of(env._graph("plan", preview=True)))
    finally:
        builder._fresh = later
        for id in range(count, len(builder.operators)):
            del builder.operators[id]
        del builder.edges[edges:]
