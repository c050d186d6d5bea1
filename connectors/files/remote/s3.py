"""S3 as a file system that is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from datastream.connectors.files.listing import FoundFile
from datastream.connectors.files.parts import changed, gone
from datastream.errors import JobError

from .file_system import FileSystem
from .location import Location
from .s3_client import error_code, s3_client


class S3FileSystem(FileSystem):
    """The objects of a bucket.

    Args:
        location: Anything in the bucket.
    """

    def __init__(self, location: Location) -> None:
        self.client = s3_client(location)
        self.bucket = location.authority
        self._root = location.root + "/"

    def stat(self, uri: str) -> FoundFile | None:
        from botocore.exceptions import ClientError

        key = self.key(uri)
        if not key:
            return None
        with self.client.asked(f"look at {uri}"):
            try:
                head = self.client.boto.head_object(Bucket=self.bucket, Key=key)
            except ClientError as error:
                if error_code(error) in ("404", "NoSuchKey", "NotFound"):
                    return None
                raise
        return FoundFile(uri, head["ContentLength"], int(head["LastModified"].timestamp() * 1e9))

    def find(self, prefix: str, after: str = "") -> Iterator[FoundFile]:
        start = {"StartAfter": self.key(after)} if after else {}
        pages = iter(
            self.client.boto.get_paginator("list_objects_v2").paginate(
                Bucket=self.bucket, Prefix=self.key(prefix), **start
            )
        )
        while True:
            with self.client.asked(f"list {prefix}"):
                page = next(pages, None)
            if page is None:
                return
            for found in page.get("Contents", ()):
                if not found["Key"].endswith("/"):  # else it stands for a folder
                    modified = int(found["LastModified"].timestamp() * 1e9)
                    yield FoundFile(self._root + found["Key"], found["Size"], modified)

    def opened(self, uri: str, size: int) -> tuple[Callable[[int, int], bytes], None]:
        from botocore.exceptions import ClientError, HTTPClientError, ResponseStreamingError

        key = self.key(uri)

        def fetch(start: int, stop: int) -> bytes:
            for left in (2, 1, 0):
                with self.client.asked(f"read {uri}"):
                    try:
                        answer = self.client.boto.get_object(
                            Bucket=self.bucket, Key=key, Range=f"bytes={start}-{stop - 1}"
                        )
                        now = int(answer["ContentRange"].rpartition("/")[2])
                        data: bytes = answer["Body"].read()
                    except ClientError as error:
                        if error_code(error) == "NoSuchKey":
                            raise gone(uri) from error
                        if error_code(error) == "InvalidRange":
                            raise changed(uri, size, "fewer") from error
                        raise
                    except (HTTPClientError, ResponseStreamingError):  # boto3 tries no body again
                        if left:
                            continue
                        raise
                if now != size:
                    raise changed(uri, size, now)
                return data
            raise JobError(f"{uri} cannot be read")  # never: the last try returns or raises

        return fetch, None

    def key(self, uri: str) -> str:
        """The key of an object's URI."""
        return uri[len(self._root) :]
