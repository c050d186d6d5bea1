"""What can be said of a Kafka sink before the job runs."""

from __future__ import annotations

import difflib
import time
from typing import Any

from datastream.errors import ValidationError

from ..client.errors import BrokersAway, KafkaFailure, explain, is_final, kafka_error, name_of
from ..client.properties import make_client
from .partition_counts import CREATION_SECONDS
from .producer import Producer
from .settings import WriteSettings, producer_config

#: How long the brokers may take to answer when a job starts.
ANSWER_SECONDS = 20.0

_CALL_SECONDS = 2.0
_PAUSE = 0.1
_NO_TOPIC = ("UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC", "LEADER_NOT_AVAILABLE")


def check_sink(settings: WriteSettings, topic: str | None) -> None:
    """Connect as the writers will, and look for the topic.

    Args:
        settings: The sink's.
        topic: The topic that all records go to, or None. Where the brokers make topics by themselves, it is made now.

    Raises:
        ValidationError: a property is wrong, the brokers refuse the user, or there is no topic.
        BrokersAway: the brokers do not answer.
    """
    config = producer_config(settings.properties, settings.guarantee, "check")
    config.pop("transactional.id", None)  # never initialised here, and closing it would complain
    make_client(config, "producer")  # refuses properties that contradict each other
    # An idempotent client also asks for an id to write with. Whether it may, is answered before or after the look-up,
    # and a transactional writer needs other rights for it.
    producer = Producer(config | {"enable.idempotence": False})
    try:
        _wait_for(producer, topic)
    except BrokersAway as failure:
        raise BrokersAway(f"KafkaSink: {failure}") from None
    except KafkaFailure as failure:
        raise ValidationError(f"KafkaSink: {failure}") from None
    finally:
        producer.close()


def _wait_for(producer: Producer, topic: str | None) -> None:
    doing = "connect" if topic is None else f"look up topic {topic!r}"
    start = time.monotonic()
    answered: float | None = None
    while True:
        error = _error(producer, topic)
        producer.serve(0)
        if error is None:
            return
        refused = producer.reports.refused()
        if refused is not None:
            raise refused
        now = time.monotonic()
        missing = name_of(error) in _NO_TOPIC
        if missing:
            answered = answered or now
        if is_final(error) or now - start > ANSWER_SECONDS or (answered and now - answered > CREATION_SECONDS):
            failure = KafkaFailure if missing or is_final(error) else BrokersAway
            raise failure(explain(error, doing, producer.properties) + _similar(producer, topic, missing))
        time.sleep(_PAUSE)


def _error(producer: Producer, topic: str | None) -> Any:
    try:
        topics = producer.producer.list_topics(topic, timeout=_CALL_SECONDS).topics
    except Exception as exception:
        error = kafka_error(exception)
        if error is None:
            raise
        return error
    return None if topic is None else topics[topic].error


def _similar(producer: Producer, topic: str | None, missing: bool) -> str:
    if topic is None or not missing:
        return ""
    there = sorted(name for name in producer.producer.list_topics(timeout=_CALL_SECONDS).topics if name != topic)
    close = difflib.get_close_matches(topic, there, cutoff=0.5) or [name for name in there if name[:2] != "__"][:5]
    return f"; there are {', '.join(map(repr, close))}" if close else "; there are no topics"
