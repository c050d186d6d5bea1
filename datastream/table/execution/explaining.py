"""Plans as text, under Flink's headings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from datastream.table.catalogs.names import ObjectIdentifier
from datastream.table.execution.explain_detail import ExplainDetail
from datastream.table.execution.inserts import Written, planned, sink_plan
from datastream.table.execution.jobs import lowered_relation, lowering, own_job
from datastream.table.execution.session import Session
from datastream.table.execution.sinks import written_relation
from datastream.table.execution.target import Target
from datastream.table.plan.explain import logical_plan
from datastream.table.plan.relations import Relation, Scan

if TYPE_CHECKING:
    from datastream.table.execution.insert_plan import InsertPlan
    from datastream.table.execution.physical_plan import PlanNode
    from datastream.table.lowering.lowering import Lowering


def explained(session: Session, relations: Sequence[Relation], details: Sequence[ExplainDetail]) -> str:
    """The plan of queries.

    Args:
        session: Where their tables and functions are.
        relations: The queries.
        details: What is shown beside the plan.

    Raises:
        ValidationError: a query cannot run.
    """
    logical = [logical_plan(relation) for relation in relations]
    with _one_job(session):
        into = lowering(session)
        plans = [lowered_relation(session, each, into, emitted=False)[0] for each in relations]
        return _text(session, logical, _Nodes(session, into).of(plans), details)


def explained_targets(session: Session, targets: Sequence[Target], details: Sequence[ExplainDetail]) -> str:
    """The plan of INSERTs; `details` as in `explained`.

    Raises:
        ValidationError: rows do not fit a table, or it cannot be written so.
    """
    logical = [logical_plan(written_relation(session, each), each.name.as_summary_string()) for each in targets]
    plan = planned(session, targets)
    with _one_job(session):
        return _text(session, logical, _Nodes.written(session, plan, sink_plan(session, plan)), details)


def explained_plan(session: Session, plan: InsertPlan, details: Sequence[ExplainDetail]) -> str:
    """A compiled plan; `details` and errors as in `explained_targets`."""
    with _one_job(session):
        return _text(session, None, _Nodes.written(session, plan, sink_plan(session, plan)), details)


class _Nodes:
    """Makes the trees of the relations of a job, for both notations of expressions.

    Args:
        session: Where functions and tables are.
        into: What has made the operators.
    """

    def __init__(self, session: Session, into: Lowering) -> None:
        from datastream.table.execution.expression_text import ExpressionText
        from datastream.table.execution.physical_plan import PhysicalPlan

        def columns_of(scan: Scan) -> list[str]:
            name = ObjectIdentifier(*scan.path)
            info = session.table_info(name, session.catalogs.get(name), dict(scan.options))
            return [*(column.name for column in info.columns), *info.metadata]

        self._plans = [
            PhysicalPlan(into, ExpressionText(session.functions, infix), columns_of) for infix in (False, True)
        ]

    def of(self, relations: Sequence[Relation]) -> list[list[PlanNode]]:
        """For each notation, the trees of relations."""
        return [[plan.node(relation) for relation in relations] for plan in self._plans]

    @staticmethod
    def written(session: Session, plan: InsertPlan, made: Written) -> list[list[PlanNode]]:
        """For each notation, the trees of what is written."""
        from datastream.table.execution.physical_plan import PlanNode

        def sink(place: int, below: PlanNode) -> PlanNode:
            table, conflict = plan.sinks[place], made.conflicts[place]
            kept = () if conflict is None else ("upsertMaterialize=[true]", f"conflictStrategy=[{conflict.upper()}]")
            parts = (f"table=[{table.name}]", f"fields=[{', '.join(table.rows.names)}]", *kept)
            return PlanNode("Sink", parts, None, (below,))

        trees = _Nodes(session, made.lowering).of([each.rows for each in plan.sinks])
        return [[sink(place, tree) for place, tree in enumerate(of_one)] for of_one in trees]


@contextmanager
def _one_job(session: Session) -> Iterator[None]:
    """Operators that are made meanwhile are those of one job, and go away."""
    with session.builder.undone(), own_job(session):
        yield


def _text(
    session: Session, logical: Iterable[str] | None, trees: list[list[PlanNode]], details: Sequence[ExplainDetail]
) -> str:
    """The text under its headings; `logical`: the plans as written; None: only how they run is known."""
    from datastream.table.execution.reused_nodes import with_reused_nodes

    physical, execution = trees
    modes = ExplainDetail.CHANGELOG_MODE in details
    parts = []
    if logical is not None:
        parts += ["== Abstract Syntax Tree ==", "\n\n".join(logical) + "\n"]
        parts += [
            "== Optimized Physical Plan ==",
            "\n\n".join("\n".join(each.lines(modes)) for each in physical) + "\n",
        ]
    parts += ["== Optimized Execution Plan ==", "\n\n".join(map("\n".join, with_reused_nodes(execution))) + "\n"]
    if ExplainDetail.JSON_EXECUTION_PLAN in details:
        parts.append(f"== Physical Execution Plan ==\n{_operators(session)}\n")
    return "\n".join(parts)


def _operators(session: Session) -> str:
    """The operators of a job as JSON."""
    from datastream.api.environment import graph_of
    from datastream.graph import Plan
    from datastream.graph.explain import to_json

    return to_json(Plan.of(graph_of(session.env, "plan", preview=True)))
