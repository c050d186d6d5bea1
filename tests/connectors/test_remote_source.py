"""FileSource of remote paths: S3, web servers, others by fsspec."""

import bz2
import functools
import gzip
import io
import json
import logging
import shutil
import threading
import uuid
import zlib
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import fsspec
import pyarrow.orc
import pyarrow.parquet
import pytest

from datastream.connectors.files import (
    FileSource,
    OrcColumnarRowInputFormat,
    ParquetColumnarRowInputFormat,
    StreamFormat,
)
from datastream.connectors.files import enumerator as enumerator_module
from datastream.connectors.files.remote import s3_client
from datastream.connectors.files.remote.enumerator import RemoteFileEnumerator
from datastream.errors import CheckpointError, JobError, ValidationError
from datastream.io import EnumeratorContext, Spool
from datastream.testing.connectors import check_source
from datastream.time import Duration
from datastream.types import Types
from tests.support.drive import drive, driven, epochs, read
from tests.support.servers.processes import free_ports
from tests.support.servers.s3 import OwnS3
from tests.support.servers.throttle import throttle

pytestmark = pytest.mark.long

TEXT = StreamFormat.text_line_format()


def of(*paths):
    return FileSource.for_record_stream_format(TEXT, *map(str, paths))


def test_a_folder_of_s3_is_read_without_hidden_objects(s3):
    for key in ["in/b", "in/a", "in/sub/c", "in/.hidden", "in/_tmp", "in/.git/x", "in/", "other"]:
        s3.put(key, key.encode() if not key.endswith("/") else b"")
    assert drive(of(s3.uri("in")).build()) == ["in/a", "in/b", "in/sub/c"]
    assert drive(of(s3.uri("in/*")).build()) == ["in/a", "in/b", "in/sub/c"]
    assert drive(of(s3.uri("in/[ab]"), s3.uri("in/a")).build()) == ["in/a", "in/b"]
    assert drive(of(s3.uri("**/c")).build()) == ["in/sub/c"]
    assert drive(of(s3.uri("in/_tmp")).build()) == ["in/_tmp"]


def test_s3_gives_each_record_once(s3, tmp_path):
    def make(folder):
        for number in range(2):
            s3.put(f"{folder.name}/{number}", "".join(f"{number}.{line}\n" for line in range(60)).encode())
        return of(s3.uri(folder.name)).build()

    expected = [f"{number}.{line}" for number in range(2) for line in range(60)]
    assert check_source(make, tmp_path, expected, budget=4) > 10


@pytest.fixture
def memory():
    """A file system of fsspec, in this process: it, and a folder's path."""
    return fsspec.filesystem("memory"), f"/{uuid.uuid4().hex}"


def test_a_watched_folder_gives_each_record_once(memory, tmp_path):
    files, world = memory

    def make(folder):
        for number in range(3):
            files.pipe(f"{world}/{folder.name}/{number}", f"{number}\n".encode() * 300)
        return of(f"memory:/{world}/{folder.name}").monitor_continuously(Duration.of_millis(1)).build()

    expected = [f"{number}" for number in range(3)] * 300
    assert check_source(make, tmp_path, expected, budget=4) > 20


def test_files_of_hdfs_are_read_by_parts(hdfs, monkeypatch):
    monkeypatch.setattr(enumerator_module, "MIN_SPLIT", 100)
    hdfs.put("in/a", b"".join(b"%d\n" % number for number in range(1000)))
    hdfs.put("in/sub/b.gz", gzip.compress(b"packed\n"))
    hdfs.put("in/_tmp/c", b"hidden")
    source = driven(of(hdfs.uri("in")).build())
    start, end = epochs(source)
    assert len(source.splits(start, end, 4)) > 2
    assert read(source, start, end, 4) == [*map(str, range(1000)), "packed"]
    assert drive(of(hdfs.uri("in/*/*.gz")).build()) == ["packed"]


