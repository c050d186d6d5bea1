"""`StatementSet`: several INSERTs as one job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datastream.errors import ValidationError, cut
from datastream.missing_names import MissingNames
from datastream.table.api.compiled_plan import CompiledPlan, compiled_plan
from datastream.table.api.query import query_of
from datastream.table.api.table_descriptor import TableDescriptor
from datastream.table.api.table_pipeline import TablePipeline, pipeline_into
from datastream.table.execution.explain_detail import ExplainDetail
from datastream.table.execution.session import session_of
from datastream.table.results.table_result import TableResult

if TYPE_CHECKING:
    from datastream.table.api.table import Table
    from datastream.table.api.table_environment import TableEnvironment
    from datastream.table.execution.target import Target


class StatementSet(MissingNames):
    """INSERTs that run as one job; what they share is computed once."""

    def __init__(self, t_env: TableEnvironment) -> None:
        self._t_env, self._session = t_env, session_of(t_env)
        self._targets: list[Target] = []

    def add(self, table_pipeline: TablePipeline) -> StatementSet:
        """Add what `Table.insert_into` returns."""
        if not isinstance(table_pipeline, TablePipeline):
            raise ValidationError(f"add needs what table.insert_into(...) returns, got {cut(table_pipeline)}")
        self._session.taken(table_pipeline.target)
        self._targets.append(table_pipeline.target)
        return self

    def add_insert_sql(self, stmt: str) -> StatementSet:
        """Add an INSERT in SQL."""
        from datastream.table.execution.statements import insert_target, single_statement
        from datastream.table.sql.statements import Insert

        statement = single_statement(stmt)
        if not isinstance(statement, Insert):
            raise ValidationError(f"add_insert_sql takes an INSERT, got {cut(stmt)}")
        self._targets.append(insert_target(self._session, statement))
        return self

    def attach_as_datastream(self) -> None:
        """Add the INSERTs to the job that `StreamExecutionEnvironment.execute` starts."""
        from datastream.table.execution.inserts import planned, sink_plan

        targets, self._targets = self._targets, []
        if targets:
            sink_plan(self._session, planned(self._session, targets))

    def add_insert(
        self, target_path_or_descriptor: str | TableDescriptor, table: Table, overwrite: bool = False
    ) -> StatementSet:
        """Add the writing of a query into a table.

        Args:
            target_path_or_descriptor: The table.
            table: The query.
            overwrite: What is in the table goes away.
        """
        from datastream.table.api.table import Table

        if not isinstance(table, Table) or query_of(table).t_env is not self._t_env:
            raise ValidationError(f"expected a table of this environment, got {cut(table)}")
        return self.add(pipeline_into(query_of(table), target_path_or_descriptor, overwrite))

    def explain(self, *extra_details: ExplainDetail) -> str:
        """The plan as text."""
        from datastream.table.execution.explaining import explained_targets

        return explained_targets(self._session, self._targets, extra_details)

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Print the plan."""
        print(self.explain(*extra_details))

    def execute(self) -> TableResult:
        """Start them as one job; the set is empty then."""
        from datastream.table.execution.inserts import run_inserts

        targets, self._targets = self._targets, []
        return run_inserts(self._session, targets)

    def compile_plan(self) -> CompiledPlan:
        """The plan, to be run later."""
        return compiled_plan(self._t_env, self._targets)
