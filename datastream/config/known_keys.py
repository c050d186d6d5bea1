"""Which keys of settings have an effect, and what a misspelt one was meant to be."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from difflib import get_close_matches

from datastream.errors import ValidationError

_OURS = "datastream."
OUR_KEYS = (
    "datastream.epoch.max-records",
    "datastream.epoch.target-ms",
    "datastream.record.max-bytes",
    "datastream.metrics.port",
    "datastream.metrics.address",
    "datastream.metrics.push.url",
    "datastream.metrics.push.interval-s",
    "datastream.metrics.max-series",
    "datastream.trigger.interval-ms",
    "datastream.restart.give-up-after",
    "datastream.types.check",
    "datastream.python.environment",
    "datastream.python.container.image",
    "datastream.python.container.memory",
    "datastream.python.container.cpus",
    "datastream.python.container.user",
    "datastream.python.container.network",
    "datastream.python.container.mounts",
    "datastream.python.container.variables",
    "datastream.python.container.arguments",
    "datastream.java.archive",
    "datastream.log.level",
    "datastream.log.max-per-second",
    "datastream.warnings.enabled",
    "datastream.warnings.after-ms",
    "datastream.warnings.min-records",
)
#: Flink 2 calls them by the first name, and knows the second.
SAVEPOINT_PATH = ("execution.state-recovery.path", "execution.savepoint.path")
IGNORE_UNCLAIMED = (
    "execution.state-recovery.ignore-unclaimed-state",
    "execution.savepoint.ignore-unclaimed-state",
)
FLINK_KEYS = (
    "parallelism.default",
    "pipeline.max-parallelism",
    "execution.runtime-mode",
    "execution.checkpointing.dir",
    "execution.checkpointing.interval",
    *SAVEPOINT_PATH,
    *IGNORE_UNCLAIMED,
    "execution.checkpointing.savepoint-dir",
    "state.savepoints.dir",
    "execution.checkpointing.timeout",
    "execution.checkpointing.min-pause",
    "execution.checkpointing.tolerable-failed-checkpoints",
    "execution.checkpointing.externalized-checkpoint-retention",
    "execution.checkpointing.num-retained",
    "state.checkpoints.num-retained",
    "restart-strategy.type",
    "restart-strategy.fixed-delay.attempts",
    "restart-strategy.fixed-delay.delay",
    "restart-strategy.failure-rate.max-failures-per-interval",
    "restart-strategy.failure-rate.failure-rate-interval",
    "restart-strategy.failure-rate.delay",
    "restart-strategy.exponential-delay.initial-backoff",
    "restart-strategy.exponential-delay.max-backoff",
    "restart-strategy.exponential-delay.backoff-multiplier",
    "restart-strategy.exponential-delay.reset-backoff-threshold",
    "restart-strategy.exponential-delay.jitter-factor",
    "restart-strategy.exponential-delay.attempts-before-reset-backoff",
    "python.files",
    "python.requirements",
    "python.archives",
    "python.executable",
    "python.client.executable",
    "python.pythonpath",
    "python.execution-mode",
    "pipeline.cached-files",
    "pipeline.operator-chaining.enabled",
    "pipeline.operator-chaining",
    "pipeline.global-job-parameters",
)

#: How alike a key of Flink's must be for a warning: closer than any two keys that Flink has.
_NEAR = 0.93


def check_keys(keys: Iterable[str]) -> None:
    """Refuse unknown settings of ours, and warn of misspelt ones of Flink's that have an effect here.

    Raises:
        ValidationError: a key begins with ``datastream.`` and is none of ours.
    """
    for key in sorted(keys):
        remedy = remedy_of(key)
        if remedy is not None and key.startswith(_OURS):
            raise ValidationError(f"there is no setting '{key}'; {remedy}")
        if remedy is not None:
            logging.getLogger("datastream").warning("the setting '%s' is unknown; %s", key, remedy)


def remedy_of(key: str) -> str | None:
    """What to write instead of a key that is wrong, or nearly one of Flink's; None: the key may stand."""
    if key.startswith(_OURS) and key not in OUR_KEYS:
        near = get_close_matches(key, OUR_KEYS, 1, 0.75)
        return f"did you mean {near[0]}?" if near else f"there are {', '.join(OUR_KEYS)}"
    if key not in FLINK_KEYS and not key.startswith(("spark.", _OURS)):
        near = get_close_matches(key, FLINK_KEYS, 1, _NEAR)
        return f"did you mean {near[0]}?" if near else None
    return None
