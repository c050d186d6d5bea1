"""What an epoch reads: shares of partitions, splits, starting and stopping offsets, new partitions."""

from __future__ import annotations

import time

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from hypothesis import example, given
from hypothesis import strategies as st

from datastream import StreamExecutionEnvironment, ValidationError
from datastream.connectors.kafka import (
    KafkaOffsetResetStrategy,
    KafkaOffsetsInitializer,
    KafkaSource,
    KafkaTopicPartition,
)
from datastream.connectors.kafka.client.topic_partition import from_json, to_json
from datastream.connectors.kafka.source.splits import divide_budget
from datastream.formats import SimpleStringSchema
from datastream.graph import operators as ops
from datastream.table import StreamTableEnvironment
from tests.support.drive import driven
from tests.support.kafka.sources import builder, drain, eventually

BACKLOGS = st.dictionaries(st.integers(0, 50), st.integers(0, 10**7) | st.integers(0, 5), max_size=30)


@example({0: 1, 1: 1, 2: 1, 3: 1, 4: 8, 5: 9}, 8)
@given(BACKLOGS, st.integers(1, 10**6))
def test_shares(backlog, budget):
    given = divide_budget(backlog, budget)
    waiting = {key: count for key, count in backlog.items() if count}
    assert given.keys() == waiting.keys(), "every partition with a backlog advances, and no other"
    assert all(1 <= count <= waiting[key] for key, count in given.items())
    assert sum(given.values()) == min(sum(waiting.values()), max(budget, len(waiting)))
    for a in given:
        for b in given:
            assert waiting[a] <= waiting[b] or given[a] >= given[b], "who has more to read, reads more"


POSITIONS = st.dictionaries(
    st.builds(KafkaTopicPartition, st.sampled_from(["a", "b", "a-1"]), st.integers(0, 12)),
    st.integers(0, 9),
    max_size=9,
)


FAR = (
    KafkaSource.builder()
    .set_bootstrap_servers("127.0.0.1:1")
    .set_topics("t")
    .set_value_only_deserializer(SimpleStringSchema())
    .build()
)


@given(POSITIONS, st.integers(0, 9), st.integers(1, 5), st.sampled_from([None, "from"]))
def test_splits_cover_what_is_new(positions, more, parallelism, begun):
    start = {"partitions": to_json(positions), "stop": None}
    ends = {at: n + (more if at.partition % 2 else 0) for at, n in positions.items()}
    new = KafkaTopicPartition("new", 3)
    end = {"partitions": to_json({**ends, new: 7}), "stop": None, "from": to_json({new: 2})}
    plan = driven(FAR).splits
    splits = plan(start, end, parallelism)
    assert splits == plan(start, end, parallelism)
    found = {KafkaTopicPartition(s.topic, s.partition): (s.start, s.end) for s in splits}
    assert list(found) == sorted(found)
    assert len(found) == len(splits)
    assert found == {at: (positions[at], n) for at, n in ends.items() if n > positions[at]} | {new: (2, 7)}
    for i, split in enumerate(splits):
        assert split.ahead == tuple((s.topic, s.partition, s.start) for s in splits[i + parallelism :: parallelism][:3])


@given(POSITIONS)
def test_offsets_through_json(positions):
    assert from_json(to_json(positions)) == positions


def filled(kafka, partitions=2, each=10, at=None):
    topic = kafka.topic(partitions=partitions, retention_ms=-1)  # timestamps of 1970 would have expired
    for partition in range(partitions):
        kafka.produce(topic, [f"{partition}:{i}" for i in range(each)], partition=partition, timestamp=at)
    return topic


def offsets_of(offset, topic):
    return [offset["partitions"][topic][key] for key in sorted(offset["partitions"][topic])]


def test_what_waits_behind_an_offset(kafka):
    topic = filled(kafka)
    source = driven(builder(kafka, topic).build())
    start = source.initial_offset()
    assert source.backlog(start) == {}, "nobody has asked the brokers yet"
    end = source.latest_offset(start, 10)
    assert source.backlog(start) == {f"{topic}-0": 10, f"{topic}-1": 10}
    assert source.backlog(end) == {f"{topic}-0": 5, f"{topic}-1": 5}
    kafka.produce(topic, ["new"], partition=1)
    eventually(lambda: source.latest_offset(end, 100) and source.backlog(end)[f"{topic}-1"] == 6)


