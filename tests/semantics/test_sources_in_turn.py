"""Sources one after the other, with what stands behind them."""

from __future__ import annotations

from datastream.connectors import NumberSequenceSource
from datastream.connectors.hybrid_source import HybridSource
from datastream.testing import case
from datastream.time import WatermarkStrategy


@case
def test_sources_one_after_the_other(env):
    source = HybridSource.builder(NumberSequenceSource(1, 5)).add_source(NumberSequenceSource(6, 9)).build()
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
    got = yield numbers, numbers.key_by(lambda n: n % 2).reduce(lambda a, b: a + b)
    assert sorted(got[0]) == list(range(1, 10))
    assert {20, 25} <= set(got[1])
