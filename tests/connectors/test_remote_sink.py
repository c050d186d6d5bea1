"""FileSink on remote paths: S3 by multipart uploads, others by hidden files that are moved."""

import itertools
import uuid

import fsspec
import pytest

from datastream.connectors.files import (
    BucketAssigner,
    FileSink,
    FileSource,
    OutputFileConfig,
    ParquetColumnarRowInputFormat,
)
from datastream.connectors.files.remote import committer as remote_committer
from datastream.connectors.files.remote import s3_client
from datastream.connectors.files.remote.s3_uploads import PART
from datastream.errors import CheckpointError, JobError
from datastream.formats import Encoder
from datastream.formats.parquet import ParquetBulkWriters
from datastream.io import Batch, Spool, WriterContext
from datastream.metrics import CounterValue, MetricRegistry
from datastream.testing.connectors import check_sink
from datastream.types import Row, Types
from tests.support.drive import LOGGER, committer_of, context, drive, write, write_epoch
from tests.support.servers.processes import free_ports
from tests.support.servers.throttle import throttle

pytestmark = pytest.mark.long

BASE = BucketAssigner.base_path_bucket_assigner()


def sink(uri, encoder=None, assigner=BASE, names=None):
    builder = FileSink.for_row_format(uri, encoder or Encoder.simple_string_encoder())
    builder.with_output_file_config(names or OutputFileConfig())
    return builder.with_bucket_assigner(assigner).build()


def test_nothing_is_visible_before_the_commit(s3):
    made = sink(s3.uri("out"), names=OutputFileConfig("rows", ".txt"))
    made.validate()
    rows = write_epoch(made, 0, lambda n: [f"x{n}"])
    assert s3.visible() == []
    assert len(s3.uploads()) == 2
    committer_of(made).commit(0, rows, False)
    assert s3.lines("out/") == ["x0", "x1"]
    assert s3.uploads() == []
    assert all(key.startswith("out/rows-") and key.endswith("-0.txt") for key in s3.visible())


EPOCHS = [[["a", "b"], ["c"]], [[], ["d", "e"]], [["f"], ["g"]]]


def test_s3_is_exactly_once(s3, tmp_path):
    crashes = check_sink(
        lambda folder: sink(s3.uri(folder.name)),
        tmp_path,
        lambda folder: s3.lines(f"{folder.name}/"),
        [[["a"]], [["b"]]],
    )
    assert crashes > 20


def test_a_file_system_of_fsspec_is_exactly_once(tmp_path):
    memory = fsspec.filesystem("memory")
    world = f"/{uuid.uuid4().hex}"

    def written(folder):
        paths = memory.find(f"{world}/{folder.name}")
        kept = [path for path in paths if "/." not in path]
        return itertools.chain.from_iterable(memory.cat(path).decode().splitlines() for path in kept)

    assert check_sink(lambda folder: sink(f"memory:/{world}/{folder.name}"), tmp_path, written, EPOCHS) > 20


def test_hdfs_shows_an_epoch_once_it_is_committed(hdfs):
    made = sink(hdfs.uri("out"), names=OutputFileConfig("rows", ".txt"))
    made.validate()
    for epoch in range(3):
        prepared = write_epoch(made, epoch, lambda n, e=epoch: [f"{e}.{n}"])
        committer_of(made).commit(epoch, prepared, False)
        committer_of(made).commit(epoch, write_epoch(made, epoch, lambda n: ["again"]), False)
        assert len(hdfs.lines("out")) == 2 * (epoch + 1)
    assert sorted(hdfs.lines("out")) == [f"{epoch}.{n}" for epoch in range(3) for n in range(2)]


@pytest.mark.long
@pytest.mark.timeout(900)
def test_hdfs_is_exactly_once_by_renames(hdfs, tmp_path):
    crashes = check_sink(
        lambda folder: sink(hdfs.uri(folder.name)),
        tmp_path,
        lambda folder: hdfs.lines(folder.name),
        [[["a"]], [["b"]]],
    )
    assert crashes > 20


def test_large_objects_are_written_by_parts_and_counted(s3):
    made = sink(s3.uri("out"))
    registry = MetricRegistry("job", "s", "s", 0)
    writer = made.create_writer(WriterContext("job", "s", 0, 1, registry.group, LOGGER, Spool(None, "s")))
    writer.begin(0, 0)
    for _ in range(20):
        writer.write(Batch(["x" * 999_999]))
    committer_of(made).commit(0, [writer.prepare_commit()], True)
    (key,) = s3.visible()
    assert s3.read(key) == (b"x" * 999_999 + b"\n") * 20
    assert s3.client.head_object(Bucket=s3.name, Key=key, PartNumber=1)["ContentLength"] == PART
    counted = {str(name).rpartition(".")[2]: value for name, value in registry.take().items()}
    assert counted["numBytesOut"] == CounterValue(20_000_000)
    assert counted["numBatches"] == CounterValue(3)


def test_buckets_and_parquet_on_s3(s3):
    row_type = Types.ROW_NAMED(["a", "b"], [Types.LONG(), Types.STRING()])
    builder = FileSink.for_bulk_format(s3.uri("out"), ParquetBulkWriters.for_row_type(row_type))
    made = builder.with_bucket_assigner(ByB()).build()
    rows = [Row(a=n, b="xyz"[n % 3]) for n in range(30)]
    prepared = write_epoch(made, 0, lambda n: rows[n::2])
    committer_of(made).commit(0, prepared, True)
    assert sorted({key.rsplit("/", 1)[0] for key in s3.visible()}) == ["out/x", "out/y", "out/z"]
    source = FileSource.for_bulk_file_format(ParquetColumnarRowInputFormat(row_type), s3.uri("out")).build()
    assert sorted(drive(source), key=lambda row: row.a) == rows