def test_what_waits_before_the_end_of_a_bounded_source(kafka):
    topic = filled(kafka, partitions=1)
    stop = KafkaOffsetsInitializer.offsets({KafkaTopicPartition(topic, 0): 4})
    source = driven(builder(kafka, topic).set_bounded(stop).build())
    start = source.initial_offset()
    source.latest_offset(start, 1)
    assert source.backlog(start) == {f"{topic}-0": 4}


def test_starting_offsets(kafka):
    topic = filled(kafka, at=1_000)
    kafka.produce(topic, ["late"], partition=0, timestamp=5_000)
    start = KafkaOffsetsInitializer
    one = KafkaTopicPartition(topic, 1)

    def initial(initializer, **properties):
        made = builder(kafka, topic).set_starting_offsets(initializer).set_properties(properties)
        return offsets_of(driven(made.build()).initial_offset(), topic)

    assert initial(start.earliest()) == [0, 0]
    assert initial(start.latest()) == [11, 10]
    assert initial(start.timestamp(2_000)) == [10, 10]
    assert initial(start.timestamp(0)) == [0, 0]
    assert initial(start.offsets({one: 4})) == [0, 4]
    assert initial(start.offsets({one: 4}, KafkaOffsetResetStrategy.LATEST)) == [11, 4]
    # What is given but not there is reset as well.
    assert initial(start.offsets({one: 999})) == [0, 0]
    assert initial(start.offsets({one: 999}, KafkaOffsetResetStrategy.LATEST)) == [11, 10]
    with pytest.raises(
        ValidationError, match=f"'{topic}', partition 1: offset 999 is not there; available are 0 to 10"
    ):
        initial(start.offsets({one: 999, KafkaTopicPartition(topic, 0): 0}, KafkaOffsetResetStrategy.NONE))


def test_committed_offsets(kafka):
    topic = filled(kafka)
    committed, resets = KafkaOffsetsInitializer.committed_offsets, KafkaOffsetResetStrategy

    def made(initializer):
        return driven(builder(kafka, topic).set_group_id(topic).set_starting_offsets(initializer).build())

    with pytest.raises(ValidationError, match=f"group '{topic}' has committed no offset for topic '{topic}'"):
        made(committed()).initial_offset()
    assert offsets_of(made(committed(resets.EARLIEST)).initial_offset(), topic) == [0, 0]
    assert offsets_of(made(committed(resets.LATEST)).initial_offset(), topic) == [10, 10]
    source = made(KafkaOffsetsInitializer.earliest())
    source.commit({"partitions": {topic: {"0": 3, "1": 10}}, "stop": None})
    eventually(lambda: offsets_of(made(committed(resets.EARLIEST)).initial_offset(), topic) == [3, 10])
    assert offsets_of(made(committed()).initial_offset(), topic) == [3, 10]
    given = KafkaOffsetsInitializer.offsets({KafkaTopicPartition(topic, 0): 1})
    assert offsets_of(made(given).initial_offset(), topic) == [1, 10]
    with pytest.raises(ValidationError, match=r"committed_offsets\(\) needs set_group_id"):
        builder(kafka, topic).set_starting_offsets(committed()).build()


def test_commits_can_be_turned_off(kafka):
    topic = filled(kafka)
    source = builder(kafka, topic).set_group_id(topic).set_property("commit.offsets.on.checkpoint", "false").build()
    driven(source).commit({"partitions": {topic: {"0": 3}}, "stop": None})
    driven(source).close()
    [group] = kafka.admin().list_consumer_group_offsets([ConsumerGroupTopicPartitions(topic)]).values()
    assert not group.result(timeout=30).topic_partitions


def test_a_commit_that_fails_is_a_warning(kafka, caplog):
    topic = filled(kafka)
    member = kafka.consumer(group_id=topic)
    member.subscribe([topic])
    eventually(lambda: member.poll(0.1) is not None and bool(member.assignment()))
    source = driven(builder(kafka, topic).set_group_id(topic).build())
    source.commit({"partitions": {topic: {"0": 3}}, "stop": None})
    source.close()
    assert "the job itself is not affected" in caplog.text
    assert f"commit the offsets of consumer group '{topic}'" in caplog.text
    member.close()


def test_stopping_offsets_are_fixed_at_the_start(kafka):
    topic = filled(kafka)
    source = driven(builder(kafka, topic).set_bounded(KafkaOffsetsInitializer.latest()).build())
    start = source.initial_offset()
    assert start["stop"] == {topic: {"0": 10, "1": 10}}
    kafka.produce(topic, ["later"], partition=0)
    records, end = drain(source, start)
    assert sorted(records) == sorted(f"{p}:{i}" for p in range(2) for i in range(10))
    assert source.finished(end) and source.source.bounded
    assert source.lanes(start) == [f"{topic}-0", f"{topic}-1"]
    assert source.lanes(end) == []


