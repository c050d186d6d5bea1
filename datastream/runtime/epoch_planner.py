"""What each epoch reads, and which one is the last: decided beside the driver, the same way by both executors."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from datastream.graph.operators import Source

from .enumerators import Enumerators
from .epoch_plan import TaskPlan, plan_epoch
from .epoch_sizing import EpochSizing
from .hosts.host import system_clock
from .program import Program

#: An epoch takes the end of the input too where that makes it larger by at most this part of its budget.
_REMAINDER = 4

#: Position of a whole job, as JSON: ``{"sources": {uid: its offset}, "final": all have ended, "ticks": epochs without
#: data that ran because a timer was due, "ended": uids of the sources that have ended, if any}``.
Offset = dict[str, Any]


class EpochPlanner:
    """Decides the end of each epoch and cuts it into tasks. One a run; what it knows besides offsets is a guess.

    Args:
        program: The job.
        next_timer: When the job's next timer of processing time is due, in ms; None: there is none.
        last_records: How many records the last epoch held; None: not known.
    """

    def __init__(
        self, program: Program, next_timer: Callable[[], int | None], last_records: Callable[[], int | None]
    ) -> None:
        self._program = program
        self._enumerators = Enumerators(program)
        self._next_timer, self._last_records = next_timer, last_records
        self._sizing = EpochSizing(program.spec.epoch_records, program.spec.epoch_ms)
        self._began: float | None = None

    def initial(self) -> Offset:
        """Where a new job starts."""
        offsets = {op.state_uid: self._enumerators.initial_offset(op) for op in self._program.plan.sources}
        return {"sources": offsets, "final": False, "ticks": 0}

    def latest(self, start: Offset) -> Offset:
        """The end of the epoch that begins at an offset; that offset itself while there is nothing to do.

        Called again and again, and not before the epoch that it planned last has been committed.
        """
        if start["final"]:
            return start
        if self._began is not None:
            self._sizing.epoch_took((time.monotonic() - self._began) * 1000, self._last_records())
        ended = set(start.get("ended", ()))
        offsets = dict(start["sources"])
        for op in self._program.plan.sources:
            uid = op.state_uid
            if uid not in ended:  # what has ended stays so: all have heard its last watermark
                offsets[uid], finished = self._end(op, offsets[uid])
                if finished:
                    ended.add(uid)
        final = len(ended) == len(self._program.plan.sources)
        end = {"sources": offsets, "final": final, "ticks": start.get("ticks", 0)}
        if ended:
            end["ended"] = sorted(ended)
        if end == start and self._is_due():
            end["ticks"] += 1
        self._began = time.monotonic() if end != start else None
        return end

    def _end(self, op: Source, start: Any) -> tuple[Any, bool]:
        """How far an epoch reads a source, and whether that ends it. A small rest joins the epoch before it."""
        enumerators, budget = self._enumerators, self._sizing.budget
        end = enumerators.latest_offset(op, start, budget)
        if enumerators.finished(op, end):
            return end, True
        larger = min(budget + budget // _REMAINDER, self._program.spec.epoch_records)
        if end != start and larger > budget and enumerators.repeatable(op):
            further = enumerators.latest_offset(op, start, larger)
            if enumerators.finished(op, further):
                return further, True
        return end, False

    def tasks(self, start: Offset, end: Offset) -> list[TaskPlan]:
        """What the tasks of an epoch read; the same for the same offsets, whenever it is called."""
        return plan_epoch(self._enumerators, start["sources"], end["sources"], end["final"], end.get("ended", ()))

    def commit(self, end: Offset) -> None:
        """All epochs up to an offset are committed for good."""
        for op in self._program.plan.sources:
            self._enumerators.commit(op, end["sources"][op.state_uid])

    def close(self) -> None:
        """The job is over."""
        self._enumerators.close()

    def _is_due(self) -> bool:
        """Whether a timer of processing time is due."""
        if not self._program.plan.timing.awake or self._program.plan.graph.batch:
            return False
        due = self._next_timer()
        return due is not None and due <= system_clock()
