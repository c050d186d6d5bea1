"""The Kafka cases as bare loops of confluent-kafka in one process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import orjson
import pyarrow as pa
from confluent_kafka import TopicPartition
from deltalake import write_deltalake

from bench.kafka_broker import PARTITIONS, consumer, producer, topic
from bench.kafka_engine import ROW, WARM_UP
from bench.kafka_functions import change, counted, user_of
from bench.work import temporary_folder

_COMMIT_S = 1.0
_BATCH = 1000


def mapped(bootstrap: str, source: str, records: int, transactions: bool) -> dict[str, Any]:
    """Consume, change, produce."""
    return _loop(bootstrap, source, records, transactions, change)


def by_key(bootstrap: str, source: str, records: int, transactions: bool) -> dict[str, Any]:
    """Consume, count in a dict, produce."""
    counts: dict[str, int] = {}

    def count(data: bytes) -> bytes:
        user = user_of(data)
        counts[user] = found = counts.get(user, 0) + 1
        return counted(user, found)

    return _loop(bootstrap, source, records, transactions, count)


def into_delta(bootstrap: str, source: str, records: int) -> dict[str, Any]:
    """Consume, decode, and append columns to a table; offsets are committed after each append."""
    names = ROW.get_field_names()
    reader = consumer(bootstrap)
    reader.assign([TopicPartition(source, number, 0) for number in range(PARTITIONS)])
    rows: list[dict[str, Any]] = []
    done, began, counted_from = 0, 0.0, 0
    with temporary_folder() as folder:
        committed = time.monotonic()
        while done < records:
            for message in reader.consume(_BATCH, 0.1):
                rows.append(orjson.loads(message.value()))
                done += 1
            now = time.monotonic()
            if rows and (now - committed >= _COMMIT_S or done >= records):
                columns = pa.table({name: [row[name] for row in rows] for name in names})
                write_deltalake(f"{folder}/table", columns, mode="append")
                offsets = [place for place in reader.position(reader.assignment()) if place.offset >= 0]
                reader.commit(offsets=offsets, asynchronous=False)
                rows, committed = [], time.monotonic()
            if not began and done >= WARM_UP * records:
                began, counted_from = time.monotonic(), done
        took = time.monotonic() - began
    reader.close()
    return {"value": (done - counted_from) / took, "records": done - counted_from, "seconds": took}


def _loop(
    bootstrap: str, source: str, records: int, transactions: bool, work: Callable[[bytes], bytes]
) -> dict[str, Any]:
    """Offsets are committed every second: behind a flush, or in the transaction that holds the records."""
    reader = consumer(bootstrap, isolation_level="read_committed")
    reader.assign([TopicPartition(source, number, 0) for number in range(PARTITIONS)])
    with topic(bootstrap) as target:
        writer = producer(bootstrap, **({"transactional_id": target} if transactions else {"acks": "all"}))
        if transactions:
            writer.init_transactions()
            writer.begin_transaction()
        group = reader.consumer_group_metadata()

        def commit(go_on: bool) -> None:
            offsets = [place for place in reader.position(reader.assignment()) if place.offset >= 0]
            if transactions:
                writer.send_offsets_to_transaction(offsets, group)
                writer.commit_transaction()
                if go_on:
                    writer.begin_transaction()
            else:
                writer.flush()
                reader.commit(offsets=offsets, asynchronous=False)

        done, began, counted_from = 0, 0.0, 0
        committed = time.monotonic()
        while done < records:
            for message in reader.consume(_BATCH, 0.1):
                data = work(message.value())
                while True:
                    try:
                        writer.produce(target, data)
                        break
                    except BufferError:
                        writer.poll(0.05)
                done += 1
            writer.poll(0)
            now = time.monotonic()
            if now - committed >= _COMMIT_S or done >= records:
                commit(done < records)
                committed = time.monotonic()
            if not began and done >= WARM_UP * records:
                began, counted_from = time.monotonic(), done
        took = time.monotonic() - began
    reader.close()
    return {"value": (done - counted_from) / took, "records": done - counted_from, "seconds": took}
