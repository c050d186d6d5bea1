"""What an operator did in one subtask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .kept import KeptChange
from .key_sample import KeySample


class SubtaskMeasures(NamedTuple):
    """What an operator did in one subtask and one epoch.

    Attributes:
        records_in: Records that it got; for a source, records read.
        records_out: Records that it gave, to side outputs too; 0 for sinks.
        busy_ns: Time in ns that was spent in it, and in the operators that are fused after it; 0 for operators that
            are fused after another one.
        watermark: Event time at its end, in ms; None where there is none yet.
        kept: How its keyed state changed; None where it has none.
        parts: Watermarks in ms of what event time is made of: by partition of a source that has some, at the source and
            where its watermarks are made; by subtask of others that make watermarks. Those that had records.
        sample: Its keys; None where none were sampled.
    """

    records_in: int = 0
    records_out: int = 0
    busy_ns: int = 0
    watermark: int | None = None
    kept: KeptChange | None = None
    parts: Mapping[str, int] = {}
    sample: KeySample | None = None

    def plus(self, later: SubtaskMeasures) -> SubtaskMeasures:
        """Both together."""
        watermark = self.watermark if later.watermark is None else later.watermark
        return SubtaskMeasures(
            self.records_in + later.records_in,
            self.records_out + later.records_out,
            self.busy_ns + later.busy_ns,
            watermark,
            self.kept if later.kept is None else later.kept,
            {**self.parts, **later.parts},
            self.sample if later.sample is None else later.sample,
        )


#: Operator's uid -> subtask -> what it did.
Measures = dict[str, dict[int, SubtaskMeasures]]
