"""Which operator a message of the log comes from: read off the stack, so that it costs nothing until one is logged."""

from __future__ import annotations

from functools import partial
from types import FrameType

from datastream.codegen import note_of
from datastream.graph import Operator, Plan
from datastream.logs.place import Place, RunningOperator

from .chain_code import Step
from .hosts import Host
from .program import Program

_OURS = "datastream.runtime."
#: Variables by which functions of this package hold the operator whose code they call.
_NAMES = ("op", "source", "sink")


def place_of(program: Program, subtask: int | None = None, epoch: int | None = None) -> Place:
    """Where code of a job runs.

    Args:
        program: The job.
        subtask: Index of the subtask; None beside the driver.
        epoch: Number of the epoch; None: none is under way.
    """
    plan = program.plan
    return Place(plan.graph.name, partial(_running, plan), subtask, epoch, program.spec.job_id)


def _running(plan: Plan, frame: FrameType | None) -> RunningOperator | None:
    op = _operator(frame)
    return None if op is None else RunningOperator(op.name, op.state_uid, plan.subtasks.get(op.id, 1))


def _operator(frame: FrameType | None) -> Operator | None:
    while frame is not None:
        note = note_of(frame)
        if isinstance(note, Step):
            return note.operator
        if frame.f_globals.get("__name__", "").startswith(_OURS):
            variables = frame.f_locals
            if isinstance(host := variables.get("self"), Host):
                return host.op
            for name in _NAMES:
                if isinstance(op := variables.get(name), Operator):
                    return op
        frame = frame.f_back
    return None
