"""Each record once, to those who read what is committed: replays, zombies, crashes."""

import logging
import random

import pytest

from datastream.connectors.kafka import KafkaFailure
from datastream.io import Batch
from tests.support.drive import WORKER, begun, context, kept_writer, write
from tests.support.kafka.sinks import EXACTLY_ONCE, sink_of, text_serializer, values


@pytest.fixture
def topic(kafka):
    return kafka.topic()


def test_an_epoch_that_is_run_again_writes_nothing(kafka, topic, caplog):
    caplog.set_level(logging.INFO, "datastream.connectors.kafka")
    sink = sink_of(kafka, topic, prefix=topic)
    for epoch in range(3):
        for attempt in range(3):
            write(sink, context(epoch, attempt=attempt), [f"{epoch}a"], [f"{epoch}b"])
    assert values(kafka, topic) == ["0a", "0b", "1a", "1b", "2a", "2b"]
    told = [record.getMessage() for record in caplog.records if "committed already" in record.getMessage()]
    assert len(told) == 6
    assert told[0] == f"{topic}-s-0: epoch 0 is committed already; its records are not written again"


def test_a_new_process_finds_the_marker(kafka, topic):
    for _ in range(3):
        write(sink_of(kafka, topic, prefix=topic), context(4), ["a"])
        WORKER.close()
    write(sink_of(kafka, topic, prefix=topic), context(5), ["b"])
    assert values(kafka, topic) == ["a", "b"]


def test_a_replay_of_another_number_of_records_is_told(kafka, topic, caplog):
    sink = sink_of(kafka, topic, prefix=topic)
    write(sink, context(), ["a", "b"])
    write(sink, context(), ["a"], ["b", "c"])
    assert "committed with 2 records, and its replay gave 3" in caplog.text
    assert values(kafka, topic) == ["a", "b"]


def test_a_checkpoint_that_is_behind_is_refused(kafka, topic):
    sink = sink_of(kafka, topic, prefix=topic)
    write(sink, context(7), ["a"])
    with pytest.raises(KafkaFailure, match=r"the job is at epoch 6, but its task 0 has written epoch 7 .*older copy"):
        write(sink, context(6), ["b"])
    assert values(kafka, topic, committed=False) == ["a"]


def test_markers_of_another_job_mean_nothing(kafka, topic):
    for job in ("first", "second", "first"):
        write(sink_of(kafka, topic, prefix=topic), context(3, job=job), [job])
    # A third job in a fresh process.
    WORKER.close()
    write(sink_of(kafka, topic, prefix=topic), context(0, job="third"), ["third"])
    assert values(kafka, topic)[-1] == "third"
    assert values(kafka, topic).count("second") == 1


def test_nothing_is_visible_before_the_commit_or_after_an_abort(kafka, topic):
    writer = begun(sink_of(kafka, topic, prefix=topic), context())
    writer.write(Batch(["a"]))
    assert values(kafka, topic) == []
    writer.abort()
    assert values(kafka, topic) == []
    write(sink_of(kafka, topic, prefix=topic), context(attempt=1), ["b"])
    assert values(kafka, topic) == ["b"]


def test_an_abort_after_the_commit_changes_nothing(kafka, topic):
    writer = begun(sink_of(kafka, topic, prefix=topic), context())
    writer.write(Batch(["a"]))
    writer.prepare_commit()
    writer.abort()
    write(sink_of(kafka, topic, prefix=topic), context(1), ["b"])
    assert values(kafka, topic) == ["a", "b"]


@pytest.mark.parametrize("flushed", [False, True])
def test_a_zombie_cannot_commit(kafka, topic, flushed):
    sink = sink_of(kafka, topic, prefix=topic)
    write(sink, context(0), ["before"])
    zombie = begun(sink, context(1))
    zombie.write(Batch(["zombie"]))
    if flushed:
        zombie._producer.producer.flush()
    write(sink, context(1, attempt=1), ["heir"])
    with pytest.raises(KafkaFailure, match=r"transaction '.*-s-0' of epoch 1 .*another producer took over") as raised:
        zombie.prepare_commit()
    zombie.abort()
    assert "only one job may use a prefix" in str(raised.value)
    write(sink, context(2), ["after"])
    assert values(kafka, topic) == ["after", "before", "heir"]


