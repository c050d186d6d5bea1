"""Compiled plans: INSERTs as JSON, which this version and later ones run with the same operators and state."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import datastream
from datastream.errors import ValidationError
from datastream.table.config.table_config import LOCAL_TIME_ZONE
from datastream.table.execution.insert_plan import InsertPlan
from datastream.table.execution.inserts import planned, sink_plan
from datastream.table.execution.jobs import own_job
from datastream.table.execution.json_form import Damaged, PlanReader, PlanWriter, text_of
from datastream.table.execution.plan_functions import PlanFunctions
from datastream.table.execution.plan_tables import check_tables, kept, restored
from datastream.table.execution.session import Session
from datastream.table.execution.target import Target

#: Goes up when plans of this version cannot be read by earlier ones.
FORMAT = 1


def compiled(session: Session, targets: Sequence[Target]) -> str:
    """The plan of INSERTs as JSON.

    Raises:
        ValidationError: an INSERT is wrong, or there is none.
        UnsupportedOperation: it reads or calls what has no name: a stream, or a function that is not registered.
    """
    if not targets:
        raise ValidationError("there is nothing to compile: add an INSERT first")
    plan = planned(session, targets)
    with session.builder.undone(), own_job(session):
        uids = sink_plan(session, plan).uids
    tables = tuple(kept(session, each) for each in plan.tables)
    functions = PlanFunctions(session.functions)
    writer = PlanWriter(functions.stored)
    content = writer.write(replace(plan, tables=tables, settings=_settings(session), uids=uids), InsertPlan)
    head = {"format": FORMAT, "version": datastream.__version__, "mode": _mode(session)}
    return text_of({**head, "functions": functions.signatures, "nodes": writer.nodes, **content})


def loaded(session: Session, text: str, where: str) -> InsertPlan:
    """The plan of a JSON.

    Args:
        session: Where its functions and tables are.
        text: The JSON.
        where: Names it in errors.

    Raises:
        ValidationError: it is damaged, of a later version or of the other mode, or names what is not there.
    """
    content = read_head(text, where)
    version, mode = content.pop("version"), content.pop("mode", None)
    del content["format"]
    if mode != _mode(session):
        raise ValidationError(
            f"{where} was compiled in {mode} mode, and this is {_mode(session)} mode: SET 'execution.runtime-mode'"
        )
    functions = PlanFunctions(session.functions, content.pop("functions", {}))
    try:
        reader = PlanReader(content.pop("nodes", None), functions.planned)
        plan: InsertPlan = reader.read(content, InsertPlan, "the plan")
        plan = replace(plan, tables=tuple(restored(session, each, where) for each in plan.tables))
        check_tables(plan, where)
    except Damaged as error:
        raise ValidationError(
            f"{where}, compiled by datastream {version}, is damaged: {error}; restore it, or compile the INSERT again"
        ) from error
    return plan


def read_head(text: str, where: str) -> dict[str, Any]:
    """The content of a plan, whose format this version can read.

    Raises:
        ValidationError: it is none, or of a later version.
    """
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ValidationError(f"{where} is damaged, or not a plan: it is not JSON: {error}") from error
    number = content.get("format") if isinstance(content, dict) else None
    if not isinstance(number, int) or not isinstance(content.get("version"), str):
        raise ValidationError(f"{where} is not a compiled plan: it has no format and version; COMPILE PLAN makes one")
    if number > FORMAT:
        raise ValidationError(
            f"{where} has the format {number}, and datastream {datastream.__version__} reads plans up to {FORMAT}: "
            f"run it with datastream {content['version']} or a later one"
        )
    made: dict[str, Any] = content
    return made


def _mode(session: Session) -> str:
    return "streaming" if session.streaming else "batch"


def _settings(session: Session) -> dict[str, str]:
    """The settings that change what operators do and keep."""
    own = {key: value for key, value in session.config.to_map().items() if key.startswith("table.exec.")}
    return {**own, LOCAL_TIME_ZONE: session.config.get_local_timezone()}
