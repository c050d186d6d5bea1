"""A small trial of each kind of job; together they have all the faults. `scripts/chaos` runs long series."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.chaos.disk import can_mount
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
