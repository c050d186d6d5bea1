"""How many records an epoch should hold."""

from __future__ import annotations

_FIRST = 100_000
_LEAST = 10_000

#: How much faster records must go by in epochs of twice the size, for these to be worth their length.
_PAYS = 1.25
#: Epochs so many times as long as wished for are not doubled to see what comes of it, unless the last doubling paid.
_CURIOUS = 2
#: Epochs so many times as long as wished for are cut in any case; half as long ones are not doubled.
_TOO_LONG = 16
#: After so many epochs what was learned may no longer be true.
_MEMORY = 32


class Pace:
    """Steers the size of epochs to a length in time, and beyond it as long as longer ones are much faster.

    State is read and written once an epoch, so with many keys an epoch costs nearly the same whether it holds ten
    thousand records or a million: input that has piled up is then worked off many times faster in longer epochs.

    Args:
        most: Records an epoch may hold.
        epoch_ms: Length wished for.

    Attributes:
        budget: Records the next epoch should hold at most.
    """

    def __init__(self, most: int, epoch_ms: int) -> None:
        self._most, self._epoch_ms = most, epoch_ms
        self.budget = min(_FIRST, most)
        self._rates: dict[int, float] = {}
        self._epochs = 0

    def took(self, ms: float) -> None:
        """Note how long the last epoch took, in ms."""
        self._epochs += 1
        if self._epochs % _MEMORY == 0:
            self._rates.clear()
        size, rates = self.budget, self._rates
        rate = rates[size] = size / max(ms, 1)
        length = ms / self._epoch_ms
        half, double = rates.get(size // 2), rates.get(size * 2)
        paid = half is not None and rate > _PAYS * half
        curious = double is None and (length <= _CURIOUS or (paid and length <= _TOO_LONG / 2))
        if length > _TOO_LONG:
            self._change(size // 2)
        elif length < 1 or curious or (double is not None and double > _PAYS * rate):
            self._change(size * 2)
        elif length >= 1.5 and not paid:
            self._change(size // 2)

    def _change(self, size: int) -> None:
        self.budget = min(max(size, _LEAST), self._most)
