"""`CompiledPlan`: plans that are kept, which is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from datastream.table.explain_detail import ExplainDetail
from datastream.table.table_pipeline import no_compiled_plans
from datastream.table.table_result import TableResult


class CompiledPlan:
    """A plan that is kept."""

    def __init__(self, j_compiled_plan: Any, t_env: Any) -> None:
        raise no_compiled_plans("CompiledPlan")

    def as_json_string(self) -> str:
        """The plan as JSON."""
        raise no_compiled_plans("CompiledPlan")

    def as_smile_bytes(self) -> bytes:
        """The plan as Smile."""
        raise no_compiled_plans("CompiledPlan")

    def write_to_file(self, file: str | Path, ignore_if_exists: bool = False) -> None:
        """Write the plan as JSON."""
        raise no_compiled_plans("CompiledPlan")

    def get_flink_version(self) -> str:
        """The version that made it."""
        raise no_compiled_plans("CompiledPlan")

    def print_json_string(self) -> None:
        """Print the plan as JSON."""
        raise no_compiled_plans("CompiledPlan")

    def execute(self) -> TableResult:
        """Run it."""
        raise no_compiled_plans("CompiledPlan")

    def explain(self, *extra_details: ExplainDetail) -> str:
        """The plan as text."""
        raise no_compiled_plans("CompiledPlan")

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Print the plan."""
        raise no_compiled_plans("CompiledPlan")