def test_unbounded_with_stopping_offsets(kafka):
    topic = filled(kafka)
    stops = KafkaOffsetsInitializer.offsets({KafkaTopicPartition(topic, 0): 3, KafkaTopicPartition(topic, 1): 12})
    source = driven(builder(kafka, topic).set_unbounded(stops).build())
    assert not source.source.bounded
    records, end = drain(source, source.initial_offset())
    assert not source.finished(end), "two records are still to come"
    kafka.produce(topic, ["x", "y", "z"], partition=1)
    more, end = drain(source, end)
    assert source.finished(end)
    assert sorted(records + more) == sorted([*(f"0:{i}" for i in range(3)), *(f"1:{i}" for i in range(10)), "x", "y"])


def test_an_epoch_holds_its_budget(kafka):
    topic = filled(kafka, each=100)
    source = driven(builder(kafka, topic).build())
    start = source.initial_offset()
    end = source.latest_offset(start, 20)
    assert offsets_of(end, topic) == [10, 10]
    assert source.latest_offset(end, 1000)["partitions"][topic] == {"0": 100, "1": 100}


def test_nothing_new_is_the_same_offset(kafka):
    topic = filled(kafka)
    source = driven(builder(kafka, topic).set_starting_offsets(KafkaOffsetsInitializer.latest()).build())
    start = source.initial_offset()
    assert source.latest_offset(start, 100) is start
    assert not source.finished(start)


def test_a_topic_that_gains_partitions(kafka):
    topic = filled(kafka)
    source = (
        builder(kafka, topic)
        .set_starting_offsets(KafkaOffsetsInitializer.latest())
        .set_property("partition.discovery.interval.ms", "1")
        .build()
    )
    source = driven(source)
    start = source.initial_offset()
    kafka.add_partitions(topic, 4)
    kafka.produce(topic, ["new"], partition=3)
    records, end = drain(source, start, until=lambda found: found)
    assert records == ["new"], "a new partition is read from its first record, though the job began at the end"
    assert source.lanes(end) == [f"{topic}-0", f"{topic}-1", f"{topic}-3"]
    kafka.produce(topic, ["also"], partition=2)
    assert drain(source, end, until=lambda found: found)[0] == ["also"]


def test_no_partitions_are_discovered_when_that_is_off(kafka):
    topic = filled(kafka)
    source = driven(builder(kafka, topic).set_property("partition.discovery.interval.ms", "-1").build())
    start = source.initial_offset()
    kafka.add_partitions(topic, 3)
    kafka.produce(topic, ["new"], partition=2)
    time.sleep(0.01)
    assert len(drain(source, start)[0]) == 20


def test_topics_that_appear_match_a_pattern(kafka):
    prefix = f"pat-{time.time_ns()}"
    source = builder(kafka, pattern=f"{prefix}-[ab]").set_property("partition.discovery.interval.ms", "1").build()
    source.validate()
    source = driven(source)
    start = source.initial_offset()
    assert start["partitions"] == {} and source.latest_offset(start, 10) is start
    for name in ("a", "c", "ab", "b"):
        kafka.create(f"{prefix}-{name}")
        kafka.produce(f"{prefix}-{name}", [name])
    records, _ = drain(source, start, until=lambda found: len(found) == 2)
    assert sorted(records) == ["a", "b"]


def test_chosen_partitions(kafka):
    topic = filled(kafka, partitions=3)
    chosen = {KafkaTopicPartition(topic, 2), KafkaTopicPartition(topic, 0)}
    source = builder(kafka, partitions=chosen).set_bounded(KafkaOffsetsInitializer.latest()).build()
    source.validate()
    source = driven(source)
    records, _ = drain(source, source.initial_offset())
    assert sorted(records) == sorted(f"{p}:{i}" for p in (0, 2) for i in range(10))


def test_a_start_behind_the_end_takes_new_stopping_offsets(kafka):
    topic = filled(kafka)

    def started():
        return driven(builder(kafka, topic).set_bounded(KafkaOffsetsInitializer.latest()).build())

    first = started()
    _, end = drain(first, first.initial_offset())
    assert started().enumerator.reopen(end)["partitions"] == end["partitions"]
    assert started().finished(started().enumerator.reopen(end)), "there is nothing new"

    kafka.produce(topic, ["new"], partition=1)
    kafka.add_partitions(topic, 3)
    kafka.produce(topic, ["added"], partition=2)
    later = started()
    start = later.enumerator.reopen(end)
    assert not later.finished(start)
    kafka.produce(topic, ["too late"], partition=0)
    records, end = drain(later, start)
    assert sorted(records) == ["added", "new"]
    assert later.finished(end)
    assert drain(started(), end) == ([], end), "a start in the middle of a run keeps its end"


