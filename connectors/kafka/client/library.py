"""confluent-kafka, an optional dependency, imported when it is first used."""

from __future__ import annotations

from types import ModuleType

from datastream.errors import ValidationError


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
