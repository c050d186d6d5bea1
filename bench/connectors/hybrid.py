"""``python -m bench.connectors.hybrid``: lines of files and then records of a topic, ours and by bare clients."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import click

from bench.connectors.dynamic_kafka import read_bare as read_topic
from bench.connectors.sides import Rates, read
from bench.kafka_broker import broker
from datastream.connectors.files import FileSource, StreamFormat
from datastream.connectors.hybrid_source import HybridSource
from datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from datastream.formats import SimpleStringSchema
from datastream.io import Source

#: How many files there are.
_FILES = 4


def archive_of(folder: str) -> Source:
    """The files."""
    return FileSource.for_record_stream_format(StreamFormat.text_line_format(), folder).build()


def topic_of(bootstrap: str, topic: str) -> Source:
    """The topic."""
    builder = KafkaSource.builder().set_bootstrap_servers(bootstrap).set_topics(topic)
    builder.set_starting_offsets(KafkaOffsetsInitializer.earliest()).set_bounded(KafkaOffsetsInitializer.latest())
    return builder.set_value_only_deserializer(SimpleStringSchema()).build()


def read_ours(folder: str, bootstrap: str, topic: str, count: int, epoch: int) -> None:
    """The whole path of an enumerator and a reader."""
    both = HybridSource.builder(archive_of(folder)).add_source(topic_of(bootstrap, topic)).build()
    read(both, count, epoch)


def read_alone(folder: str, bootstrap: str, topic: str, count: int, epoch: int) -> None:
    """The same sources without HybridSource, one after the other."""
    for source in (archive_of(folder), topic_of(bootstrap, topic)):
        read(source, count // 2, epoch)


def read_bare(folder: str, bootstrap: str, topic: str, count: int) -> None:
    """A loop over the lines of the files, and then over the messages of a consumer."""
    found = 0
    for path in sorted(Path(folder).iterdir()):
        with path.open() as file:
            found += len([line.rstrip("\n") for line in file])
    read_topic(bootstrap, topic, count - found)


@click.command()
@click.option("--records", default=1_000_000, show_default=True, help="Records of a round, half of each kind.")
@click.option("--epoch", default=125_000, show_default=True, help="Records that an epoch reads.")
@click.option("--rounds", default=5, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, epoch: int, rounds: int) -> None:
    """Compare, in one process; the topic has 8 partitions."""
    rates, half = Rates(records), records // 2
    with broker(half) as there, tempfile.TemporaryDirectory() as folder:
        for number in range(_FILES):
            lines = (f"{n:0100d}\n" for n in range(number, half, _FILES))
            (Path(folder) / f"{number}.txt").write_text("".join(lines))
        where = (folder, there["bootstrap"], there["source"])
        for _ in range(rounds):
            rates.measure("read, ours", partial(read_ours, *where, records, epoch))
            rates.measure("read, alone", partial(read_alone, *where, records, epoch))
            rates.measure("read, bare", partial(read_bare, *where, records))
    rates.show((("read", "read, ours", "read, bare"), ("read, beside its sources", "read, ours", "read, alone")))


if __name__ == "__main__":
    main()