def of_table(kafka, topic, group, mode):
    """The source of a table in SQL."""
    tables = StreamTableEnvironment.create(StreamExecutionEnvironment.get_execution_environment())
    tables.execute_sql(
        f"CREATE TABLE t (line STRING) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'format' = 'raw', "
        f"'properties.bootstrap.servers' = '{kafka.bootstrap}', 'properties.group.id' = '{group}', "
        f"'scan.startup.mode' = 'earliest-offset', {mode})"
    )
    tables.to_changelog_stream(tables.sql_query("SELECT * FROM t"))
    (found,) = (op.source for op in tables._session.builder.operators.values() if isinstance(op, ops.Source))
    return found


@pytest.mark.parametrize("sql", [False, True], ids=["builder", "sql"])
def test_each_kind_of_end_at_a_later_start(kafka, sql):
    """Partition 0 has the records 0 and 1 at first; what was read then, and by the start behind 2, 3, and 4, 5."""
    ends = KafkaOffsetsInitializer
    modes = {
        "latest": "'scan.bounded.mode' = 'latest-offset'",
        "timestamp": "'scan.bounded.mode' = 'timestamp', 'scan.bounded.timestamp-millis' = '4500'",
        "offsets": "'scan.bounded.mode' = 'specific-offsets', 'scan.bounded.specific-offsets' = 'partition:0,offset:3'",
        "committed": "'scan.bounded.mode' = 'group-offsets'",
    }
    wanted = {
        "latest": (["0", "1"], ["2", "3"], ["4", "5"]),
        "timestamp": (["0", "1"], ["2", "3"], []),  # those before 4.5 s
        "offsets": (["0", "1"], ["2"], []),
        "committed": (["0"], ["1", "2"], []),  # what the group has committed at each start
    }
    for kind, (mode, runs) in {kind: (mode, wanted[kind]) for kind, mode in modes.items()}.items():
        topic = kafka.topic(partitions=1, retention_ms=-1)
        group = f"{topic}-group"
        at = KafkaTopicPartition(topic, 0)

        def started(kind=kind, mode=mode, topic=topic, group=group, at=at):
            if sql:
                return driven(of_table(kafka, topic, group, mode))
            stops = {
                "latest": ends.latest,
                "timestamp": lambda: ends.timestamp(4_500),
                "offsets": lambda: ends.offsets({at: 3}),
                "committed": lambda: ends.committed_offsets(KafkaOffsetResetStrategy.EARLIEST),
            }
            return driven(builder(kafka, topic).set_group_id(group).set_bounded(stops[kind]()).build())

        end = None
        for number, (run, committed) in enumerate(zip(runs, (1, 3, 3), strict=True)):
            for record in (2 * number, 2 * number + 1):
                kafka.produce(topic, [str(record)], partition=0, timestamp=1_000 + record * 1_000)
            if kind == "committed":
                member = kafka.consumer(group_id=group)
                member.commit(offsets=[TopicPartition(topic, 0, committed)], asynchronous=False)
                member.close()
            source = started()
            start = source.initial_offset() if end is None else source.enumerator.reopen(end)
            records, end = drain(source, start)
            if kind == "offsets" and number == 0:  # the third record is still to come
                assert not source.finished(end)
            else:
                assert source.finished(end), (kind, number)
            assert [each[0] if isinstance(each, tuple) else each for each in records] == run, (kind, number)


def test_a_checkpoint_of_a_job_with_other_stopping_offsets(kafka):
    topic = filled(kafka)
    unbounded = driven(builder(kafka, topic).build())
    records, end = drain(unbounded, unbounded.initial_offset(), until=lambda records: len(records) == 20)
    kafka.produce(topic, ["more"], partition=1)
    bounded = driven(builder(kafka, topic).set_bounded(KafkaOffsetsInitializer.latest()).build())
    assert not bounded.finished(end)
    records, end = drain(bounded, end)
    assert records == ["more"]
    assert bounded.finished(end)
    again = driven(builder(kafka, topic).build())
    assert not again.finished(end)
    kafka.produce(topic, ["and more"], partition=0)
    assert drain(again, end, until=lambda records: records)[0] == ["and more"]
