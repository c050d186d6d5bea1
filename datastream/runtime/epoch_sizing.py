"""How many records an epoch should hold."""

from __future__ import annotations

from collections import deque
from statistics import median

_FIRST = 100_000
_LEAST = 10_000

#: Epochs shorter than this part of the target are doubled, unless double ones are known to be `_LONG`.
_SHORT = 0.6
#: Epochs of a young run that are shorter than this part of the target are not waited for until their size is judged.
_VERY_SHORT = _SHORT / 4
#: The first epochs, and those, are followed by ones that would have this part of the target's length if all time went
#: by the record; up to so many times the size.
_AIM, _MOST_TIMES = 0.8, 16
#: Epochs longer than the target by this factor must pay for it, or are halved; by the second one in a young run.
_LONG, _LONG_YOUNG = 1.5, 4
_VERY_LONG = 16
#: How much faster records must go by in epochs of twice the size, for these to be worth their length; and in
#: very long ones, whose halves would hardly be shorter if they are.
_PAYS, _PAYS_IF_VERY_LONG = 1.12, 1.6
#: Leeway of sizes in use, so that chance does not move them up and down.
_LEEWAY = 0.98
#: In a young run epochs longer than the target by up to this factor are doubled at once, to see what comes of it.
_CURIOUS = 2
#: How much faster shows at first sight that a size pays.
_PAYS_AT_ONCE = 1.6

#: The first epochs of a run compile code, fill caches and open state: they show little about sizes. They are doubled
#: up to `_CURIOUS`, and as long as records go by faster each time: input has often piled up while a job was down.
_COLD = 3
#: Epochs of a size before it is judged.
_TRIAL = 3
#: The latest epochs of a size, whose median counts.
_KEPT = 5
#: Older epochs are forgotten, so that sizes become unknown; earlier in a young run, which is getting faster.
_YOUNG_MEMORY, _MEMORY = 8, 32

#: An epoch with at most this part of the records that a budget has brought was short of input.
_SCARCE = 0.4
#: How what a budget has brought fades, with each epoch that is not short.
_FADES = 0.98


