"""`TablePipeline`: a query and the table that it is written into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datastream.table.api.compiled_plan import CompiledPlan, compiled_plan
from datastream.table.api.query import Query
from datastream.table.api.table_descriptor import TableDescriptor
from datastream.table.catalogs.names import ObjectIdentifier
from datastream.table.execution.explain_detail import ExplainDetail
from datastream.table.execution.session import session_of, unresolved_schema
from datastream.table.results.table_result import TableResult

if TYPE_CHECKING:
    from datastream.table.api.table_environment import TableEnvironment
    from datastream.table.execution.target import Target


class TablePipeline:
    """A query and the table that it is written into, ready to run.

    Attributes:
        target: Both.
    """

    def __init__(self, target: Target, t_env: TableEnvironment) -> None:
        self.target, self._t_env, self._session = target, t_env, session_of(t_env)

    def __str__(self) -> str:
        sink = self.get_sink_identifier()
        name = self.target.name.name if sink is None else sink.as_serializable_string()
        return f"TablePipeline with sink table '{name}'"

    def execute(self) -> TableResult:
        """Start it as a job."""
        from datastream.table.execution.inserts import run_inserts

        self._session.taken(self.target)
        return run_inserts(self._session, [self.target])

    def explain(self, *extra_details: ExplainDetail) -> str:
        """The plan as text."""
        from datastream.table.execution.explaining import explained_targets

        return explained_targets(self._session, [self.target], extra_details)

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Print the plan."""
        print(self.explain(*extra_details))

    def get_sink_identifier(self) -> ObjectIdentifier | None:
        """The table; None: it has no name."""
        name = self.target.name
        return None if name.name.startswith("*anonymous") else name

    def compile_plan(self) -> CompiledPlan:
        """The plan, to be run later."""
        return compiled_plan(self._t_env, [self.target])


def pipeline_into(query: Query, target: str | TableDescriptor, overwrite: bool) -> TablePipeline:
    """A pipeline that writes a query.

    Args:
        query: The query.
        target: The table.
        overwrite: What is in it goes away.
    """
    from datastream.table.execution.target import Target

    catalogs = query.session.catalogs
    if isinstance(target, TableDescriptor):
        name = catalogs.anonymous(target.options.get("connector"))
        stored = target.as_catalog_table(unresolved_schema(query.relation))
        catalogs.create_temporary(name, stored, False)
    else:
        name = query.session.qualify(target)
        stored = catalogs.get(name)
    return TablePipeline(Target(name, stored, query.relation, overwrite=bool(overwrite)), query.t_env)
