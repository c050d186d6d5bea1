"""Compiled plans in files, and the statements on them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.table.config.table_config import FORCE_RECOMPILE
from datastream.table.execution.compiling import compiled, loaded
from datastream.table.execution.inserts import run_plan
from datastream.table.execution.plan_reference import FilePlanReference, JsonContentPlanReference, PlanReference
from datastream.table.execution.session import Session
from datastream.table.execution.target import Target
from datastream.table.results.table_result import TableResult, ok
from datastream.table.sql.statements import CompilePlan


def read_plan(reference: PlanReference) -> tuple[str, str]:
    """The JSON of a plan, and what names it in errors.

    Raises:
        ValidationError: there is no such file.
        UnsupportedOperation: it is Smile.
    """
    match reference:
        case JsonContentPlanReference(content=text):
            return text, "the plan"
        case FilePlanReference(file=file):
            try:
                return file.read_text(encoding="utf-8"), f"the plan {file}"
            except (OSError, UnicodeError) as error:
                raise ValidationError(f"Cannot load the plan {file}: {error}") from error
        case PlanReference():
            raise UnsupportedOperation("plans are read as JSON alone: use PlanReference.from_file or from_json_string")
    raise ValidationError(f"load_plan needs a PlanReference such as PlanReference.from_file(...), got {cut(reference)}")


def write_plan(session: Session, file: str | Path, text: str, ignore_if_exists: bool) -> None:
    """Write a plan as a whole.

    Raises:
        ValidationError: the file is there, or cannot be written.
    """
    path = Path(file)
    if path.exists() and ignore_if_exists:
        return
    if path.exists() and session.config.get(FORCE_RECOMPILE, "false").lower() != "true":
        raise ValidationError(
            f"Cannot overwrite the plan file '{path}': remove it first, or set '{FORCE_RECOMPILE}' to true while the "
            "job is not in use; a job that has a checkpoint needs the plan that it was started with"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = path.with_name(f".{path.name}.{os.getpid()}")
        whole.write_text(text, encoding="utf-8")
        whole.replace(path)
    except OSError as error:
        raise ValidationError(f"Cannot write the plan file '{path}': {error}") from error


def compile_to_file(session: Session, statement: CompilePlan, targets: Callable[[], Sequence[Target]]) -> TableResult:
    """COMPILE PLAN, and COMPILE AND EXECUTE PLAN, which runs a plan that is there.

    Args:
        session: Where its tables are.
        statement: It.
        targets: Gives what its INSERTs write.
    """
    file = plan_path(statement.file)
    if not file.exists() or not (statement.execute or statement.if_not_exists):
        write_plan(session, file, compiled(session, targets()), False)
    return execute_file(session, file) if statement.execute else ok()


def plan_path(text: str) -> Path:
    """The file of a plan that a statement names: a path, or a URL of a local file.

    Raises:
        ValidationError: It is a URL of something else.
    """
    if not text.lower().startswith("file:") and "://" not in text:
        return Path(text)
    with suppress(ValueError):  # of a host that cannot be read
        url = urlsplit(text)
        if url.scheme == "file" and not url.netloc:
            return Path(unquote(url.path))
    raise ValidationError(f"a plan is a local file: a path or a URL such as 'file:///a/plan.json', got {cut(text)}")


def execute_file(session: Session, file: str | Path) -> TableResult:
    """EXECUTE PLAN."""
    plan = loaded(session, *read_plan(PlanReference.from_file(file)))
    return run_plan(session, plan, [sink.name for sink in plan.sinks])
