"""confluent-kafka, an optional dependency, imported when it is first used; and faults that clients are kept from."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from types import ModuleType
from typing import Any

from datastream.errors import ValidationError

#: librdkafka learned to begin anew with bootstrap.servers when all brokers are away.
_SINCE = 0x020B0000


def confluent_kafka() -> ModuleType:
    """The client library, with its ``admin`` module loaded.

    Raises:
        ValidationError: it is not installed.
    """
    try:
        import confluent_kafka
        import confluent_kafka.admin
    except ImportError as error:
        raise ValidationError(
            f"The Kafka connector needs confluent-kafka ({error}): pip install confluent-kafka"
        ) from None
    return confluent_kafka


@cache
def consumer_class() -> type[Any]:
    """The class of consumers: a dropped one closes itself, since librdkafka (2.16) may wait for ever for a fetch."""
    library = confluent_kafka()

    class Consumer(library.Consumer):  # type: ignore[name-defined,misc]  # imported when it is first used
        def __del__(self) -> None:
            if not sys.is_finalizing():  # nothing waits for it then
                with suppress(RuntimeError, library.KafkaException):
                    self.close()

    return Consumer


def share_consumer_class() -> Any:
    """The class of consumers of share groups.

    Raises:
        ValidationError: the library is older than they are.
    """
    library = confluent_kafka()
    if not hasattr(library, "ShareConsumer"):
        raise ValidationError(
            f"share groups need confluent-kafka 2.16 or later, there is {library.version()[0]}: "
            "pip install --upgrade confluent-kafka"
        )
    return library.ShareConsumer


def without_rebootstrap(config: dict[str, Any]) -> dict[str, Any]:
    """A configuration of a client that keeps the brokers it knows while they are away.

    Otherwise librdkafka (2.16) forgets them all and begins anew, and requests that wait for a coordinator are lost with
    them: after a broker was killed and started again, ``send_offsets_to_transaction`` hung for minutes whatever its
    timeout, or the process died of a segmentation fault. A cluster all of whose brokers get new addresses while a job
    runs needs a restart of the job. So does an answer that names no brokers at all, as a cluster's only broker gives it
    for an instant after it was suspended for longer than its session with the controller: the client (which, unlike
    Java's, believes that) fails after its time-outs, and the restart makes a new one.
    """
    if confluent_kafka().libversion()[1] >= _SINCE:
        config["metadata.recovery.strategy"] = "none"
    return config
