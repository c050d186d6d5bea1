"""What each epoch reads, and which one is the last: decided beside the driver, the same way by both executors."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from datastream.errors import CheckpointMismatch
from datastream.graph.loops import loops_feeding
from datastream.graph.operators import Source
from datastream.graph.timing import is_feedback
from datastream.io import FeedbackSource
from datastream.io.sources import ends

from .connector_contexts import logger_of
from .enumerators import Enumerators
from .epoch_plan import TaskPlan, plan_epoch
from .epoch_sizing import EpochSizing
from .program import Program

#: An epoch takes the end of the input too where that makes it larger by at most this part of its budget.
_REMAINDER = 4

#: Position of a whole job, as JSON: ``{"sources": {uid: its offset}, "final": all have ended, "ticks": epochs without
#: data that ran because a timer was due, "ended": uids of the sources that have ended, if any, "rounds": epochs since
#: then that read feedback of loops, "epoch": how many epochs end here or before, "restored": whether the state of a
#: savepoint has been taken over, where there is one, "drained": the job was ended by an order, and not by its input}``.
#: Checkpoints of earlier versions have no "epoch".
Offset = dict[str, Any]


class EpochPlanner:
    """Decides the end of each epoch and cuts it into tasks. One a run; what it knows besides offsets is a guess.

    Args:
        program: The job.
        next_timer: When the job's next timer of processing time is due, in ms; None: there is none.
        last_records: How many records the last epoch held; None: not known.
        held: The driver's order: ``stop``, no further epoch begins once there was one; ``drain``, all sources end where
            they are.
    """

    def __init__(
        self,
        program: Program,
        next_timer: Callable[[], int | None],
        last_records: Callable[[], int | None],
        held: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._program = program
        self._enumerators = Enumerators(program)
        self._next_timer, self._last_records = next_timer, last_records
        spec = program.spec
        self._sizing = EpochSizing(spec.epoch_records, spec.epoch_ms, spec.epoch_records_in_time)
        self._began: float | None = None
        self._loops = [op for op in program.plan.sources if is_feedback(op)]
        self._inputs = [op for op in program.plan.sources if not is_feedback(op)]
        self._stays_open = _stays_open(program)
        self._ends_apart = (
            bool(self._loops) or self._stays_open or any(op.sink.consumed.ends_apart for op in program.plan.sinks)
        )
        self._looked = False
        self._feeding = loops_feeding(program.plan.graph)
        self._idle_since: dict[int, float] = {}  # loops that nothing was fed back to when they were looked at last
        self._over: set[int] = set()
        self._pause_until = 0.0
        self._held = held

    def initial(self) -> Offset:
        """Where a new job starts."""
        restore = self._program.spec.restore
        known = {} if restore is None else restore.offsets
        offsets = {}
        for op in self._program.plan.sources:
            uid = op.state_uid
            if uid not in known:
                offsets[uid] = self._enumerators.initial_offset(op)
            else:
                offsets[uid] = known[uid] if is_feedback(op) else self._reopened(op, known[uid])
        start = {"sources": offsets, "final": False, "ticks": 0, "epoch": self._program.spec.first_epoch}
        return start if restore is None else {**start, "restored": False}

    def latest(self, start: Offset) -> Offset:
        """The end of the epoch that begins at an offset; that offset itself while there is nothing to do.

        Called again and again, and not before the epoch that it planned last has been committed.
        """
        first, self._looked = not self._looked, True
        if start["final"]:
            return self._begin_again(start) if first and self._held() is None else start
        if _is_to_be_restored(start):  # an epoch that reads nothing else
            return {**start, "restored": True, "epoch": start["epoch"] + 1}
        now = time.monotonic()
        if self._began is not None:
            spec = self._program.spec
            self._pause_until = max(self._began + spec.interval_ms / 1000, now + spec.min_pause_ms / 1000)
            # A pause is part of what an epoch costs: with larger ones, more records go by in the same time.
            self._sizing.epoch_took((self._pause_until - self._began) * 1000, self._last_records())
            self._began = None
        order = self._held()
        if order == "stop" and start.get("epoch") == self._program.spec.first_epoch:
            return {**start, "ticks": start["ticks"] + 1, "epoch": start["epoch"] + 1}  # a savepoint is of an epoch
        inputs, ended = self._inputs, set(start.get("ended", ()))
        draining = self._ends_apart and len(ended) == len(inputs)
        at_once = order == "drain" or (draining and self._stays_open)
        if order in ("stop", "end") or (now < self._pause_until and not at_once):
            return start
        offsets = dict(start["sources"])
        for op in inputs:
            uid = op.state_uid
            if order == "drain":
                ended.add(uid)
            elif uid not in ended:  # what has ended stays so: all have heard its last watermark
                offsets[uid], finished = self._end(op, offsets[uid])
                if finished:
                    ended.add(uid)
        rounds = start.get("rounds", 0)
        fed_back = self._feed_back(start, offsets, rounds, draining)
        final = len(ended) == len(inputs) and (draining and not fed_back if self._ends_apart else True)
        final = final and not self._loops_wait()
        end = {"sources": offsets, "final": final, "ticks": start.get("ticks", 0)}
        if rounds or (draining and fed_back):
            end["rounds"] = rounds + fed_back
        if ended:
            end["ended"] = sorted(ended)
        if "restored" in start:
            end["restored"] = True
        if order == "drain" or "drained" in start:
            end["drained"] = True
        if "epoch" in start:
            end["epoch"] = start["epoch"]
        if end == start and self._is_due():
            end["ticks"] += 1
        if end != start and "epoch" in end:
            end["epoch"] += 1
        self._began = time.monotonic() if end != start else None
        return end

    @property
    def pause_s(self) -> float:
        """How long the next epoch is still put off, as was set: by the interval, or the pause after an epoch."""
        return max(0.0, self._pause_until - time.monotonic())

    def _begin_again(self, start: Offset) -> Offset:
        """Where another run of a job that has finished begins; the offset itself where there is nothing new.

        Raises:
            CheckpointError: There is something new, and the job runs in batch mode.
        """
        offsets = dict(start["sources"])
        new = []
        for op in self._inputs:
            offsets[op.state_uid] = self._reopened(op, offsets[op.state_uid])
            if op.source.grows and not self._enumerators.finished(op, offsets[op.state_uid]):
                new.append(op)
        if not new:
            return start
        if self._program.plan.graph.batch:
            raise CheckpointMismatch(
                f"the job has finished, and '{new[0].name}' has new input for it: in batch mode a job computes "
                "its results once\n  give it another checkpoint directory to compute them again, of all input, or run "
                "it in streaming mode to continue with the new input"
            )
        ended = sorted(op.state_uid for op in self._inputs if op not in new)
        end = {**start, "sources": offsets, "final": False, "ended": ended}
        for left in ("rounds", "drained"):
            end.pop(left, None)
        if not ended:
            del end["ended"]
        if "epoch" in end:
            end["epoch"] += 1
        return end

    def _reopened(self, op: Source, offset: Any) -> Any:
        return self._enumerators.reopen(op, offset) if op.source.grows else offset

    def _feed_back(self, start: Offset, offsets: dict[str, Any], rounds: int, draining: bool) -> bool:
        """Let an epoch read what the one before it fed back to loops with exchanges; whether there is any.

        Args:
            start: Where the epoch starts.
            offsets: Of all sources; those of loops are changed.
            rounds: How many epochs fed something back since all sources have ended.
            draining: All sources have ended in an earlier epoch.
        """
        fed = set[int]()
        for op in self._loops:
            assert isinstance(op.source, FeedbackSource)
            if draining and self._is_over(op, op.source, offsets[op.state_uid], rounds):
                continue
            end = self._end_of_feedback(op, start)
            if end != offsets[op.state_uid]:
                fed.add(op.id)
            offsets[op.state_uid] = end
        now = time.monotonic()
        for op in self._loops:
            if not draining or self._feeding[op.id] & fed:
                self._idle_since.pop(op.id, None)
            else:
                self._idle_since.setdefault(op.id, now)
        return bool(fed)

    def _loops_wait(self) -> bool:
        """Whether a timer of processing time, all that can feed something back now, is due while an idle loop waits."""
        if not self._idle_since or self._program.plan.graph.batch:
            return False
        due = self._next_timer()
        if due is None:
            return False
        now, due_in_ms = time.monotonic(), due - self._program.spec.clock()
        for op in self._loops:
            assert isinstance(op.source, FeedbackSource)
            if op.source.max_wait_ms is not None and op.id in self._idle_since and op.id not in self._over:
                waited_ms = (now - self._idle_since[op.id]) * 1000
                if due_in_ms <= op.source.max_wait_ms - waited_ms:
                    return True
        return False

    def _end_of_feedback(self, op: Source, start: Offset) -> Any:
        """How far an epoch reads what a loop fed back."""
        offset = start["sources"][op.state_uid]
        epochs = start.get("epoch")
        if epochs is None:
            return self._enumerators.latest_offset(op, offset, self._sizing.budget)
        # The epoch that restored a savepoint fed nothing back; its number is that of the savepoint's last epoch, which
        # may have been one of an earlier version, without a note.
        noted = epochs > self._program.spec.first_epoch + ("restored" in start)
        return self._enumerators.end_of_feedback(op, offset, epochs, noted)

    def _is_over(self, op: Source, loop: FeedbackSource, offset: Any, rounds: int) -> bool:
        """Whether a loop has made its rounds after the end of its input; what is still in it is dropped."""
        over = loop.max_iterations is not None and rounds >= loop.max_iterations
        if over and op.id not in self._over:
            self._over.add(op.id)
            left = self._enumerators.waiting(op, offset)
            if left:
                logger_of(op).warning(
                    "the loop '%s' reached its limit of %s rounds after the end of its input: the job ends, and %s "
                    "records that were still in the loop are dropped",
                    loop.loop.removesuffix("-feedback"),
                    f"{loop.max_iterations:,}",
                    f"{left:,}",
                )
        return over

    def _end(self, op: Source, start: Any) -> tuple[Any, bool]:
        """How far an epoch reads a source, and whether that ends it. A small rest joins the epoch before it."""
        enumerators, budget = self._enumerators, self._sizing.budget
        end = enumerators.latest_offset(op, start, budget)
        if enumerators.finished(op, end):
            return end, True
        larger = min(budget + budget // _REMAINDER, self._sizing.most)
        if end != start and larger > budget and enumerators.repeatable(op):
            further = enumerators.latest_offset(op, start, larger)
            if enumerators.finished(op, further):
                return further, True
        return end, False

    def tasks(self, start: Offset, end: Offset) -> list[TaskPlan]:
        """What the tasks of an epoch read; the same for the same offsets, whenever it is called."""
        sources = start["sources"], end["sources"]
        final, again = end["final"], start["final"]
        ended = frozenset(end.get("ended", ()))
        open_end = self._stays_open and "drained" not in end
        growing = frozenset(op.state_uid for op in self._inputs if op.source.grows)
        resting = growing & ended if open_end else frozenset()
        return plan_epoch(
            self._enumerators,
            *sources,
            final,
            ended - resting,
            _is_to_be_restored(start),
            resting=() if final else resting,
            kept=final and open_end,
            again=again,
        )

    def backlog(self, offset: Offset) -> dict[str, Mapping[str, int]]:
        """How many records wait after an offset, by source's uid and its part; of sources that know."""
        found = {}
        for op in self._program.plan.sources:
            waiting = self._enumerators.backlog(op, offset["sources"][op.state_uid])
            if waiting is not None:
                found[op.state_uid] = waiting
        return found

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
        return due is not None and due <= self._program.spec.clock()


def _stays_open(program: Program) -> bool:
    """Whether the job's state and event time stay as they are when its input ends, as a later start may find more.

    A loop with an exchange turns after the end of time, too, so that this cannot be taken back.
    """
    inputs = [op.source for op in program.plan.sources]
    return (
        program.spec.lasting
        and not program.plan.graph.batch
        and all(ends(source) for source in inputs)
        and any(source.grows for source in inputs)
        and not any(isinstance(source, FeedbackSource) for source in inputs)
    )


def _is_to_be_restored(start: Offset) -> bool:
    """Whether the epoch that begins at an offset takes over the state of a savepoint."""
    return start.get("restored") is False
