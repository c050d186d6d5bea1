"""A small trial of each kind of job; together they have all the faults. `scripts/chaos` runs long series."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from datastream.runtime.state_format.layout import is_run
from datastream.spark.process.session import session
from datastream.spark.state_store import pages, stores
from tests.chaos.disk import can_mount
from tests.chaos.file_jobs import ManyKeys
from tests.chaos.series import World
from tests.chaos.trial import FAULTS, Fault, Trial

# A busy machine takes half a minute for each start.
pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

TRIALS: dict[str, tuple[Fault, ...]] = {
    "keyed": ("flip", "driver"),
    "window": ("java", "pause"),
    "join": ("worker",),
    "connect": ("truncate",),
    "iterate": ("planner",),
    "large": ("disk",),
    "files": ("sink", "driver"),
    "many-keys": ("worker", "flip"),
    "sql-join": ("java", "truncate"),
    "kafka-count": ("broker",),
    "kafka-map": ("committer", "sink"),
    "kafka-window": ("worker", "java"),
    "kafka-sql": ("driver", "worker"),
}


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """Input, undisturbed results and a broker for all of them."""
    made = World()
    yield made
    made.close()


def test_all_kinds_and_faults_are_tried(world: World) -> None:
    assert TRIALS.keys() == world.kinds.keys()
    assert {fault for faults in TRIALS.values() for fault in faults} == set(FAULTS)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.xdist_group(f"chaos of {kind.partition('-')[0]}")) for kind in TRIALS]
)
def test_the_output_is_the_same_whatever_goes_wrong(world: World, kind: str) -> None:
    faults = tuple(fault for fault in TRIALS[kind] if fault != "disk" or can_mount())
    outcome = world.attempt(Trial(kind, faults, seed=1, pause_s=3, limit_s=500))
    assert outcome.identical, str(outcome)


@pytest.mark.xdist_group("chaos of many")
def test_the_state_of_many_keys_is_in_runs_and_ten_times_as_large_as_its_memory(world: World) -> None:
    kind = world.kinds[ManyKeys.name]
    assert isinstance(kind, ManyKeys)
    checkpoint = kind.undisturbed() / "checkpoint"
    spark = session.for_job("local[2]", {})
    rows = [
        row
        for store in stores(checkpoint)
        for row in pages(spark, checkpoint, store).selectExpr("page", "length(content) AS bytes").collect()
    ]
    in_runs = sum(row.bytes for row in rows if is_run(bytes(row.page)))
    assert in_runs > 0.99 * sum(row.bytes for row in rows)
    assert in_runs > 10 * kind.memory_mb << 20
