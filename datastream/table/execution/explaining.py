"""Plans as text, under Flink's headings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from datastream.table.execution.explain_detail import ExplainDetail
from datastream.table.execution.inserts import planned, sink_plan
from datastream.table.execution.jobs import lowered, lowering, optimized, own_job
from datastream.table.execution.session import Session
from datastream.table.execution.sinks import written_relation
from datastream.table.execution.target import Target
from datastream.table.plan.explain import executed
from datastream.table.plan.explain import explained as plan_text
from datastream.table.plan.relations import Relation

if TYPE_CHECKING:
    from datastream.table.execution.insert_plan import InsertPlan


def explained(session: Session, relations: Sequence[Relation], details: Sequence[ExplainDetail]) -> str:
    """The plan of queries.

    Args:
        session: Where their tables and functions are.
        relations: The queries.
        details: What is shown beside the plan.

    Raises:
        ValidationError: a query cannot run.
    """

    def lower() -> None:
        into = lowering(session)
        for relation in relations:
            lowered(session, relation, into)

    texts = [plan_text(relation, optimized(session, relation), None) for relation in relations]
    return _with_operators(session, texts, details, lower)


def explained_targets(session: Session, targets: Sequence[Target], details: Sequence[ExplainDetail]) -> str:
    """The plan of INSERTs; `details` as in `explained`.

    Raises:
        ValidationError: rows do not fit a table, or it cannot be written so.
    """
    texts = []
    for target in targets:
        relation = written_relation(session, target)
        texts.append(plan_text(relation, optimized(session, relation), target.name.as_summary_string()))
    plan = planned(session, targets)
    return _with_operators(session, texts, details, lambda: sink_plan(session, plan))


def explained_plan(session: Session, plan: InsertPlan, details: Sequence[ExplainDetail]) -> str:
    """A compiled plan; `details` and errors as in `explained_targets`."""
    text = executed([(sink.rows, sink.name) for sink in plan.sinks])
    return _with_operators(session, [text], details, lambda: sink_plan(session, plan))


def _with_operators(
    session: Session, texts: list[str], details: Sequence[ExplainDetail], make: Callable[[], object]
) -> str:
    """Plans, and the operators that are made of them if these are wanted. What cannot run is refused."""
    with session.builder.undone(), own_job(session):
        make()
        if ExplainDetail.JSON_EXECUTION_PLAN in details:
            texts = [*texts, f"== Physical Execution Plan ==\n{_operators(session)}"]
    return "\n".join(text.rstrip("\n") + "\n" for text in texts)


def _operators(session: Session) -> str:
    """The operators of a job as JSON."""
    from datastream.api.environment import graph_of
    from datastream.graph import Plan
    from datastream.graph.explain import to_json

    return to_json(Plan.of(graph_of(session.env, "plan", preview=True)))
