"""When a job gets another parallelism: a rule over its own statistics. It knows neither clocks nor threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

#: Rates are those of so much time, in s, or of more where this number of epochs take longer; of no more than that.
_RATE_S, _RATE_EPOCHS, _RATE_MOST_S = 60.0, 3, 900.0
#: A job whose next epoch takes longer than those before it by this factor hangs.
_HANGS = 3
#: A job whose epochs take a smaller part of the time than this is not short of subtasks.
_BUSY = 0.6
#: A backlog that grows by this part of what is processed counts as growing, if it is worth some time at all.
_GROWS = 0.05
_GROWS_FROM_S = 5.0
#: ... and while it is not far below its peak.
_PEAK = 0.9
#: The backlog of a job that keeps up is at most this part of the one that it is scaled up for.
_SMALL = 0.25
#: A backlog that shrinks, and will have gone after this multiple of the one that is too large, is left to shrink.
_SHRINKS = 10
#: The largest epochs say what a job is able to do: those that were not short of input. Small ones cost more a record.
_LARGEST = 20
#: The first epochs of a process compile code and fill caches: they show little. A job is judged after this number.
_COLD, _ENOUGH = 3, 3


@dataclass(frozen=True)
class Limits:
    """What the rule keeps to.

    Attributes:
        least: The smallest parallelism.
        most: The largest one.
        up_backlog_s: A larger backlog, as time that the job needs for it, is too large.
        up_after_s: It must be so for this time.
        down_after_s: The load must fit the smaller parallelism for this time.
        utilization: The part of its capacity that a smaller parallelism may be loaded with.
        cooldown_s: No change for so long after a start.
    """

    least: int
    most: int
    up_backlog_s: float = 60.0
    up_after_s: float = 30.0
    down_after_s: float = 300.0
    utilization: float = 0.7
    cooldown_s: float = 120.0


@dataclass(frozen=True)
class Sample:
    """The measurements of a job at a moment.

    Attributes:
        time_s: By a clock that never goes back.
        records: Records that committed epochs have read so far.
        busy_s: How long these epochs took.
        backlog: Records that wait to be read; None: not known.
    """

    time_s: float
    records: int
    busy_s: float
    backlog: int | None


@dataclass(frozen=True)
class Load:
    """What a job had to do in the last minute.

    Attributes:
        rate: Records that it processed, per second.
        demand: Records that came, per second.
        busy: The part of the time that its epochs took.
        backlog: Records that wait.
        backlog_s: How long they take at the rate.
        peak: The most that waited in that time.
        capacity: Records per second that it is able to process, as far as its epochs have shown.
    """

    rate: float
    demand: float
    busy: float
    backlog: int
    backlog_s: float
    peak: int
    capacity: float


@dataclass(frozen=True)
class Decision:
    """A change of the parallelism.

    Attributes:
        before: The parallelism until now.
        parallelism: The new one.
        reason: For people.
        load: What it was decided by.
    """

    before: int
    parallelism: int
    reason: str
    load: Load


class ScalingRule:
    """Decides on the parallelism of a job. Doubles it when the job falls behind, halves it when the half would do.

    A change up remembers what the smaller parallelism was able to do. So a job goes back only when the load has fallen
    below that by some margin, and never swings between two sizes under a load that stays.

    Args:
        limits: What to keep to.
        parallelism: Of the job now.
        started_s: When the job was started.
        capacities: What parallelisms were able to process when they fell behind, in records per second.

    Attributes:
        capacities: The same, with what was learned.
        load: Of the last minute; None: not known.
    """

    def __init__(
        self, limits: Limits, parallelism: int, started_s: float, capacities: Mapping[int, float] | None = None
    ) -> None:
        self.limits, self.parallelism = limits, parallelism
        self.capacities: dict[int, float] = dict(capacities or {})
        self.load: Load | None = None
        self._started_s = started_s
        self._samples: deque[Sample] = deque()
        self._commits: deque[float] = deque()
        self._epochs = 0
        self._largest: list[tuple[int, float]] = []
        self._behind_since: float | None = None
        self._light_since: float | None = None

    def observe(self, sample: Sample) -> Decision | None:
        """Take the measurements of a moment, once every second or so.

        Args:
            sample: The statistics.

        Returns:
            The change to be made now, if any.
        """
        self._note_epochs(sample)
        self._samples.append(sample)
        self._forget(sample.time_s)
        load = self.load = self._load()
        now = sample.time_s
        if load is None or now - self._started_s < self.limits.cooldown_s:
            self._behind_since = self._light_since = None
            return None
        self._behind_since = _since(self._behind_since, now, self._falls_behind(load))
        self._light_since = _since(self._light_since, now, self._fits_smaller(load))
        if self._behind_since is not None and now - self._behind_since >= self.limits.up_after_s:
            return self._up(load)
        if self._light_since is not None and now - self._light_since >= self.limits.down_after_s:
            return self._down(load)
        return None

    def _note_epochs(self, sample: Sample) -> None:
        """Note the size and length of the epochs since the last sample, if they are among the largest."""
        if not self._samples:
            return
        before = self._samples[-1]
        spent, records = sample.busy_s - before.busy_s, sample.records - before.records
        if spent <= 0 or records <= 0:
            return
        self._epochs += 1
        self._commits.append(sample.time_s)
        if self._epochs > _COLD:
            self._largest = sorted([*self._largest, (records, spent)], reverse=True)[:_LARGEST]

    def _forget(self, now: float) -> None:
        """Drop the samples that rates are no longer made of."""
        samples, commits = self._samples, self._commits
        enough = commits[-_RATE_EPOCHS] if len(commits) >= _RATE_EPOCHS else -float("inf")
        since = max(min(now - _RATE_S, enough), now - _RATE_MOST_S)
        while len(samples) > 2 and samples[1].time_s <= since:
            samples.popleft()
        while commits and commits[0] < samples[0].time_s:
            commits.popleft()

    def _hangs(self, now: float) -> bool:
        """Whether nothing has been committed for much longer than usual."""
        if not self._commits:
            return True
        usual = (self._commits[-1] - self._samples[0].time_s) / len(self._commits)
        return now - self._commits[-1] > max(_RATE_S / 2, _HANGS * usual)

    def _capacity(self) -> float:
        """Records per second in the largest epochs."""
        if not self._largest:
            return 0.0
        most = self._largest[0][0]
        large = [epoch for i, epoch in enumerate(self._largest) if i < _ENOUGH or epoch[0] * 2 >= most]
        return sum(records for records, _ in large) / sum(spent for _, spent in large)

    def _load(self) -> Load | None:
        """What the samples say; None: too little, such as while an epoch hangs, or if no source knows its backlog."""
        first, last = self._samples[0], self._samples[-1]
        passed, records = last.time_s - first.time_s, last.records - first.records
        if last.backlog is None or first.backlog is None or passed < _RATE_S / 2:
            return None
        idle = records <= 0 and last.backlog == 0
        if not idle and (len(self._largest) < _ENOUGH or self._hangs(last.time_s)):
            return None
        rate, busy = max(0, records) / passed, min(1.0, (last.busy_s - first.busy_s) / passed)
        return Load(
            rate=rate,
            demand=max(0.0, rate + (last.backlog - first.backlog) / passed),
            busy=busy,
            backlog=last.backlog,
            backlog_s=last.backlog / rate if rate else 0.0,
            peak=max(each.backlog or 0 for each in self._samples),
            capacity=max(self._capacity(), rate),
        )

    def _falls_behind(self, load: Load) -> bool:
        if self.parallelism >= self.limits.most or load.busy < _BUSY:
            return False
        grows = load.demand > load.rate * (1 + _GROWS) and load.backlog >= load.peak * _PEAK
        if grows and load.backlog_s > _GROWS_FROM_S:
            return True
        soon = load.rate - load.demand > load.backlog / (self.limits.up_backlog_s * _SHRINKS)
        return load.backlog_s > self.limits.up_backlog_s and not soon

    def _fits_smaller(self, load: Load) -> bool:
        if self.parallelism <= self.limits.least or load.backlog_s > self.limits.up_backlog_s * _SMALL:
            return False
        return max(load.demand, load.rate) <= self._smaller_capacity(load) * self.limits.utilization

    def _smaller_capacity(self, load: Load) -> float:
        """Records per second that the smaller parallelism is able to process."""
        smaller = self._smaller()
        return self.capacities.get(smaller, load.capacity * smaller / self.parallelism)

    def _smaller(self) -> int:
        return max(self.limits.least, self.parallelism // 2)

    def _up(self, load: Load) -> Decision:
        parallelism = min(self.limits.most, self.parallelism * 2)
        self.capacities[self.parallelism] = load.capacity
        return self._decided(
            parallelism,
            f"the backlog is {load.backlog:,} records, {load.backlog_s:.0f} s of work at {load.rate:,.0f} records/s; "
            f"{load.demand:,.0f} records/s come",
            load,
        )

    def _down(self, load: Load) -> Decision:
        return self._decided(
            self._smaller(),
            f"{load.demand:,.0f} records/s come, and {self._smaller()} subtasks are able to process "
            f"{self._smaller_capacity(load):,.0f} records/s",
            load,
        )

    def _decided(self, parallelism: int, reason: str, load: Load) -> Decision:
        decision = Decision(self.parallelism, parallelism, reason, load)
        self.parallelism, self._started_s = parallelism, self._samples[-1].time_s
        self._samples.clear()
        self._commits.clear()
        self._epochs, self._largest = 0, []
        self._behind_since = self._light_since = None
        self.load = None
        return decision


def _since(before: float | None, now: float, holds: bool) -> float | None:
    """Since when something holds; None: it does not."""
    if not holds:
        return None
    return now if before is None else before
