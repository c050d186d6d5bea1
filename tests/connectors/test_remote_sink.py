"""FileSink on remote paths: S3 by multipart uploads, others by hidden files that are moved."""

import itertools
import uuid

from datastream.connectors.files import BucketAssigner, FileSink, OutputFileConfig
from datastream.formats import Encoder
from datastream.testing.connectors import check_sink
from tests.support.drive import committer_of, write_epoch

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
        [[["a"], ["b"]], [["c"], []]],
    )
    assert crashes > 20


def test_a_file_system_of_fsspec_is_exactly_once(tmp_path):
    import fsspec

    memory = fsspec.filesystem("memory")
    world = f"/{uuid.uuid4().hex}"

    def written(folder):
        paths = memory.find(f"{world}/{folder.name}")
        kept = [path for path in paths if "/." not in path]
        return itertools.chain.from_iterable(memory.cat(path).decode().splitlines() for path in kept)

    assert check_sink(lambda folder: sink(f"memory:/{world}/{folder.name}"), tmp_path, written, EPOCHS) > 20
