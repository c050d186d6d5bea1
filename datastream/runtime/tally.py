"""How many records each operator of a fused chain got and emitted, counted where it is not known otherwise."""

from __future__ import annotations

from collections.abc import Iterator

#: The expression for the length of the block that a chain runs on.
INPUT = "len(block)"


class Tally:
    """Counts of the operators of one chain, for the length of one epoch.

    All records of a block pass the operators at its beginning that give one record for each, and what a port has
    collected tells how many passed those before it. So the generated loop itself counts only between two operators of
    other kinds.

    Attributes:
        sums: What the chain has added up, by expression.
        inputs: Records that the chain has run on.
    """

    def __init__(self) -> None:
        self._received: list[tuple[int, str]] = []
        self._given: list[tuple[int, str]] = []
        self.sums: dict[str, int] = {}
        self.inputs = 0

    def receives(self, operator: int, expression: str) -> None:
        """An operator gets as many records of a block as an expression says."""
        self._received.append((operator, self._known(expression)))

    def gives(self, operator: int, expression: str) -> None:
        """An operator emits as many records of a block as an expression says."""
        self._given.append((operator, self._known(expression)))

    def pass_all(self) -> None:
        """Every operator of the chain gets and emits all records that the chain runs on."""
        self._received = [(id, INPUT) for id, _ in self._received]
        self._given = [(id, INPUT) for id, _ in self._given]
        self.sums = {}

    def begin(self) -> None:
        """An epoch begins."""
        self.inputs = 0
        for expression in self.sums:
            self.sums[expression] = 0

    def received(self) -> Iterator[tuple[int, int]]:
        """What operators got in the epoch: (operator id, records)."""
        return ((id, self._total(expression)) for id, expression in self._received)

    def given(self) -> Iterator[tuple[int, int]]:
        """What operators gave in the epoch: (operator id, records)."""
        return ((id, self._total(expression)) for id, expression in self._given)

    def _known(self, expression: str) -> str:
        if expression != INPUT:
            self.sums[expression] = 0
        return expression

    def _total(self, expression: str) -> int:
        return self.inputs if expression == INPUT else self.sums[expression]
