"""Plans that an earlier version compiled go on from savepoints that it made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from datastream.table.plan.relations import Relation
from tests.golden import plans


@pytest.mark.parametrize("parallelism", [1, 2])
@pytest.mark.parametrize(("release", "name"), plans.names())
def test_a_golden_plan_goes_on(release: str, name: str, parallelism: int, tmp_path: Path) -> None:
    if parallelism > 1 and name in plans.IN_ORDER:
        return
    plan, savepoint, before, whole = plans.read(release, name, tmp_path)
    after = plans.run(plan, savepoint, parallelism=parallelism)
    assert after or before == whole
    assert plans.fold(before + after) == plans.fold(whole)


def test_every_query_has_a_golden_plan() -> None:
    newest = plans.names()[-1][0]
    assert {name for release, name in plans.names() if release == newest} == set(plans.QUERIES)


#: Relations without a golden plan: they are in no compiled plan, keep nothing, or become others in it.
WITHOUT = {
    "BlockCalls": "calls of pandas functions, made when a plan is lowered",
    "LookupJoin": "keeps nothing",
    "RowFunction": "a function of the user's, which a plan names only",
    "SnapshotJoin": "becomes a TemporalJoin or a LookupJoin",
    "StreamScan": "a stream of the script's, which no plan holds",
    "Values": "has no half",
}


def test_every_relation_is_in_a_golden_plan(tmp_path: Path) -> None:
    kept: set[str] = set()
    for i, (release, name) in enumerate(plans.names()):
        text, *_ = plans.read(release, name, tmp_path / str(i))
        kept |= {node["node"] for node in json.loads(text)["nodes"]}
    assert not kept & WITHOUT.keys()
    assert {kind.__name__ for kind in relations(Relation)} <= kept | WITHOUT.keys()


def relations(above: type[Relation]) -> Iterator[type[Relation]]:
    for kind in above.__subclasses__():
        yield kind
        yield from relations(kind)
