"""`TablePipeline`: a query and the table that it is written into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datastream.table.catalogs.names import ObjectIdentifier
from datastream.table.explain_detail import ExplainDetail
from datastream.table.table_result import TableResult

if TYPE_CHECKING:
    from datastream.table.compiled_plan import CompiledPlan
    from datastream.table.execution.target import Target
    from datastream.table.table_environment import TableEnvironment


class TablePipeline:
    """A query and the table that it is written into, ready to run.

    Attributes:
        target: Both.
    """

    def __init__(self, target: Target, t_env: TableEnvironment) -> None:
        self.target, self._t_env = target, t_env

    def __str__(self) -> str:
        sink = self.get_sink_identifier()
        name = self.target.name.name if sink is None else sink.as_serializable_string()
        return f"TablePipeline with sink table '{name}'"

    def execute(self) -> TableResult:
        """Start it as a job."""
        self._t_env._session.taken(self.target)
        return self._t_env._run_inserts([self.target])

    def explain(self, *extra_details: ExplainDetail) -> str:
        """The plan as text."""
        return self._t_env._explain_targets([self.target], extra_details)

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Print the plan."""
        print(self.explain(*extra_details))

    def get_sink_identifier(self) -> ObjectIdentifier | None:
        """The table; None: it has no name."""
        name = self.target.name
        return None if name.name.startswith("*anonymous") else name

    def compile_plan(self) -> CompiledPlan:
        """The plan, to be run later."""
        return self._t_env._compiled([self.target])
