"""`HybridSource`: sources one after the other, in epochs, with restarts, on both executors."""

from __future__ import annotations

from pathlib import Path

import pytest

import datastream.compat as compat
from datastream.connectors.files import FileSource, StreamFormat
from datastream.connectors.hybrid_source import HybridSource
from datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from datastream.connectors.number_seq import NumberSequenceSource
from datastream.errors import ValidationError
from datastream.formats import SimpleStringSchema
from datastream.testing.conformance import SourceConformance
from datastream.time import Duration, WatermarkStrategy
from tests.support.drive import driven, read


def files_of(folder: Path, name: str, lines: list[str]):
    (folder / name).mkdir()
    for number, line in enumerate(lines):
        (folder / name / f"{number}.txt").write_text(line + "\n")
    return FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(folder / name)).build()


class TestHybridSource(SourceConformance):
    expected = [f"{file}-{line}" for file in ("a", "b", "c") for line in range(3)]
    most = None
    ordered = False

    def create(self, folder: Path) -> HybridSource:
        sources = [files_of(folder, name, [f"{name}-{line}" for line in range(3)]) for name in ("a", "b", "c")]
        return HybridSource.builder(sources[0]).add_source(sources[1]).add_source(sources[2]).build()


def test_an_epoch_reads_one_source_and_another_run_goes_on_in_the_middle() -> None:
    def source() -> HybridSource:
        return HybridSource.builder(NumberSequenceSource(1, 3)).add_source(NumberSequenceSource(7, 9)).build()

    read_so_far: list[int] = []
    offset = driven(source()).initial_offset()
    while True:
        made = driven(source())  # a new run for each epoch
        end = made.latest_offset(offset, 2)
        if end == offset:
            break
        assert not made.finished(offset)
        records = read(made, offset, end)
        assert len({record < 7 for record in records}) <= 1
        read_so_far += records
        offset = end
    assert made.finished(offset) and read_so_far == [1, 2, 3, 7, 8, 9]


def test_a_finished_job_looks_at_its_last_source_again(tmp_path: Path) -> None:
    def source() -> HybridSource:
        files = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(tmp_path / "f")).build()
        first = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(tmp_path / "g")).build()
        return HybridSource.builder(first).add_source(files).build()

    files_of(tmp_path, "f", ["1"])
    files_of(tmp_path, "g", ["0"])
    assert source().grows
    made = driven(source())
    first = made.latest_offset(made.initial_offset(), 10)
    end = made.latest_offset(first, 10)
    assert made.finished(end)
    (tmp_path / "f" / "later.txt").write_text("2\n")
    start = driven(source()).enumerator.reopen(end)
    again = driven(source())
    assert not again.finished(start)
    assert read(again, start, again.latest_offset(start, 10)) == ["2"]


def test_wrong_sources_are_refused(tmp_path):
    endless = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(tmp_path))
    watched = endless.monitor_continuously(Duration.of_seconds(1)).build()
    with pytest.raises(
        ValidationError, match="only the last source may be without an end; FileSource is number 1 of 2"
    ):
        HybridSource.builder(watched).add_source(endless.build()).build()
    with pytest.raises(ValidationError, match="records of one type, got String and Long"):
        HybridSource.builder(files_of(tmp_path, "f", ["x"])).add_source(NumberSequenceSource(1, 2)).build()
    with pytest.raises(ValidationError, match="expected a Source, got 'x'"):
        HybridSource.builder("x").build()


def test_the_names_of_pyflink():
    was = compat.installed()
    assert compat.install()
    try:
        from pyflink.datastream.connectors.hybrid_source import HybridSource as Alias
        from pyflink.datastream.connectors.hybrid_source import HybridSourceBuilder

        assert Alias is HybridSource
        assert isinstance(Alias.builder(NumberSequenceSource(1, 2)), HybridSourceBuilder)
    finally:
        if not was:
            compat.uninstall()


@pytest.mark.long
def test_files_and_then_a_topic(run, kafka, tmp_path):
    topic = kafka.topic(partitions=2)
    kafka.produce(topic, ["k1", "k2", "k3"])
    builder = KafkaSource.builder().set_bootstrap_servers(kafka.bootstrap).set_topics(topic).set_group_id("hybrid")
    builder.set_starting_offsets(KafkaOffsetsInitializer.earliest()).set_bounded(KafkaOffsetsInitializer.latest())
    records = builder.set_value_only_deserializer(SimpleStringSchema()).build()

    source = HybridSource.builder(files_of(tmp_path, "f", ["f1", "f2"])).add_source(records).build()
    env = run.environment(2)
    got = run.collect(env.from_source(source, WatermarkStrategy.no_watermarks(), "both"))
    assert sorted(got) == ["f1", "f2", "k1", "k2", "k3"]
