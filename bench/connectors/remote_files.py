"""``python -m bench.connectors.remote_files``: lines on S3 written and read, ours and by boto3 alone."""

from __future__ import annotations

import logging
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import click

from datastream.connectors.files import BucketAssigner, FileSink, FileSource, StreamFormat
from datastream.connectors.files.remote.ranged_file import MOST
from datastream.connectors.files.remote.s3_uploads import PART
from datastream.formats import Encoder
from datastream.io import Batch, CommitterContext, EnumeratorContext, ReaderContext, Spool, WriterContext
from datastream.metrics import MetricRegistry
from tests.support.servers.choice import begin
from tests.support.servers.s3 import KEYS, S3, Bucket

_BLOCK = 4096
_LOGGER = logging.getLogger("bench")
_SPOOL = Spool(None, "uid")


def lines(count: int) -> list[str]:
    """Lines of about 100 bytes."""
    return [
        f"{n:010} some words of a line that is written to an object and read again, as a log would have it"
        for n in range(count)
    ]


def write_ours(bucket: Bucket, folder: str, records: list[str]) -> None:
    """The whole path of a writer and a committer: one epoch."""
    builder = FileSink.for_row_format(bucket.uri(folder), Encoder.simple_string_encoder())
    sink = builder.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()
    metrics = MetricRegistry("job", "sink", "uid", 0).group
    writer = sink.create_writer(WriterContext("job", "uid", 0, 1, metrics, _LOGGER, _SPOOL))
    committer = sink.create_committer(CommitterContext("job", "uid", 1, _LOGGER, _SPOOL))
    assert committer is not None
    writer.begin(0, 0)
    for start in range(0, len(records), _BLOCK):
        writer.write(Batch(records[start : start + _BLOCK]))
    committer.commit(0, [writer.prepare_commit()], True)
    writer.close()


def write_bare(bucket: Bucket, folder: str, records: list[str]) -> None:
    """A multipart upload of the client, of parts of the same size."""
    where = {"Bucket": bucket.name, "Key": f"{folder}/part"}
    upload = bucket.client.create_multipart_upload(**where)["UploadId"]
    parts: list[dict[str, Any]] = []
    held: list[bytes] = []
    size = 0

    def send() -> None:
        nonlocal held, size
        number = len(parts) + 1
        answer = bucket.client.upload_part(**where, UploadId=upload, PartNumber=number, Body=b"".join(held))
        parts.append({"ETag": answer["ETag"], "PartNumber": number})
        held, size = [], 0

    for start in range(0, len(records), _BLOCK):
        data = "".join(f"{line}\n" for line in records[start : start + _BLOCK]).encode()
        held.append(data)
        size += len(data)
        if size >= PART:
            send()
    send()
    bucket.client.complete_multipart_upload(**where, UploadId=upload, MultipartUpload={"Parts": parts})


def read_ours(bucket: Bucket, folder: str) -> int:
    """The whole path of an enumerator and a reader."""
    source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), bucket.uri(folder)).build()
    metrics = MetricRegistry("job", "source", "uid", 0).group
    enumerator = source.create_enumerator(EnumeratorContext("job", "uid", 1, _LOGGER, _SPOOL))
    reader = source.create_reader(ReaderContext("job", "uid", 1, False, metrics, _LOGGER, _SPOOL))
    count, offset = 0, enumerator.initial_offset()
    while not enumerator.finished(offset):
        end = enumerator.latest_offset(offset, 1_000_000)
        for split in enumerator.splits(offset, end, 1):
            count += sum(len(batch.records) for batch in reader.read(split))
        offset = end
    reader.close()
    return count


def read_bare(bucket: Bucket, folder: str) -> int:
    """Ranges of the client, of the same size."""
    count = 0
    for found in bucket.client.list_objects_v2(Bucket=bucket.name, Prefix=f"{folder}/")["Contents"]:
        rest = b""
        for start in range(0, found["Size"], MOST):
            stop = min(start + MOST, found["Size"])
            answer = bucket.client.get_object(Bucket=bucket.name, Key=found["Key"], Range=f"bytes={start}-{stop - 1}")
            whole, _, rest = (rest + answer["Body"].read()).rpartition(b"\n")
            count += len(whole.decode().split("\n"))
    return count


def _rates(sides: tuple[Callable[[int], Any], Callable[[int], Any]], count: int, rounds: int) -> list[float]:
    """Records a second of each side; the sides take turns."""
    took: tuple[list[float], list[float]] = ([], [])
    for turn in range(rounds):
        for side, times in zip(sides, took, strict=True):
            began = time.perf_counter()
            side(turn)
            times.append(time.perf_counter() - began)
    return [count / statistics.median(times) for times in took]


@click.command()
@click.option("--records", default=200_000, show_default=True, help="Lines of a round.")
@click.option("--rounds", default=5, show_default=True, help="Rounds; the median counts.")
def main(records: int, rounds: int) -> None:
    """Compare, in one process, with one connection each."""
    os.environ.update(KEYS)
    server = begin(S3())
    given = lines(records)
    try:
        bucket = server.bucket()
        write_bare(bucket, "read", given)
        assert read_ours(bucket, "read") == read_bare(bucket, "read") == records
        print(f"{'':8} {'ours':>12} {'bare':>12} {'ratio':>6}   records/s")
        cases = {
            "write": (
                lambda turn: write_ours(bucket, f"ours-{turn}", given),
                lambda turn: write_bare(bucket, f"bare-{turn}", given),
            ),
            "read": (lambda turn: read_ours(bucket, "read"), lambda turn: read_bare(bucket, "read")),
        }
        for name, sides in cases.items():
            ours, bare = _rates(sides, records, rounds)
            print(f"{name:8} {ours:>12,.0f} {bare:>12,.0f} {ours / bare:>6.2f}")
    finally:
        server.stop()


if __name__ == "__main__":
    main()
