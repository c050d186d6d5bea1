"""Loops: where records enter one, and where they are fed back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .chained import Union
from .operator import Operator


@dataclass(frozen=True)
class Iteration(Union):
    """The head of a loop: the records of its input, and those that were fed back.

    Attributes:
        max_wait_ms: For how long, in ms, timers of the loop may bring feedback after the end of the input and the last
            feedback; None: the loop ends as soon as it is empty.
        max_iterations: How many rounds it may make after its input; None: until it is empty.
    """

    kind: ClassVar[str] = "iterate"

    max_wait_ms: int | None = None
    max_iterations: int | None = None


@dataclass(frozen=True)
class Feedback(Operator):
    """The tail of a loop: what comes here goes to the loop's head again, in the same subtask.

    Attributes:
        head: Id of the loop's head.
    """

    kind: ClassVar[str] = "feedback"

    head: int
