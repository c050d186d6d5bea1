"""A line of the doctor's report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One line of the report; `good` is None where nothing is wrong but something could be better."""

    name: str
    text: str
    good: bool | None = True
