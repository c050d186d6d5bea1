"""Joins whose sides are apart give the same as those that keep both sides of a key together."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from datastream.graph.operators import TableJoin
from datastream.graph.operators.relational import CodeLine, RowCode
from datastream.runtime.hosts.host import Host, Setting
from datastream.runtime.hosts.relational.choices import table_join_host
from datastream.runtime.hosts.relational.nan_rows import with_one_nan
from tests.support.keyed_harness import MemoryStore

INSERT, DELETE = 0, 3
CONDITION = RowCode("r", (CodeLine(0, "if (r[1] or 0) <= (r[3] or 0):", "condition"),), 1, "r")


def host_of(ttl_ms: int, **fields: Any) -> Host:
    op = TableJoin(0, "join", uid="j", widths=(2, 2), nulls=1, ttl_ms=ttl_ms, **fields)
    return table_join_host(op, Setting(max_parallelism=4, timed=False, clock=lambda: 0))


@pytest.mark.parametrize("condition", [None, CONDITION], ids=["equal", "condition"])
@pytest.mark.parametrize("changes", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("join", ["inner", "left", "right", "full", "semi", "anti"])
@pytest.mark.parametrize("reals", [False, True], ids=["whole", "with NaN"])
def test_sides_apart_or_together(reals: bool, join: str, changes: tuple[bool, bool], condition: RowCode | None) -> None:
    kinds = any(changes) or join not in ("inner", "semi")
    fields = {"join": join, "changes": changes, "kinds": kinds, "condition": condition, "reals": (reals, reals)}
    draw = random.Random(f"{join} {changes} {condition is None}")
    hosts = [(host_of(ttl, **fields), MemoryStore()) for ttl in (0, 10**9)]
    there: list[list[Any]] = [[], []]
    for epoch in range(40):
        for host, store in hosts:
            host.begin(store, range(4), 0)
        for _ in range(draw.randrange(1, 4)):
            side = draw.randrange(2) if epoch > 5 else epoch % 2  # a side may have many rows before the other has any
            records, keys = [], []
            for _ in range(draw.randrange(1, 12)):
                if changes[side] and there[side] and draw.random() < 0.45:
                    row = there[side].pop(draw.randrange(len(there[side])))
                    kind = DELETE
                else:
                    row, kind = (draw.choice([None, 1, 2, 3, 4]), draw.choice([None, 1, 2, 3])), INSERT
                    there[side].append(row)
                if reals and row[1] == 3:
                    row = row[0], float("nan")  # a new one each time, as rows have that are read
                records.append((kind, *row) if changes[side] else row)
                keys.append(row[0])
            apart, together = (with_one_nan(tuple(host.process(side, records, keys, None)[0])) for host, _ in hosts)
            assert Counter(apart) == Counter(together), f"epoch {epoch}, {records} of side {side}"
        for host, _ in hosts:
            host.flush()