def test_files_of_http_with_and_without_ranges(tmp_path, monkeypatch):
    monkeypatch.setattr(enumerator_module, "MIN_SPLIT", 100)
    (tmp_path / "a.csv").write_text("".join(f"{number}\n" for number in range(500)))
    with web_server(tmp_path) as address:
        assert drive(of(f"{address}/a.csv").build()) == [*map(str, range(500))]
        made = of(f"http://user:secret@{address.partition('//')[2]}/none.csv?token=secret").build()
        with pytest.raises(ValidationError, match="no file or folder at http://127.0.0.1") as caught:
            made.validate()
        assert "secret" not in str(caught.value)
        assert "secret" not in repr(made._locations)
    with pytest.raises(ConnectionError, match=address.partition("//")[2]):
        made.validate()


def test_compressed_and_columnar_files_of_s3(s3):
    s3.put("z/a.gz", gzip.compress(b"1\n") + gzip.compress(b"2\n"))
    s3.put("z/b.deflate", zlib.compress(b"3\n") + zlib.compress(b"4\n"))
    s3.put("z/c.zst", pyarrow.compress(b"5\n6\n", "zstd", asbytes=True))
    s3.put("z/d.bz2", bz2.compress(b"7\n8\n"))
    assert drive(of(s3.uri("z")).build()) == [*"12345678"]
    row_type = Types.ROW_NAMED(["a"], [Types.LONG()])
    for name in ("parquet", "orc"):
        file = io.BytesIO()
        writer = {"parquet": pyarrow.parquet.write_table, "orc": pyarrow.orc.write_table}[name]
        writer(pyarrow.table({"a": list(range(1000))}), file)
        s3.put(f"t/{name}", file.getvalue())
    for name, kind in (("parquet", ParquetColumnarRowInputFormat), ("orc", OrcColumnarRowInputFormat)):
        source = FileSource.for_bulk_file_format(kind(row_type), s3.uri(f"t/{name}")).build()
        assert [row.a for row in drive(source)] == list(range(1000))


def test_what_goes_wrong_says_what_to_do(s3):
    s3.put("in/a", b"text\n")
    with pytest.raises(ValidationError, match=f"no file or folder at s3://{s3.name}/out"):
        of(s3.uri("out")).build().validate()
    with pytest.raises(ValidationError, match="matches the pattern"):
        of(s3.uri("out/*")).build().validate()
    with pytest.raises(ValidationError, match="unknown option 'secrt_key'"):
        of(s3.uri("in", secrt_key="x")).build().validate()
    with pytest.raises(JobError, match="there is no such bucket; make it"):
        of(s3.uri("in").replace(s3.name, "no-such-bucket")).build().validate()
    with pytest.raises(ValidationError, match="unknown file system 'nosuch'"):
        of("nosuch://host/in").build().validate()
    source = driven(of(s3.uri("in")).build())
    start, end = epochs(source)
    s3.put("in/a", b"longer text\n")
    with pytest.raises(JobError, match=f"s3://{s3.name}/in/a had 5 bytes"):
        read(source, start, end)
    s3.delete("in/a")
    with pytest.raises(JobError, match=f"s3://{s3.name}/in/a was there"):
        read(source, start, end)


def test_a_server_that_is_away_is_named_and_the_failure_may_pass(s3, monkeypatch):
    monkeypatch.setattr(s3_client, "TRIES", 1)
    (port,) = free_ports(1)
    uri = s3.uri("in").replace(s3.endpoint, f"http://127.0.0.1:{port}")
    with pytest.raises(ConnectionError, match=f"127.0.0.1:{port} does not answer"):
        of(uri).build().validate()


