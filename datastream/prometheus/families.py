"""The series of one metric. A job may have ten thousands of them: they are written without an object for each."""

from __future__ import annotations

from collections.abc import Callable

from .names import one_line

Number = int | float


class Family:
    """All series of a metric.

    Args:
        name: Of the metric, as it is written.
        kind: ``counter``, ``gauge`` or ``summary``.
        help: One line for people.

    Attributes:
        values: Labels, as text in braces -> value; in a summary with ``_count`` or ``_sum`` before them.
    """

    def __init__(self, name: str, kind: str, help: str) -> None:
        self.name, self.kind, self.help = name, kind, one_line(help)
        self.values: dict[str, Number] = {}

    @property
    def samples(self) -> tuple[str, ...]:
        """The names that its lines begin with."""
        return (f"{self.name}_count", f"{self.name}_sum") if self.kind == "summary" else (self.name,)

    def add(self, labels: str, value: Number) -> None:
        """Add to a series."""
        self.values[labels] = self.values.get(labels, 0) + value

    def set(self, labels: str, value: Number) -> None:
        """Set a series."""
        self.values[labels] = value

    def text(self) -> str:
        """All series, in Prometheus' text format."""
        if not self.values:
            return ""
        head = f"# HELP {self.name} {self.help}\n# TYPE {self.name} {self.kind}\n"
        name = self.name
        return head + "".join([f"{name}{labels} {value}\n" for labels, value in self.values.items()])


class Derived(Family):
    """A gauge whose values are computed from other ones when it is written.

    Args:
        name: As `Family`.
        help: As `Family`.
        compute: Returns the value from the one that was set.
    """

    def __init__(self, name: str, help: str, compute: Callable[[Number], Number]) -> None:
        super().__init__(name, "gauge", help)
        self._compute = compute

    def text(self) -> str:
        given, compute = self.values, self._compute
        self.values = {labels: compute(value) for labels, value in given.items()}
        try:
            return super().text()
        finally:
            self.values = given