def test_uploads_of_dead_attempts_and_of_jobs_long_ago_are_aborted(s3, monkeypatch):
    made = sink(s3.uri("out"))
    write_epoch(made, 0, lambda n: ["dead"], attempt=0)
    other = sink(s3.uri("out"))
    write(other, context(0, 0, 0, "earlier job"), ["dead"])
    write(other, context(0, 0, 0, "job", "another sink"), ["waits"])
    write(made, context(1, 0, 0), ["of the next epoch"])
    assert len(s3.uploads()) == 5
    with monkeypatch.context() as patch:
        patch.setattr(remote_committer, "LEFT_S", 1e12)  # the server of the tests dates all uploads to 2010
        committer_of(made).commit(0, write_epoch(made, 0, lambda n: ["x"], attempt=1), False)
    assert s3.lines("out/") == ["x", "x"]
    assert len(s3.uploads()) == 3  # the other job may run
    committer_of(made).commit(0, [], False)
    assert len(s3.uploads()) == 2


@pytest.mark.parametrize("store", ["s3", "memory"])
def test_running_jobs_may_have_one_uid(request, monkeypatch, store):
    monkeypatch.setattr(remote_committer, "LEFT_S", 1e12)
    memory, world = fsspec.filesystem("memory"), f"/{uuid.uuid4().hex}"
    server = request.getfixturevalue("s3") if store == "s3" else None
    made = sink(f"memory:/{world}" if server is None else server.uri("out"))
    jobs = ["one", "two", "three"]
    committers = {job: committer_of(made, job) for job in jobs}
    for epoch in range(3):
        prepared = {job: write_epoch(made, epoch, lambda n, j=job: [f"{j} {n}"], job=job) for job in jobs}
        for job in jobs:
            committers[job].commit(epoch, prepared[job], epoch == 2)
            committer_of(made, job).commit(epoch, [], epoch == 2)
    if server is None:
        paths = [path for path in memory.find(world) if "/." not in path]
        found = [line for path in paths for line in memory.cat(path).decode().splitlines()]
    else:
        found = server.lines("out/")
    assert sorted(found) == sorted(f"{job} {n}" for job in jobs for n in (0, 1) for _ in range(3))


def test_another_job_adds_its_files_to_those_of_the_first(s3):
    made = sink(s3.uri("out"))
    for job in ("one", "two"):
        committer_of(made, job).commit(0, write_epoch(made, 0, lambda n, j=job: [j], job=job), True)
    assert sorted(s3.lines("out/")) == ["one", "one", "two", "two"]


def test_a_checkpoint_that_is_older_than_the_output_is_refused(s3):
    made = sink(s3.uri("out"))
    committer_of(made).commit(5, write_epoch(made, 5, lambda n: ["x"]), False)
    with pytest.raises(CheckpointError, match="epoch 5 is committed to s3://.*/out"):
        committer_of(made).commit(4, [], False)


def test_what_goes_wrong_says_what_to_do(s3, monkeypatch):
    made = sink(s3.uri("out"))
    s3.put("out/.datastream/s/state.json", b"{}")
    with pytest.raises(CheckpointError, match=r"out/\.datastream/s/state\.json is damaged"):
        committer_of(made).commit(0, [], False)
    with pytest.raises(JobError, match="there is no such bucket; make it"):
        sink(s3.uri("out").replace(s3.name, "no-such-bucket")).validate()
    monkeypatch.setattr(s3_client, "TRIES", 1)
    (port,) = free_ports(1)
    away = sink(s3.uri("out").replace(s3.endpoint, f"http://127.0.0.1:{port}"))
    with pytest.raises(ConnectionError, match=f"127.0.0.1:{port} does not answer"):
        away.validate()
    with pytest.raises(ConnectionError, match=f"127.0.0.1:{port} does not answer"):
        write(away, context(), ["x"])


def test_a_server_that_throttles_is_asked_again(s3):
    with throttle(s3.endpoint.removeprefix("http://"), lambda n: n % 3 == 2) as address:
        made = sink(s3.uri("out").replace(s3.endpoint, f"http://{address}"))
        for epoch in range(5):
            committer_of(made).commit(epoch, write_epoch(made, epoch, lambda n, e=epoch: [f"{e}-{n}"]), False)
    assert sorted(s3.lines("out/")) == [f"{epoch}-{n}" for epoch in range(5) for n in range(2)]


class ByB(BucketAssigner):
    def get_bucket_id(self, element, processing_time):
        return element.b


def test_a_file_that_is_lost_before_the_commit_is_noticed():
    memory = fsspec.filesystem("memory")
    world = f"/{uuid.uuid4().hex}"
    made = sink(f"memory:/{world}")
    prepared = write_epoch(made, 0, lambda n: ["x"])
    memory.rm(f"{world}/.datastream/s/{prepared[0][0].handle['staged']}")
    with pytest.raises(CheckpointError, match="is lost before it was visible; it held 1 records of epoch 0"):
        committer_of(made).commit(0, prepared, False)