def test_a_server_that_throttles_is_asked_again(s3, monkeypatch):
    for n in range(20):
        s3.put(f"in/{n}", f"{n}\n".encode())
    with throttle(s3.endpoint.removeprefix("http://"), lambda n: n % 3 == 2) as address:
        uri = s3.uri("in").replace(s3.endpoint, f"http://{address}")
        assert sorted(map(int, drive(of(uri).build()))) == list(range(20))
    monkeypatch.setattr(s3_client, "TRIES", 2)
    with throttle(s3.endpoint.removeprefix("http://"), lambda n: True) as address:
        uri = s3.uri("in").replace(s3.endpoint, f"http://{address}")
        with pytest.raises(ConnectionError, match="by 2 tries: 503"):
            of(uri).build().validate()


def test_wrong_keys_are_told_and_not_shown():
    server = OwnS3(free=1)
    try:
        bucket = server.bucket()
        uri = bucket.uri("in", access_key="AKIAWRONG", secret_key="hush")
        with pytest.raises(JobError, match="refuses to .*check the credentials that boto3 finds") as failed:
            of(uri).build().validate()
        assert "hush" not in str(failed.value)
    finally:
        server.stop()


def test_secrets_of_a_uri_are_not_shown_or_kept_in_offsets(s3):
    s3.put("in/a", b"x\n")
    source = of(s3.uri("in", access_key="tester", secret_key="hush", session_token="quiet")).build()
    driver = driven(source)
    start, end = epochs(driver)
    assert read(driver, start, end) == ["x"]
    shown = f"{vars(source)} {end} {driver.splits(start, end, 2)}"
    assert "hush" not in shown
    assert "quiet" not in shown


def test_a_replay_reads_the_files_of_its_offset(s3):
    s3.put("in/b", b"b\n")
    driver = driven(of(s3.uri("in")).build())
    start, end = epochs(driver)
    s3.put("in/a", b"a\n")
    again = driven(of(s3.uri("in")).build())
    assert read(again, again.initial_offset(), end) == ["b"]
    assert again.finished(end)


@pytest.fixture
def watched(memory, monkeypatch):
    monkeypatch.setattr(RemoteFileEnumerator, "_look_again", lambda self: True)
    files, world = memory
    source = of(f"memory:/{world}").monitor_continuously(Duration.of_millis(1)).build()

    def enumerator(folder):
        spool = Spool(folder and str(folder), "s")
        return source.create_enumerator(EnumeratorContext("job", "s", 2, logging.getLogger(), spool))

    return (lambda name: files.pipe(f"{world}/{name}", b"x\n")), enumerator


@pytest.mark.parametrize("notes", [True, False], ids=["notes", "offsets"])
def test_a_watched_folder_gives_each_file_once_over_restarts(watched, tmp_path, notes):
    put, enumerator = watched
    folder = tmp_path if notes else None
    here, found = enumerator(folder), []
    offset = here.initial_offset()
    for number in range(200):  # more than are kept apart
        put(f"{number * 7919 % 1000:03}")
        here = enumerator(folder) if number % 10 == 0 else here
        end = json.loads(json.dumps(here.latest_offset(offset, 1000)))
        assert here.splits(offset, end, 2) == enumerator(folder).splits(offset, end, 2)
        found += [part.path for split in here.splits(offset, end, 2) for part in split]
        assert here.latest_offset(end, 1000) is end
        offset = end
    assert len(found) == len(set(found)) == 200
    assert (len(json.dumps(offset)) < 400) is notes
    assert len(list(tmp_path.rglob("*-*"))) < 80


def test_lost_notes_are_noticed(watched, tmp_path):
    put, enumerator = watched
    offset = enumerator(tmp_path).initial_offset()
    for name in "abc":
        put(name)
        offset = enumerator(tmp_path).latest_offset(offset, 1000)
    shutil.rmtree(tmp_path)
    with pytest.raises(CheckpointError, match="2 files have been read, but the checkpoint's notes name 0"):
        enumerator(tmp_path).latest_offset(offset, 1000)


@contextmanager
def web_server(folder):
    """The address of Python's web server of a folder, which knows no ranges."""
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
