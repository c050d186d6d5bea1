"""`StatementSet`: several INSERTs as one job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datastream.errors import ValidationError, cut
from datastream.missing_names import MissingNames
from datastream.table.explain_detail import ExplainDetail
from datastream.table.table_descriptor import TableDescriptor
from datastream.table.table_pipeline import TablePipeline
from datastream.table.table_result import TableResult

if TYPE_CHECKING:
    from datastream.table.compiled_plan import CompiledPlan
    from datastream.table.execution.target import Target
    from datastream.table.table import Table
    from datastream.table.table_environment import TableEnvironment


class StatementSet(MissingNames):
    """INSERTs that run as one job; what they share is computed once."""

    def __init__(self, t_env: TableEnvironment) -> None:
        self._t_env = t_env
        self._targets: list[Target] = []

    def add(self, table_pipeline: TablePipeline) -> StatementSet:
        """Add what `Table.insert_into` gives."""
        if not isinstance(table_pipeline, TablePipeline):
            raise ValidationError(f"add needs what table.insert_into(...) gives, got {cut(table_pipeline)}")
        self._t_env._session.taken(table_pipeline.target)
        self._targets.append(table_pipeline.target)
        return self

    def add_insert_sql(self, stmt: str) -> StatementSet:
        """Add an INSERT in SQL."""
        self._targets.append(self._t_env._insert_target(stmt))
        return self

    def attach_as_datastream(self) -> None:
        """Add the INSERTs to the job that `StreamExecutionEnvironment.execute` starts."""
        targets, self._targets = self._targets, []
        if targets:
            self._t_env._attach(targets)

    def add_insert(
        self, target_path_or_descriptor: str | TableDescriptor, table: Table, overwrite: bool = False
    ) -> StatementSet:
        """Add the writing of a query into a table.

        Args:
            target_path_or_descriptor: The table.
            table: The query.
            overwrite: What is in the table goes away.
        """
        return self.add(self._t_env._pipeline(target_path_or_descriptor, table, overwrite))

    def explain(self, *extra_details: ExplainDetail) -> str:
        """The plan as text."""
        return self._t_env._explain_targets(self._targets, extra_details)

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Print the plan."""
        print(self.explain(*extra_details))

    def execute(self) -> TableResult:
        """Start them as one job; the set is empty then."""
        targets, self._targets = self._targets, []
        return self._t_env._run_inserts(targets)

    def compile_plan(self) -> CompiledPlan:
        """The plan, to be run later."""
        return self._t_env._compiled(self._targets)