def test_a_kept_producer_that_was_shut_out_is_replaced(kafka, topic):
    sink = sink_of(kafka, topic, prefix=topic)
    write(sink, context(0), ["0"])
    write(sink_of(kafka, topic, prefix=topic), context(1), ["1"])  # as if it were in another process
    write(sink, context(2), ["2"])
    assert values(kafka, topic) == ["0", "1", "2"]


def test_a_transaction_of_a_job_that_is_gone_is_ended_by_the_next(kafka, topic):
    lost = begun(sink_of(kafka, topic, prefix=topic), context())
    lost.write(Batch(["lost"]))
    lost._producer.producer.flush()
    kafka.produce(topic, ["behind"])
    assert values(kafka, topic) == [], "readers wait behind an open transaction"
    write(sink_of(kafka, topic, prefix=topic), context(attempt=1), ["found"])
    assert values(kafka, topic) == ["behind", "found"]
    lost.abort()


def test_tasks_that_write_now_and_then(kafka, topic):
    sink = sink_of(kafka, topic, prefix=topic)
    for epoch, subtasks in enumerate([(0, 1, 2), (1,), (), (0,), (2, 1), (2,), (0,)]):
        for subtask in subtasks:
            for attempt in range(2):
                write(sink, context(epoch, subtask, attempt), [f"{epoch}.{subtask}"])
    assert values(kafka, topic) == ["0.0", "0.1", "0.2", "1.1", "3.0", "4.1", "4.2", "5.2", "6.0"]


def test_topics_that_change_from_epoch_to_epoch(kafka):
    topics = [kafka.topic() for _ in range(3)]
    sink = sink_of(kafka, text_serializer(Chosen(topics)).build(), prefix=topics[0])
    expected = [[], [], []]
    for epoch, record in enumerate(["0", "1", "12", "2", "20", "01", "1"]):
        for attempt in range(2):
            write(sink, context(epoch, attempt=attempt), [f"{n}{epoch}" for n in record])
            if attempt:
                WORKER.close()
        for n in record:
            expected[int(n)].append(f"{n}{epoch}")
    assert [values(kafka, topic) for topic in topics] == [sorted(one) for one in expected]


class Chosen:
    def __init__(self, topics):
        self._topics = topics

    def __call__(self, record):
        return self._topics[int(record[0])]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_random_crashes(kafka, seed):
    """Epochs that are cut off anywhere and run again, by kept or new producers, with zombies that come back."""
    draw = random.Random(seed)
    topic = kafka.topic(partitions=2)
    sink = sink_of(kafka, topic, prefix=topic)
    zombies, expected = [], []
    for epoch in range(8):
        rows = {task: [f"{epoch}.{task}.{i}" for i in range(draw.randrange(3))] for task in range(3)}
        expected += sum(rows.values(), [])
        attempt = 0
        while True:
            end = draw.choice(["done", "done", "crash", "abort", "new process"])
            stop = draw.randrange(3) if end in ("crash", "abort") else 3
            for task in range(3):
                kept = kept_writer(sink, context(epoch, task, attempt))
                writer = kept.value
                for row in rows[task]:
                    writer.write(Batch([row]))
                if task == stop:
                    if end == "abort":
                        writer.abort()
                    else:
                        zombies.append(writer)
                    break
                writer.prepare_commit()
                WORKER.give_back(kept)
            if draw.random() < 0.3 and zombies:
                zombie = zombies.pop()
                try:
                    # It has written nothing, or the task has not run again yet, or another one shut it out.
                    zombie.prepare_commit()
                except KafkaFailure:
                    zombie.abort()
            if end == "new process":
                WORKER.close()
            if end == "done":
                break
            attempt += 1
    for zombie in zombies:
        zombie.abort()
    assert values(kafka, topic) == sorted(expected)


def test_markers_are_offsets_of_a_group_named_like_the_transactional_id(kafka, topic):
    from confluent_kafka import ConsumerGroupTopicPartitions

    write(sink_of(kafka, topic, EXACTLY_ONCE, prefix=topic), context(41, job="the job"), ["a", "b"])
    request = [ConsumerGroupTopicPartitions(f"{topic}-s-0")]
    # An AdminClient shows nothing of a group as long as its first transaction is being committed.
    found = []
    while not found:
        [answer] = kafka.admin().list_consumer_group_offsets(request, require_stable=True).values()
        found = answer.result(timeout=30).topic_partitions
    [offset] = found
    assert (offset.topic, offset.partition, offset.offset) == (topic, 0, 42)
    assert '"job": "the job", "epoch": 41' in offset.metadata
    assert '"records": 2' in offset.metadata
