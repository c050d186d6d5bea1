"""What the text of aggregates calls."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from itertools import accumulate
from typing import Any

from datastream.errors import ValidationError
from datastream.table.functions.checks import WIDE
from datastream.table.functions.json_texts import fragment, json_text


def count_in(counts: dict[Any, int], value: Any, by: int = 1) -> int:
    """Count a value that comes, or goes with -1; how often it is there then. NaN is one value."""
    if value != value:
        value = next((each for each in counts if each != each), value)
    count = counts.get(value, 0) + by
    if count:
        counts[value] = count
    else:
        counts.pop(value, None)
    return count


def count_all(counts: dict[Any, int], others: dict[Any, int]) -> None:
    """Count all values of other counts."""
    for value, count in others.items():
        count_in(counts, value, count)


def greatest_left(counts: dict[Any, int], gone: Any, best: Any) -> Any:
    """The greatest value once one has gone."""
    if count_in(counts, gone, -1) > 0 or gone != best:
        return best
    return max(present(counts), default=None)


def least_left(counts: dict[Any, int], gone: Any, best: Any) -> Any:
    """The least value once one has gone."""
    if count_in(counts, gone, -1) > 0 or gone != best:
        return best
    return min(present(counts), default=None)


def max_real(counts: dict[Any, int], value: float, best: float | None) -> float | None:
    """The greatest FLOAT or DOUBLE once one has come, where rows also go: NaN is the greatest then, as in Flink."""
    if count_in(counts, value) <= 0:
        return best
    return value if best is None or value > best or (value != value and best == best) else best


def min_real(counts: dict[Any, int], value: float, best: float | None) -> float | None:
    """The least one once one has come; see `max_real`."""
    if count_in(counts, value) <= 0:
        return best
    return value if best is None or value < best or best != best else best


def max_real_left(counts: dict[Any, int], gone: float, best: float | None) -> float | None:
    """The greatest one once one has gone."""
    if count_in(counts, gone, -1) > 0 or not _is_same(gone, best):
        return best
    return max(present(counts), key=_nan_last, default=None)


def min_real_left(counts: dict[Any, int], gone: float, best: float | None) -> float | None:
    """The least one once one has gone."""
    if count_in(counts, gone, -1) > 0 or not _is_same(gone, best):
        return best
    return min(present(counts), key=_nan_last, default=None)


def _nan_last(value: float) -> tuple[bool, float]:
    return value != value, value


def present(counts: dict[Any, int]) -> Iterable[Any]:
    """The values that are there; rows may be taken out before they come."""
    return (value for value, count in counts.items() if count > 0)


def take_out(values: list[Any], value: Any) -> None:
    """Remove the first element that equals a value; NaN equals NaN."""
    if value in values:
        values.remove(value)
        return
    at = next((i for i, each in enumerate(values) if _is_same(each, value)), None) if _has_nan(value) else None
    if at is not None:
        del values[at]


def _has_nan(value: Any) -> bool:
    return any(map(_has_nan, value)) if isinstance(value, tuple) else bool(value != value)


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return bool(one == other or (one != one and other != other))


def only_one(rows: int) -> int:
    """Count the only row.

    Raises:
        ValidationError: There is one already.
    """
    if rows:
        raise ValidationError(
            "a query that is a value gave more than one row: make it give one, as by MAX, or by ORDER BY with LIMIT 1"
        )
    return 1


def number_left(counts: dict[Any, int]) -> int:
    """How many different values are there."""
    return sum(1 for _ in present(counts))


def listed(counts: dict[Any, int]) -> dict[Any, int]:
    """The values that are there with how often."""
    return {value: count for value, count in counts.items() if count > 0}


def truncated(total: int, count: int) -> int:
    """The average of whole numbers, without the fraction."""
    return total // count if total >= 0 else -(-total // count)


def decimal_average(total: Decimal, count: int, scale: int) -> Decimal:
    """The average of DECIMALs."""
    return WIDE.divide(total, Decimal(count)).quantize(Decimal((0, (1,), -scale)), context=WIDE)


def exact_variance(count: int, total: Any, squares: Any, less: int) -> Decimal | None:
    """The variance of whole numbers or DECIMALs from their sum and that of their squares.

    Args:
        count: Of the values.
        total: Their sum.
        squares: The sum of their squares.
        less: 0: of the population; 1: of a sample.
    """
    if count <= less:
        return None
    spread = WIDE.subtract(WIDE.multiply(Decimal(count), squares), WIDE.multiply(Decimal(total), total))
    return WIDE.divide(spread, Decimal(count * (count - less)))


def root(value: Any) -> Any:
    """The square root; None of None."""
    if value is None:
        return None
    return WIDE.sqrt(value) if isinstance(value, Decimal) else math.sqrt(max(value, 0.0))


def variance(count: int, spread: float, less: int) -> float | None:
    """The variance from the sum of the squared distances to the average."""
    return max(spread, 0.0) / (count - less) if count > less else None


def whole_or_none(value: Decimal | None) -> int | None:
    """A number without its fraction."""
    return None if value is None else int(value)


def scaled_or_none(value: Decimal | None, scale: int) -> Decimal | None:
    """A DECIMAL in the scale of its type."""
    return None if value is None else value.quantize(Decimal((0, (1,), -scale)), context=WIDE)


def percentile(values: list[Any], share: Any) -> Any:
    """The value below which a share of the values lies, between two values in proportion."""
    if not values:
        return None
    if isinstance(share, (list, tuple)):
        return tuple(percentile(values, each) for each in share)
    ordered = sorted(map(float, values))
    place = (len(ordered) - 1) * float(share)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def weighted_percentile(counts: dict[Any, int], share: Any) -> Any:
    """`percentile` of values that are there as often as counted."""
    if not counts:
        return None
    if isinstance(share, (list, tuple)):
        return tuple(weighted_percentile(counts, each) for each in share)
    ordered = sorted((float(value), count) for value, count in counts.items())
    ends = list(accumulate(count for _, count in ordered))
    place = (ends[-1] - 1) * float(share)
    low = math.floor(place)
    below, above = (ordered[bisect_right(ends, at)][0] for at in (low, min(low + 1, ends[-1] - 1)))
    return below + (above - below) * (place - low)


def object_text(pairs: list[Any], on_null: str) -> str:
    """The JSON object of pairs.

    Raises:
        ValidationError: A key is there twice.
    """
    keys = Counter(key for key, _ in pairs)
    if len(keys) < len(pairs):
        raise ValidationError(
            f"Key '{keys.most_common(1)[0][0]}' is already present. Duplicate keys are not allowed in JSON_OBJECTAGG. "
            "Please ensure that keys are unique"
        )
    shown = (f"{json_text(key)}:{fragment(value)}" for key, value in pairs if value is not None or on_null == "NULL")
    return "{" + ",".join(shown) + "}"


def array_text(values: list[Any], on_null: str) -> str:
    """The JSON array of values."""
    return f"[{','.join(fragment(value) for value in values if value is not None or on_null == 'NULL')}]"
