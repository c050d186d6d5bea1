"""The bands that a drawn plan stands on: one for each level."""

from __future__ import annotations

from dataclasses import dataclass

from .layout import BAND_GAP, BAND_PAD, PAD, Layout, text_width
from .plan import Plan


@dataclass(frozen=True)
class Band:
    """The band of a level.

    Attributes:
        level: Index of the level.
        left: Where it begins.
        right: Where it ends.
        title: What stands on it.
    """

    level: int
    left: float
    right: float
    title: str


def bands(plan: Plan, placed: Layout) -> list[Band]:
    """The bands of a plan, from left to right."""
    found: list[Band] = []
    spans: list[tuple[float, float]] = []
    for stage in plan.levels:
        members = [b for column in placed.columns for b in column if b.level == stage.index]
        spans.append((min(b.x for b in members), max(b.x + b.width for b in members)))
    for stage, (left, right) in zip(plan.levels, spans, strict=True):
        left -= BAND_PAD
        right += BAND_PAD
        if stage.index > 0:
            left = (spans[stage.index - 1][1] + spans[stage.index][0] + BAND_GAP) / 2
        if stage.index + 1 < len(spans):
            right = (spans[stage.index][1] + spans[stage.index + 1][0] - BAND_GAP) / 2
        title = f"level {stage.index}" + ("  ·  state by key" if stage.keyed else "")
        if text_width(title, 12, bold=True) > right - left - 2 * PAD:
            title = f"level {stage.index}"
        found.append(Band(stage.index, left, right, title))
    return found
