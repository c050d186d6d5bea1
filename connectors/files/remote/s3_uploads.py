"""Part files on S3: multipart uploads, begun by tasks and completed by the commit.

An upload is invisible until it is completed, and then appears as a whole. It is found again by its key, which holds the
part file's owner and epoch.
"""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, BinaryIO, cast

from .location import Location
from .s3_client import error_code, retries_of, s3_client
from .store import Name, RemotePiece, Store, Upload

PART = 8 * 1024 * 1024
"""Bytes of a part; S3 takes no smaller ones than 5 MiB but the last, and at most 10,000."""

_AT_ONCE = 2


class S3Uploads(Store):
    """See the module.

    Args:
        base: The base path.
        uid_folder: The sink's hidden folder, relative to it.
        owner: Of the job and the sink.
    """

    def __init__(self, base: Location, uid_folder: str, owner: str) -> None:
        self.client = s3_client(base)
        self.bucket = base.authority
        self._base = base
        self._prefix = f"{base.path}/" if base.path else ""
        self._state, self._earlier = (f"{self._prefix}{uid_folder}/{name}state.json" for name in (f"{owner}/", ""))

    def check(self) -> None:
        with self.client.asked(f"look at the bucket of {self._base.uri}"):
            self.client.boto.list_objects_v2(Bucket=self.bucket, Prefix=self._prefix, MaxKeys=1)

    def begin(self, target: str, name: Name) -> Upload:
        return _S3Upload(self, target, self._prefix + target)

    def publish(self, piece: RemotePiece) -> bool:
        from botocore.exceptions import ClientError

        key = self._prefix + piece.target
        parts = [{"ETag": tag, "PartNumber": number} for number, tag in enumerate(piece.handle["parts"], 1)]
        with self.client.asked(f"complete {self.uri(piece.target)}"):
            try:
                self.client.boto.complete_multipart_upload(
                    Bucket=self.bucket,
                    Key=key,
                    UploadId=piece.handle["upload"],
                    MultipartUpload={"Parts": parts},
                )
                return True
            except ClientError as error:
                if error_code(error) != "NoSuchUpload":
                    raise
        with self.client.asked(f"look at {self.uri(piece.target)}"):
            try:
                head = self.client.boto.head_object(Bucket=self.bucket, Key=key)
            except ClientError as error:
                if error_code(error) in ("404", "NoSuchKey", "NotFound"):
                    return False
                raise
        return int(head["ContentLength"]) == piece.size

    def write_empty(self, target: str) -> None:
        with self.client.asked(f"write {self.uri(target)}"):
            self.client.boto.put_object(Bucket=self.bucket, Key=self._prefix + target, Body=b"")

    def discard(self, piece: RemotePiece) -> None:
        self.abort(self._prefix + piece.target, piece.handle["upload"])

    def remove(self, target: str) -> None:
        with self.client.asked(f"remove {self.uri(target)}"):
            self.client.boto.delete_object(Bucket=self.bucket, Key=self._prefix + target)

    def abort(self, key: str, upload: str) -> None:
        """Give an upload up, unless it has ended."""
        from botocore.exceptions import ClientError

        with self.client.asked(f"abort the upload of {key}"):
            try:
                self.client.boto.abort_multipart_upload(Bucket=self.bucket, Key=key, UploadId=upload)
            except ClientError as error:
                if error_code(error) != "NoSuchUpload":
                    raise

    def clean(self, stale: Callable[[str, int, float], bool]) -> None:
        now = time.time()
        pages = iter(
            self.client.boto.get_paginator("list_multipart_uploads").paginate(Bucket=self.bucket, Prefix=self._prefix)
        )
        while True:
            with self.client.asked(f"list the uploads below {self._base.uri}"):
                page = next(pages, None)
            if page is None:
                return
            for found in page.get("Uploads", ()):
                named = re.search(r"-([0-9a-f]{16})-\d+-(\d+)[^/]*$", found["Key"])
                if named is not None and stale(named[1], int(named[2]), now - found["Initiated"].timestamp()):
                    self.abort(found["Key"], found["UploadId"])

    def read_states(self) -> Iterator[tuple[str, bytes]]:
        for key in (self._state, self._earlier):
            data = self._read(key)
            if data is not None:
                yield f"s3://{self.bucket}/{key}", data
                return

    def _read(self, key: str) -> bytes | None:
        """An object; None: there is none."""
        from botocore.exceptions import ClientError

        with self.client.asked(f"read s3://{self.bucket}/{key}"):
            try:
                answer = self.client.boto.get_object(Bucket=self.bucket, Key=key)
                return cast(bytes, answer["Body"].read())
            except ClientError as error:
                if error_code(error) == "NoSuchKey":
                    return None
                raise

    def write_state(self, version: int, data: bytes) -> None:
        with self.client.asked(f"write s3://{self.bucket}/{self._state}"):
            self.client.boto.put_object(Bucket=self.bucket, Key=self._state, Body=data)

    def uri(self, target: str) -> str:
        """Of a part file, for messages."""
        return f"s3://{self.bucket}/{self._prefix}{target}"


