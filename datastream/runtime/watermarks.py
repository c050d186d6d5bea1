"""Event time of the operators of one level in one subtask, remembered from epoch to epoch.

At level 0 nothing is remembered: a source's watermark restarts with each epoch and is reported under its own name, and
whoever gets it keeps the highest. From level 1 on an operator with inputs of other subtasks, or with several inputs,
makes one watermark of theirs and reports that.
"""

from __future__ import annotations

from collections.abc import Set

from datastream.graph import Edge
from datastream.graph.operators import Operator, Sink, Source, Timestamps
from datastream.time import MAX_WATERMARK, MIN_WATERMARK, CombinedWatermark, WatermarkValve

from .health.observation import Awaited
from .pages import Store
from .program import Program
from .state_format import decode, encode
from .state_format.layout import WATERMARKS_KEY
from .state_format.records import WATERMARKS
from .timed_blocks import Status, WatermarkReport
from .watermark_inputs import Input, Inputs, from_record, to_record


class Watermarks:
    """Takes watermarks in and knows what time it is for each operator.

    Args:
        program: The job.
        level: Index of the level.
        subtask: Index of the subtask.
        store: Where they are remembered; None at level 0.
        now: The machine's time in ms.
    """

    def __init__(self, program: Program, level: int, subtask: int, store: Store | None, now: int) -> None:
        self._plan = plan = program.plan
        self._store = store
        self._now = now
        self._timing = plan.timing
        self._edges: dict[int, tuple[Operator, int, list[int]]] = {}
        self._known: dict[int, Inputs] = {}
        self._stored: bytes | None = None
        self._made: dict[str, int] = {}
        operators = self._operators(level)
        if level and store is not None and self._timing.watermarked:
            self._stored = store.get([WATERMARKS_KEY])[0]
        remembered: dict[str, Inputs] = {}
        if self._stored is not None:
            records, self._made = decode(WATERMARKS, self._stored)
            ids = {op.state_uid: op.id for op in plan.operators.values()}
            remembered = {uid: from_record(record, ids) for uid, record in records.items()}
        made = self._made.copy()
        for op in operators:
            edges = self._inputs(op, level)
            if not edges:
                continue
            for i, edge in enumerate(edges):
                lanes = () if self._is_inside(edge) else self._timing.laned
                origins = [id for id in self._timing.origins[edge.source] if id not in lanes]
                self._edges[edge.id] = op, i, origins
            self._known[op.id] = self._again(remembered.get(op.state_uid), self._new(edges))
        self._before = {id: known.combined.watermark for id, known in self._known.items()}
        self._before.update((op.id, made[op.state_uid]) for op in operators if op.state_uid in made)

    def _operators(self, level: int) -> list[Operator]:
        """Those of the level whose time may be asked for."""
        return [op for op in self._plan.levels[level].operators if not isinstance(op, Sink)]

    def _inputs(self, op: Operator, level: int) -> list[Edge]:
        """The edges of whose watermarks an operator makes one; none where they just go through."""
        if level and op.id not in self._timing.combines:
            return []
        return [edge for edge in self._plan.inputs[op.id] if edge.id in self._timing.watermarked]

    def _is_inside(self, edge: Edge) -> bool:
        """Whether an edge has one sender only, the subtask itself."""
        return edge.id in self._plan.local

    def begin_again(self) -> None:
        """Where event time has come to its end it begins again, with what is reported from now on."""
        for id, known in self._known.items():
            if known.combined.watermark == MAX_WATERMARK:
                self._known[id] = self._new([e for e in self._plan.inputs[id] if e.id in self._edges])
        self._made = {uid: at for uid, at in self._made.items() if at < MAX_WATERMARK}
        self._before = {id: at for id, at in self._before.items() if at < MAX_WATERMARK}

    def _new(self, edges: list[Edge]) -> Inputs:
        combined = CombinedWatermark()
        inputs = []
        for i, edge in enumerate(edges):
            _, _, origins = self._edges[edge.id]
            channels = len(origins) * (1 if self._is_inside(edge) else self._plan.subtasks[edge.source])
            valve = WatermarkValve(channels)
            given = combined.add(i)
            inputs.append(Input(valve, given=given))
        return Inputs(inputs, combined)

    @staticmethod
    def _again(old: Inputs | None, new: Inputs) -> Inputs:
        """What is remembered, if it is of as many inputs and senders; else no more than that time never goes back."""
        if old is None:
            return new
        if [_subtasks(one) for one in old.inputs] == [_subtasks(one) for one in new.inputs]:
            return old
        new.combined.watermark = old.combined.watermark
        return new

    def of(self, op: Operator) -> int:
        """Event time of an operator, in ms."""
        known = self._known.get(op.id)
        return MIN_WATERMARK if known is None else known.combined.watermark

    def before(self, op: Operator) -> int:
        """Event time of an operator at the end of the last epoch, in ms: that of what makes watermarks, its own."""
        if op.id in self._before or isinstance(op, (Source, Timestamps)):
            return self._before.get(op.id, MIN_WATERMARK)
        inputs = self._plan.inputs[op.id]
        inside = len(inputs) == 1 and inputs[0].id in self._plan.local
        return self.before(self._plan.operators[inputs[0].source]) if inside else MIN_WATERMARK

    def note_generated(self, op: Operator, watermark: int) -> None:
        """Remember a watermark that an operator made itself."""
        if watermark > self._made.get(op.state_uid, MIN_WATERMARK):
            self._made[op.state_uid] = watermark

    def idle(self, op: Operator) -> bool:
        """Whether none of an operator's inputs counts for what time it is."""
        known = self._known.get(op.id)
        return known is not None and known.combined.idle

    def awaited(self, op: Operator) -> tuple[Awaited, ...]:
        """Who holds an operator's event time where it is."""
        found: list[Awaited] = []
        known = self._known.get(op.id)
        for of, side, origins in self._edges.values() if known is not None else ():
            one = self._known[of.id].inputs[side]
            if of.id != op.id or one.given.idle or one.given.watermark > self.of(op):
                continue
            lanes = {channel: (origin, lane) for (origin, lane), channel in one.lanes.items()}
            for channel, said in enumerate(one.valve.channels):
                if said.aligned and said.watermark <= one.valve.watermark:
                    if channel in lanes:
                        found.append(Awaited(lanes[channel][0], f"partition {lanes[channel][1]}"))
                    else:
                        sender, of_sender = divmod(channel, len(origins))
                        found.append(Awaited(origins[of_sender], f"subtask {sender}"))
        return tuple(found)

    def tracks(self, edge: Edge) -> bool:
        """Whether the edge's target makes one watermark of its inputs'; else those that come just go through."""
        return edge.id in self._edges

    def receive(self, edge: Edge, sender: int, origin: int, watermark: int, lane: str | None = None) -> bool:
        """Take a watermark that came over an edge.

        Args:
            edge: The edge.
            sender: The subtask that sent it; 0 for an edge inside a subtask.
            origin: The operator whose it is.
            watermark: In ms.
            lane: The source's lane whose it is.

        Returns:
            Whether event time of the edge's target advanced.
        """
        op, side, valve, channel = self._channel(edge, sender, origin, lane)
        return valve.advance(channel, watermark) and self._combine(op, side)

    def activate(self, edge: Edge, sender: int, reports: list[WatermarkReport]) -> None:
        """Before the records of an epoch: those who send some hold back the watermark."""
        for origin, _, status, lane in reports:
            if status in (Status.ACTIVE, Status.IDLE_NOW):
                op, side, valve, channel = self._channel(edge, sender, origin, lane)
                if valve.channels[channel].idle:
                    valve.mark_active(channel, hold=not self._may_be_idle(origin))
                    self._combine(op, side)
                self._known[op.id].inputs[side].quiet_since.pop(channel, None)
            if status in (Status.ACTIVE, Status.QUIET, Status.IDLE_NOW):
                op, side, _, channel = self._channel(edge, sender, origin, lane)
                self._known[op.id].inputs[side].known.add(channel)

    def receive_reports(self, edge: Edge, sender: int, reports: list[WatermarkReport]) -> bool:
        """Take the reports of a subtask at the end of an epoch; whether event time of the edge's target advanced."""
        advanced = False
        for origin, watermark, status, lane in reports:
            op, side, valve, channel = self._channel(edge, sender, origin, lane)
            raised = watermark > MIN_WATERMARK and valve.advance(channel, watermark)
            if self._is_idle(op, side, channel, origin, status):
                valve.mark_idle(channel)
                raised = True  # the others may go on without it
            if raised:
                advanced = self._combine(op, side) or advanced
        return advanced

    def retire_lanes(self, edge: Edge, reports: list[WatermarkReport]) -> bool:
        """Wait no longer for lanes that have gone: the epoch reports all that there are.

        Args:
            edge: The edge.
            reports: Of all that send over it.

        Returns:
            Whether event time of the edge's target advanced.
        """
        there = {(origin, lane) for origin, _, _, lane in reports if lane is not None}
        origins = {origin for origin, _ in there}
        op, side, _ = self._edges[edge.id]
        one = self._known[op.id].inputs[side]
        gone = [key for key in one.lanes if key[0] in origins and key not in there]
        for key in gone:
            one.valve.mark_idle(one.lanes[key])
            one.quiet_since.pop(one.lanes[key], None)
        return bool(gone) and self._combine(op, side)

    def rest(self, op: Operator, ended: Set[int]) -> bool:
        """Wait no longer, until they send again, for those who have their records from sources that have ended.

        Args:
            op: Whose inputs.
            ended: Ids of the sources.

        Returns:
            Whether event time of the operator advanced.
        """
        advanced = False
        for of, side, origins in self._edges.values():
            if of.id != op.id:
                continue
            one = self._known[op.id].inputs[side]
            lanes = {channel: origin for (origin, _), channel in one.lanes.items()}
            for channel, said in enumerate(one.valve.channels):
                origin = lanes[channel] if channel in lanes else origins[channel % len(origins)]
                if said.watermark < MAX_WATERMARK and self._timing.sources.get(origin, ended) <= ended:
                    one.valve.mark_idle(channel)
                    one.quiet_since.pop(channel, None)
            advanced = self._combine(op, side) or advanced
        return advanced

    def note_status(self, edge: Edge, origin: int, idle: bool) -> bool:
        """Take the status of an operator of the same subtask; whether event time of the edge's target advanced."""
        op, side, valve, channel = self._channel(edge, 0, origin)
        self._known[op.id].inputs[side].quiet_since.pop(channel, None)
        if idle:
            valve.mark_idle(channel)
        else:
            valve.mark_active(channel, hold=not self._may_be_idle(origin))
        return self._combine(op, side)

    def save(self) -> int | None:
        """Remember everything for the next epoch.

        Returns:
            When the next silent subtask counts as idle, in ms, or None.
        """
        if self._store is None or not self._known:
            return None
        uids = {op.id: op.state_uid for op in self._plan.operators.values()}
        data = encode(WATERMARKS, ({uids[id]: to_record(known, uids) for id, known in self._known.items()}, self._made))
        if data != self._stored:
            self._store.put([(WATERMARKS_KEY, data)])
        return min(self._deadlines(), default=None)

    def _deadlines(self) -> list[int]:
        found = []
        for op, side, origins in self._edges.values():
            one = self._known[op.id].inputs[side]
            lanes = {channel: origin for (origin, _), channel in one.lanes.items()} if one.quiet_since else {}
            for channel, since in one.quiet_since.items():
                origin = lanes[channel] if channel in lanes else origins[channel % len(origins)]
                timeout = self._idle_timeout(origin)
                if not one.valve.channels[channel].idle and timeout is not None:
                    found.append(since + timeout + 1)
        return found

    def _is_idle(self, op: Operator, side: int, channel: int, origin: int, status: int) -> bool:
        if status == Status.ACTIVE:
            return False
        known = self._known[op.id].inputs[side].known
        if status in (Status.IDLE, Status.IDLE_NOW) or (status == Status.ABSENT and channel not in known):
            return True
        timeout = self._idle_timeout(origin)
        if timeout is None:
            return False
        since = self._known[op.id].inputs[side].quiet_since.setdefault(channel, self._now)
        return self._now - since > timeout

    def _may_be_idle(self, origin: int) -> bool:
        """Whether the user asked that the others go on without it. If not it was only that it had nothing to read."""
        op = self._plan.operators[origin]
        if not isinstance(op, Timestamps):
            return False
        strategy = op.strategy
        return strategy.idle_timeout is not None or strategy.generator_supplier is not None

    def _idle_timeout(self, origin: int) -> int | None:
        op = self._plan.operators[origin]
        if not isinstance(op, Timestamps):
            return None
        timeout = op.strategy.idle_timeout
        return None if timeout is None else timeout.to_millis()

    def _channel(
        self, edge: Edge, sender: int, origin: int, lane: str | None = None
    ) -> tuple[Operator, int, WatermarkValve, int]:
        op, side, origins = self._edges[edge.id]
        one = self._known[op.id].inputs[side]
        if lane is None:
            return op, side, one.valve, sender * len(origins) + origins.index(origin)
        if (origin, lane) not in one.lanes:
            one.lanes[origin, lane] = one.valve.add()
        return op, side, one.valve, one.lanes[origin, lane]

    def _combine(self, op: Operator, side: int) -> bool:
        known = self._known[op.id]
        one = known.inputs[side]
        one.given.emit_watermark(one.valve.watermark)
        advanced = known.combined.update()
        if one.valve.idle:  # only after its last watermark
            one.given.mark_idle()
            advanced = known.combined.update() or advanced
        return advanced


def _subtasks(one: Input) -> int:
    """The number of an input's channels that are no lanes."""
    return len(one.valve.channels) - len(one.lanes)
