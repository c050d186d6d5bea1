"""A fault of librdkafka that clients must be kept from."""

from __future__ import annotations

from typing import Any

from .library import confluent_kafka

#: librdkafka learned to begin anew with bootstrap.servers when all brokers are away.
_SINCE = 0x020B0000


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
