"""What the write-ahead log of Cassandra holds: plain data, since others may write to its tables."""

from __future__ import annotations

import enum
import logging
import pickle
import uuid
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import msgspec
import numpy
import pytest

pytest.importorskip("cassandra")

from datastream.connectors.cassandra import CassandraCommitter, CassandraSettings
from datastream.connectors.cassandra.committer import Progress
from datastream.connectors.cassandra.log_sink import CassandraLogSink
from datastream.connectors.cassandra.logged import Part, parts_as_bytes, parts_of, records_as_bytes, records_of
from datastream.connectors.cassandra.mapper_options import MapperSettings
from datastream.connectors.cassandra.row_sink import CassandraRowSink
from datastream.connectors.cassandra.statement import Mapping
from datastream.errors import CheckpointError, ValidationError
from datastream.io import CommitterContext, Spool
from datastream.types import Row


class Colour(enum.StrEnum):
    RED = "red"


class Trap:
    """Leaves a file where it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return Path.touch, (self.file,)


def test_values_of_columns_come_back() -> None:
    moment = datetime(2020, 2, 29, 1, 2, 3, 4, UTC)
    fields = (
        None, True, 0, -(2**63), 2**63 - 1, 2**64, -(2**100), 1.5, float("inf"), "ä\0😀", "", b"\xff", moment,
        moment.replace(tzinfo=None), date(1, 1, 1), time(23, 59, 59, 999_999), timedelta(days=-1, microseconds=5),
        Decimal("1.10"), uuid.UUID(int=5), ip_address("::1"), ip_address("10.0.0.1"), [], [[]], ["int", "5"], (1, (2,)),
        {1, 2}, {"k": [1, {"n": (3,)}]}, {(1, 2): {3}}, Row(name="ann", at=moment),
    )  # fmt: skip
    (found,) = records_of(records_as_bytes([fields]), "job/uid")
    assert found == fields
    assert [type(value) for value in found] == [type(value) for value in fields]
    assert records_of(records_as_bytes([Row(1, "x"), [2, "y"], 3]), "job/uid") == [(1, "x"), (2, "y"), (3,)]
    others = (Colour.RED, numpy.int64(4), numpy.float32(0.5), bytearray(b"x"), frozenset([1]), Row(1, 2))
    (found,) = records_of(records_as_bytes([others]), "job/uid")
    assert found == ("red", 4, 0.5, b"x", {1}, (1, 2))
    parts = [Part("0-1-ab", 3), Part("0-2-cd", 0)]
    assert parts_of(parts_as_bytes(parts), "job/uid") == parts


def test_what_no_column_takes_is_refused_as_it_is_written() -> None:
    for value in (object(), "half \ud800", {1: object()}):
        with pytest.raises(ValidationError, match="CassandraSink: "):
            records_as_bytes([(1, value)])


def test_nothing_that_others_wrote_to_the_log_is_run(tmp_path: Path) -> None:
    trap = tmp_path / "trace"
    written = [
        *(pickle.dumps([Trap(trap)], protocol) for protocol in range(6)),
        b"",
        b"\xc1",
        msgspec.msgpack.encode([[["exec", "1"]]]),
        msgspec.msgpack.encode([[["int", "x"]]]),
        msgspec.msgpack.encode([[["set", [["list", []]]]]]),
        msgspec.msgpack.encode([[["decimal", "x"]]]),
        b"\x91\x91" + b"\x92\xa4list\x91" * 100_000 + b"\x00",
        b"\xdd\xff\xff\xff\xff",
    ]
    for data in written:
        for read in (records_of, parts_of):
            with pytest.raises(CheckpointError, match="'job/uid' holds what this version of the sink has not written"):
                read(data, "job/uid")
    assert not trap.exists()


def test_a_commit_stops_at_progress_that_others_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = CassandraSettings(("127.0.0.1",), 9)
    sink = CassandraLogSink(
        CassandraRowSink(settings, "INSERT INTO t (a) VALUES (?)"),
        CassandraCommitter.default_checkpoint_committer(settings),
    )
    committer: Any = sink.create_committer(
        CommitterContext("job", "uid", 1, logging.getLogger(), Spool(str(tmp_path), "uid"))
    )
    foreign = Progress(-1, 0, pickle.dumps([Trap(tmp_path / "trace")]), 0)
    monkeypatch.setattr(committer._log, "do", lambda what: foreign)
    with pytest.raises(CheckpointError, match="has not written"):
        committer.commit(0, [Part("0-0-x", 1)], False)
    assert not (tmp_path / "trace").exists()


def test_objects_are_not_kept() -> None:
    settings = CassandraSettings(("127.0.0.1",), 9)
    with pytest.raises(ValidationError, match="a write-ahead log takes tuples and rows only.*call set_query"):
        CassandraLogSink(
            CassandraRowSink(settings, Mapping(MapperSettings())),
            CassandraCommitter.default_checkpoint_committer(settings),
        )
