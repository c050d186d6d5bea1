"""A key that holds half of the records of an operator, or more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from datastream.config.job_warnings import JobWarning, WarningSettings
from datastream.graph import Plan

from .observation import Observation
from .span import Span

#: Of all records.
_SHARE = 0.5
#: A subtask's load above its fair share: below, a key is no burden though it be half of the records.
_BURDEN = 1.25
#: Fewer sampled keys prove nothing.
_SAMPLES = 200


@dataclass
class _Sampled:
    """What was sampled of an operator's keys.

    Attributes:
        span: Since when.
        keys: How many.
        hottest: Key as text -> how often it was met where it was the most frequent.
    """

    span: Span
    keys: int = 0
    hottest: Counter[str] = field(default_factory=Counter)


class HotKeys:
    """Adds up the keys that tasks have sampled.

    Args:
        plan: Of the job.
        settings: When to warn.
    """

    def __init__(self, plan: Plan, settings: WarningSettings) -> None:
        self._plan = plan
        self._settings = settings
        self._sampled: dict[int, _Sampled] = {}
        self._warned: set[int] = set()

    def take(self, operators: Mapping[int, Sequence[Observation]], now: float) -> Iterator[JobWarning]:
        """Take an epoch's reports; returns what is to be warned of."""
        for id, parts in operators.items():
            if id in self._warned or not any(part.sampled for part in parts):
                continue
            known = self._sampled.get(id)
            if known is None:  # the epoch is not counted: its length is not known
                self._sampled[id] = _Sampled(Span(now))
                continue
            known.span.add(sum(part.records for part in parts))
            known.keys += sum(part.sampled for part in parts)
            for part in parts:
                if part.hottest is not None:
                    known.hottest[part.hottest[0]] += part.hottest[1]
            if known.keys < _SAMPLES or not known.span.long_enough(self._settings, now):
                continue
            key, count = known.hottest.most_common(1)[0]
            share = count / known.keys
            del self._sampled[id]  # looked at anew
            if share >= max(_SHARE, _BURDEN / self._plan.subtasks[id]):
                self._warned.add(id)
                yield self._warning(id, key, share)

    def _warning(self, id: int, key: str, share: float) -> JobWarning:
        op = self._plan.operators[id]
        return JobWarning(
            "hot-key",
            op.state_uid,
            f"the key {key} holds {share:.0%} of the records of '{op.name}' (made at {op.origin}): one of its "
            f"{self._plan.subtasks[id]} subtasks does most of the work. If the key represents a missing value, filter "
            "it out before key_by; else aggregate by (key, a random number) first and join those results by key",
        )
