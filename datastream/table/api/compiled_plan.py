"""`CompiledPlan`: INSERTs as a plan that is kept and run later."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from datastream.errors import UnsupportedOperation
from datastream.table.execution.explain_detail import ExplainDetail
from datastream.table.execution.session import session_of
from datastream.table.results.table_result import TableResult

if TYPE_CHECKING:
    from datastream.table.api.table_environment import TableEnvironment
    from datastream.table.execution.target import Target


class CompiledPlan:
    """INSERTs as a plan: operators with their uids, expressions, types and tables, as JSON.

    Later versions run it with the same operators and the same state. `TableEnvironment.compile_plan_sql` makes one, and
    `TableEnvironment.load_plan` reads it again. Functions of users are not in it, nor are temporary tables: they must
    be there when it is loaded.
    """

    def __init__(self, j_compiled_plan: Any, t_env: TableEnvironment) -> None:
        self._text, self._session = j_compiled_plan, session_of(t_env)

    def __str__(self) -> str:
        return self.explain()

    def as_json_string(self) -> str:
        """The plan as JSON."""
        text: str = self._text
        return text

    def as_smile_bytes(self) -> bytes:
        """The plan as Smile, a form of JSON in Java; not supported."""
        raise UnsupportedOperation("as_smile_bytes: plans are written as JSON alone; use as_json_string")

    def write_to_file(self, file: str | Path, ignore_if_exists: bool = False) -> None:
        """Write the plan as JSON.

        Args:
            file: The file.
            ignore_if_exists: If the file is there, leave it as it is. Default: that is an error, unless
                ``table.plan.force-recompile`` is set.

        Raises:
            ValidationError: the file is there, or cannot be written.
        """
        from datastream.table.execution.plan_files import write_plan

        write_plan(self._session, file, self._text, ignore_if_exists)

    def get_flink_version(self) -> str:
        """The version of datastream that made it."""
        from datastream.table.execution.compiling import read_head

        return str(read_head(self._text, "the plan")["version"])

    def print_json_string(self) -> None:
        """Print the plan as JSON."""
        print(self._text)

    def execute(self) -> TableResult:
        """Start it as a job."""
        from datastream.table.execution.compiling import loaded
        from datastream.table.execution.inserts import run_plan

        plan = loaded(self._session, self._text, "the plan")
        return run_plan(self._session, plan, [sink.name for sink in plan.sinks])

    def explain(self, *extra_details: ExplainDetail) -> str:
        """The plan as text."""
        from datastream.table.execution.compiling import loaded
        from datastream.table.execution.explaining import explained_plan

        return explained_plan(self._session, loaded(self._session, self._text, "the plan"), extra_details)

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Print the plan as text."""
        print(self.explain(*extra_details))


def compiled_plan(t_env: TableEnvironment, targets: Sequence[Target]) -> CompiledPlan:
    """The plan of INSERTs."""
    from datastream.table.execution.compiling import compiled

    return CompiledPlan(compiled(session_of(t_env), targets), t_env)
