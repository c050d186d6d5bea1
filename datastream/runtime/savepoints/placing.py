"""From blocks of restored state to the store of a subtask."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from datastream.graph.operators import Operator, TableJoin
from datastream.graph.state_forms import StateForm, Stored, by_label
from datastream.runtime.appended import FIRST_BUCKET, AppendedState, Frame, Log
from datastream.runtime.blocks import Block, restored_operator
from datastream.runtime.key_groups import groups_of, stable_hash
from datastream.runtime.keyed_state.spilled_list import SpilledList
from datastream.runtime.keyed_state.spilled_map import SpilledMap
from datastream.runtime.keyed_state.timed_pages import TimedPages
from datastream.runtime.pages import PagedState, Store
from datastream.runtime.program import Program
from datastream.types.pickles import loads

from .evolution import evolve_broadcast, evolve_keyed
from .reading import Portion

#: Keys that are gathered before their pages are written.
_KEYS = 50_000


class AsTheyAre:
    """Contents that are put into pages, and nothing else."""

    expires = False

    def tidy(self, page: dict[Any, dict[Any, Any]]) -> None:
        """Nothing expires."""

    def lighten(self, page: dict[Any, dict[Any, Any]], group: int) -> bool:
        """What is in the page stays there until a function runs."""
        return False


class Restoring:
    """Puts the state of the operators of one level into a subtask's store, before any of them runs.

    Args:
        program: The job.
        level: Index of the level.
        subtask: Index of the subtask.
        store: The entries of state.
    """

    def __init__(self, program: Program, level: int, subtask: int, store: Store | None) -> None:
        self._program, self._plan = program, program.plan
        self._level, self._subtask = level, subtask
        self._store = store
        self._waiting: defaultdict[tuple[int, StateForm], list[tuple[Any, Any]]] = defaultdict(list)
        self._operators: dict[int, Operator] = {}

    def concerns(self, block: Block) -> bool:
        """Whether a block of restored state is for this level."""
        return self._plan.level_of[restored_operator(block.channel)] == self._level

    def take(self, block: Block) -> None:
        """Store what is in a block."""
        op = self._plan.operators[restored_operator(block.channel)]
        self._operators[op.id] = op
        portion = Portion(*loads(block.data))
        assert self._store is not None, "the level keeps no state"
        if portion.entries:
            self._store.put(portion.entries)
        if portion.keys:
            form = by_label(op.state_forms)[portion.form]
            waiting = self._waiting[op.id, form]
            waiting += portion.keys
            if len(waiting) >= _KEYS:
                self._write(op, form)

    def finish(self) -> None:
        """All has been stored: make it fit what the job's functions declare.

        Raises:
            WorkerFailure: Something that is stored does not fit.
        """
        for op in self._operators.values():
            assert self._store is not None
            groups = groups_of(self._subtask, self._plan.subtasks[op.id], self._plan.key_groups[op.id])
            for form in op.state_forms:
                self._write(op, form)
                if form.stored is Stored.BROADCAST:
                    prefix = PagedState(self._store, form.under(op.state_uid), 1).prefix
                    evolve_broadcast(self._program, op, prefix, self._store)
                elif not form.logs:
                    evolve_keyed(self._program, op, form, self._pages(op, form), groups, self._store)
        self._operators.clear()

    def _write(self, op: Operator, form: StateForm) -> None:
        """Store keys that have been gathered."""
        waiting = self._waiting.pop((op.id, form), [])
        if not waiting:
            return
        if form.logs:
            self._write_logs(op, form, waiting)
            return
        pages = self._pages(op, form)
        pages.load([key for key, _ in waiting])
        for key, kept in waiting:
            pages.values[key] = kept
            if isinstance(pages, TimedPages):
                for stored in kept.values():
                    if type(stored) in (SpilledList, SpilledMap):
                        pages.take_over(stored.group, stored.id)
        pages.flush()

    def _write_logs(self, op: Operator, form: StateForm, waiting: list[tuple[Any, Any]]) -> None:
        assert self._store is not None
        by_window = form.stored is Stored.LOGS_BY_WINDOW  # buckets of other logs are as many as a key group needs
        traced = isinstance(op, TableJoin) and op.plain_keys
        logs = AppendedState(self._store, form.under(op.state_uid), traced=traced)
        frames: defaultdict[Log, Frame] = defaultdict(lambda: ([], []))
        for key, (bucket, value) in waiting:
            group = stable_hash(key) % self._plan.key_groups[op.id]
            keys, values = frames[group, bucket if by_window else FIRST_BUCKET]
            keys.append(key)
            values.append(value)
        for log, frame in frames.items():
            logs.add(log, frame)
        logs.flush()

    def _pages(self, op: Operator, form: StateForm) -> PagedState:
        """The pages of an operator's state."""
        assert self._store is not None
        key_groups, uid = self._plan.key_groups[op.id], form.under(op.state_uid)
        if form.stored is Stored.VALUES:
            return PagedState(self._store, uid, key_groups)
        groups = groups_of(self._subtask, self._plan.subtasks[op.id], key_groups)
        return TimedPages(self._store, uid, key_groups, groups, AsTheyAre())
