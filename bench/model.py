"""What a case is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Side:
    """One of the things that a case compares.

    Attributes:
        name: For the table.
        target: ``module:function`` in this package; called in a process of its own, gives a dict with
            ``value`` and, as it likes, ``parts`` (name -> number) and more.
        parameters: Keyword arguments of the function.
    """

    name: str
    target: str
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """Sides that are run in turn.

    Attributes:
        id: Short name for ``--case``.
        title: What is measured.
        unit: Of ``value``.
        sides: The first is what the case is about.
        baseline: Name of the side that the ratios refer to; None: the one of all but the first
            that has the highest median.
        parts: What the numbers in ``parts`` are; None: the sides give none.
        note: What a reader must know.
        runs: Number of runs, where the case has its own.
        warm_up: Run every side once, unmeasured, before.
        within: ``target`` (``module:function``) and ``parameters`` of a context manager that all runs of the case are
            within; the dict it gives goes to the sides as further parameters.
    """

    id: str
    title: str
    unit: str
    sides: tuple[Side, ...]
    baseline: str | None
    parts: str | None = None
    note: str = ""
    runs: int | None = None
    warm_up: bool = False
    within: dict[str, Any] | None = None
