"""A small trial of each job. `scripts/chaos` runs large ones."""

from __future__ import annotations

import pytest

from tests.chaos.telling import Lines
from tests.chaos.trial import JOBS, Job, Trial
from tests.chaos.verdict import judge
from tests.support.servers.kafka import OwnBroker

# A busy machine takes half a minute for each of four starts.
pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

#: One for each job, so that together they kill each of the victims at least twice.
SEEDS = {"count": 1, "map": 2, "window": 3}


@pytest.mark.parametrize("job", JOBS)
def test_every_message_counts_exactly_once_whatever_is_killed(own_kafka: OwnBroker, job: Job) -> None:
    trial = Trial(messages=150_000, kills=3, seed=SEEDS[job], job=job, epoch_records=5_000, limit_s=500)
    verdict = judge(trial, own_kafka, Lines(trial.messages))
    assert verdict.right, str(verdict)