class _S3Upload(Upload):
    """Sends full parts in threads of its own, while more is written."""

    def __init__(self, owner: S3Uploads, target: str, key: str) -> None:
        self._owner = owner
        self._uri = owner.uri(target)
        self._key = key
        self._upload: str | None = None
        self._threads: ThreadPoolExecutor | None = None
        self._sent: list[Future[Any]] = []
        self._answers: list[Any] = []
        self._parts = _Parts(self._send)
        self.stream = cast(BinaryIO, self._parts)

    def _send(self, data: bytes) -> None:
        self._begin()
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="upload")
        while len(self._sent) >= _AT_ONCE:
            self._answers.append(self._sent.pop(0).result())
        number = len(self._answers) + len(self._sent) + 1
        self._sent.append(self._threads.submit(self._send_part, number, data))

    def _begin(self) -> None:
        if self._upload is None:
            with self._owner.client.asked(f"write {self._uri}"):
                answer = self._owner.client.boto.create_multipart_upload(Bucket=self._owner.bucket, Key=self._key)
            self._upload = answer["UploadId"]

    def _send_part(self, number: int, data: bytes) -> Any:
        where = {"Bucket": self._owner.bucket, "Key": self._key, "UploadId": self._upload}
        with self._owner.client.asked(f"write {self._uri}"):
            return self._owner.client.boto.upload_part(**where, PartNumber=number, Body=data)

    def finish(self) -> dict[str, Any]:
        rest = self._parts.take_rest()
        number = len(self._answers) + len(self._sent) + 1
        self._begin()
        last = [self._send_part(number, rest)] if rest or number == 1 else []
        self._answers += [sent.result() for sent in self._sent] + last
        self._end_threads()
        self.batches, self.retries = len(self._answers), sum(map(retries_of, self._answers))
        return {"upload": self._upload, "parts": [answer["ETag"] for answer in self._answers]}

    def abort(self) -> None:
        self._end_threads()
        if self._upload is not None:
            with suppress(Exception):  # it is found again by its key
                self._owner.abort(self._key, self._upload)

    def _end_threads(self) -> None:
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
        self._threads, self._sent = None, []


class _Parts(io.RawIOBase):
    """Cuts what is written into parts."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._held: list[bytes] = []
        self._size = 0
        self._total = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        piece = data if isinstance(data, bytes) else bytes(data)
        self._held.append(piece)
        self._size += len(piece)
        self._total += len(piece)
        if self._size >= PART:
            whole = memoryview(b"".join(self._held))
            low = 0
            while len(whole) - low >= PART:
                self._send(bytes(whole[low : low + PART]))
                low += PART
            self._held = [bytes(whole[low:])]
            self._size = len(whole) - low
        return len(piece)

    def tell(self) -> int:
        return self._total

    def take_rest(self) -> bytes:
        """What has not been sent."""
        rest, self._held, self._size = b"".join(self._held), [], 0
        return rest
