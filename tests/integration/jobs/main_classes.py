"""Records of classes of the main module: dataclasses, an enum, a class in a class, one made by a call."""

from __future__ import annotations

import sys
from collections import namedtuple
from dataclasses import dataclass
from enum import Enum

from datastream import StreamExecutionEnvironment


class Side(Enum):
    BUY = 1
    SELL = 2


@dataclass(frozen=True)
class Trade:
    symbol: str
    amount: int
    side: Side


class Book:
    @dataclass
    class Entry:
        trade: Trade


Pair = namedtuple("Pair", "symbol entry")


def trade(i: int) -> Trade:
    return Trade(f"s{i % 10}", i, Side.BUY if i % 2 else Side.SELL)


def add(a: Pair, b: Pair) -> Pair:
    total = a.entry.trade.amount + b.entry.trade.amount
    return Pair(a.symbol, Book.Entry(Trade(a.symbol, total, b.entry.trade.side)))


def main(count: int) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    trades = env.from_sequence(0, count - 1).map(trade).rebalance()
    pairs = trades.map(lambda t: Pair(t.symbol, Book.Entry(t))).key_by(lambda p: p.symbol).reduce(add)
    totals: dict[str, int] = {}
    for pair in pairs.collect():
        assert type(pair) is Pair and type(pair.entry) is Book.Entry and type(pair.entry.trade) is Trade
        assert pair.entry.trade.side in Side
        totals[pair.symbol] = pair.entry.trade.amount
    assert totals == {f"s{k}": sum(range(k, count, 10)) for k in range(10)}, totals
    print("all records came back as what they were")


if __name__ == "__main__":
    main(int(sys.argv[1]))
