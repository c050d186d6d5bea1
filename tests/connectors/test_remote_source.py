"""FileSource of remote paths: S3, web servers, others by fsspec."""

import uuid

import fsspec
import pytest

from datastream.connectors.files import FileSource, StreamFormat
from datastream.testing.connectors import check_source
from datastream.time import Duration
from tests.support.drive import drive

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