class EpochSizing:
    """Steers the size of epochs to a length in time, and beyond it as long as longer ones are much faster.

    State is read and written once an epoch, so with many keys an epoch costs nearly the same whether it holds ten
    thousand records or a million: input that has piled up is then worked off many times faster in longer epochs.

    Sizes are halved and doubled. What counts of a size is the median of its latest epochs, so that one slow epoch
    changes nothing. After some time the size above is unknown again, and is tried: what was slow in a cold process, or
    with other data, may be fast now.

    Args:
        most: Records an epoch may hold.
        target_ms: Length in ms to aim at.
        most_in_time: Records an epoch may hold if so many go by in the length aimed at; None: as `most`.

    Attributes:
        budget: Records the next epoch should hold at most.
        most: Records any epoch may hold.
    """

    def __init__(self, most: int, target_ms: float, most_in_time: int | None = None) -> None:
        self._most, self._target_ms = most, target_ms
        self.most = max(most, most_in_time or most)
        self.budget = min(_FIRST, most)
        self._sizes: dict[int, _Measured] = {}
        self._epoch = 0
        self._entered = 0
        self._brings = [0.0, 0.0]
        self._cold_rate = 0.0

    def epoch_took(self, ms: float, records: int | None = None) -> None:
        """Note an epoch that had the budget, and set that of the next.

        Args:
            ms: Its length in ms.
            records: How many records it held; None: not known, as many as the budget. An epoch that was short of
                input changes nothing.
        """
        length, records = ms / self._target_ms, self.budget if records is None else records
        if self._is_scarce(records / self.budget, length):
            return
        self._epoch += 1
        rate = records / max(ms, 0.001)
        if self._epoch <= _COLD:
            self._entered = self._epoch
            before, self._cold_rate = self._cold_rate, rate
            if length < _CURIOUS or (before and rate >= before * _PAYS and length < _VERY_LONG):
                self.budget = self._above(length, rate)
            return
        self._sizes.setdefault(self.budget, _Measured()).add(self._epoch, length, rate)
        memory = min(max(self._epoch // 2, _YOUNG_MEMORY), _MEMORY)
        for size in list(self._sizes):
            if not self._sizes[size].since(self._epoch - memory):
                del self._sizes[size]
        size = self._next()
        if length >= _LONG_YOUNG:  # more records than usual are given up at once
            size = min(size, self._limit(length, rate))
        if size != self.budget:
            self.budget, self._entered = size, self._epoch

    def _above(self, length: float, rate: float) -> int:
        """The size to try after epochs of this length and rate that should be larger."""
        aim = int(self._in_time(length, rate) * _AIM) if length < _SHORT else 0
        return min(max(self.budget * 2, min(aim, self.budget * _MOST_TIMES)), self._limit(length, rate))

    def _limit(self, length: float, rate: float) -> int:
        """The largest size where epochs of the budget have this length and rate."""
        return max(self._most, min(self.most, int(self._in_time(length, rate))))

    def _in_time(self, length: float, rate: float) -> float:
        """How large epochs of the target's length would be. Several sources bring more records than the budget."""
        return min(rate * self._target_ms, self.budget / max(length, 0.001))

    def _next(self) -> int:
        now = self._sizes[self.budget]
        most = self._limit(now.length, now.rate)
        smaller, larger = max(self.budget // 2, min(_LEAST, self._most)), min(self.budget * 2, most)
        if self.budget > most * _LONG:
            return most
        half = self._sizes.get(smaller) if smaller < self.budget else None
        double = self._sizes.get(larger) if larger > self.budget else None
        young = self._epoch <= _COLD + _YOUNG_MEMORY
        if self._epoch - self._entered < _TRIAL:
            at_once = _PAYS if young and now.length < _VERY_LONG else _PAYS_AT_ONCE
            known_to_pay = half is not None and now.rate >= half.rate * at_once
            climbs = double is None and (known_to_pay or (young and now.length < _CURIOUS))
            if young and now.length < _VERY_SHORT:
                return self._above(now.length, now.rate)
            return larger if climbs or now.length < _SHORT / 2 else self.budget
        if double is not None and double.pays(now):
            return larger
        if young:  # what smaller sizes showed is too old
            too_long = now.length >= _LONG_YOUNG
        else:
            too_long = now.length >= _LONG or (half is not None and half.length >= _SHORT)
        pays = half is not None and now.pays(half, _LEEWAY)
        if too_long and not pays and smaller < self.budget:
            return smaller
        if double is None or (now.length < _SHORT and double.length < _LONG):
            return larger
        return self.budget

    def _is_scarce(self, brings: float, length: float) -> bool:
        """Whether an epoch was short of input, by the number of records that a budget brings.

        That is not one: there may be several sources, and one of files counts bytes.
        """
        scarce = brings <= _SCARCE * self._brings[0]
        fades = 1 if length < _SHORT else _FADES
        # The second highest counts: one epoch of a source that takes no heed of budgets says nothing.
        self._brings = sorted([brings, *(known * fades for known in self._brings)])[-2:]
        return scarce


class _Measured:
    """The latest epochs of one size."""

    def __init__(self) -> None:
        self._epochs: deque[tuple[int, float, float]] = deque(maxlen=_KEPT)

    def add(self, epoch: int, length: float, rate: float) -> None:
        self._epochs.append((epoch, length, rate))

    def since(self, epoch: int) -> bool:
        """Forget what was before; whether anything is left."""
        while self._epochs and self._epochs[0][0] <= epoch:
            self._epochs.popleft()
        return bool(self._epochs)

    @property
    def length(self) -> float:
        """As a multiple of the target."""
        return median(length for _, length, _ in self._epochs)

    @property
    def rate(self) -> float:
        """Records a ms."""
        return median(rate for _, _, rate in self._epochs)

    def pays(self, half: _Measured, times: float = 1) -> bool:
        """Whether this size is so much faster than its half that it is worth its length."""
        needed = _PAYS if self.length <= _VERY_LONG else _PAYS_IF_VERY_LONG
        return self.rate >= half.rate * needed * times
