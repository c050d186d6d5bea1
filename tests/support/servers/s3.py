"""S3 for the tests: moto's server.

def test_copy(s3):                          # a bucket of the test's own
    s3.put("in/a.txt", b"a")
    ...                                     # of s3.uri("in")
    assert s3.read("out/a.txt") == b"a"
"""

from __future__ import annotations

import sys
import uuid
from typing import Any

from tests.support.servers.choice import Kind
from tests.support.servers.containers import ServerContainer, find_image
from tests.support.servers.processes import ServerProcess, free_ports, listens

IMAGE = "motoserver/moto:5.2.5"
#: moto takes any; real clients want some.
KEYS = {"AWS_ACCESS_KEY_ID": "tester", "AWS_SECRET_ACCESS_KEY": "of-the-tests", "AWS_DEFAULT_REGION": "us-east-1"}
_PORT = 5000


class S3Server:
    """A server.

    Args:
        address: ``host:port``.
    """

    def __init__(self, address: str) -> None:
        self.address = address

    @property
    def endpoint(self) -> str:
        """Its URL."""
        return f"http://{self.address}"

    def client(self) -> S3Server:
        """The same server for another process."""
        return S3Server(self.address)

    def is_ready(self) -> bool:
        """Whether it answers."""
        host, _, port = self.address.rpartition(":")
        return listens(host, int(port))

    def bucket(self) -> Bucket:
        """A new bucket."""
        bucket = Bucket(self.endpoint, f"test-{uuid.uuid4().hex[:12]}")
        bucket.client.create_bucket(Bucket=bucket.name)
        return bucket

    def stop(self) -> None:
        """Another process ends it."""


class OwnS3(S3Server):
    """A server as a process.

    Args:
        free: So many requests are answered whatever their keys are, all later ones by the keys; None: all.
    """

    def __init__(self, free: int | None = None) -> None:
        (port,) = free_ports(1)
        super().__init__(f"127.0.0.1:{port}")
        self._free = free
        self.process = ServerProcess("s3")
        self.start()

    def start(self) -> None:
        """Start it, also after `ServerProcess.kill`; its objects are gone then."""
        port = self.address.rpartition(":")[2]
        rights = [] if self._free is None else ["env", f"INITIAL_NO_AUTH_ACTION_COUNT={self._free}"]
        command = [*rights, sys.executable, "-c", "from moto.server import main; main()", "-H", "127.0.0.1", "-p", port]
        try:
            self.process.start(command, self.is_ready)
        except BaseException:
            self.process.stop()
            raise

    def stop(self) -> None:
        self.process.stop()


class ContainerS3(S3Server):
    """A server in a container."""

    def __init__(self, image: str) -> None:
        self._container = ServerContainer("s3", image, [], [_PORT])
        super().__init__(f"{self._container.host}:{self._container.ports[_PORT]}")
        self._container.wait_until(self.is_ready)

    def stop(self) -> None:
        self._container.stop()


class S3(Kind[S3Server]):
    """The kind of server that S3 is."""

    name = "s3"
    image = IMAGE

    def at(self, address: str) -> S3Server:
        server = S3Server(address)
        return self.answering(server, server.is_ready, address, "S3")

    def in_container(self) -> S3Server:
        find_image(self.image)
        return ContainerS3(self.image)

    def as_process(self) -> S3Server:
        return OwnS3()


class Bucket:
    """What a test does with a bucket.

    Args:
        endpoint: The server's URL.
        name: The bucket.
    """

    def __init__(self, endpoint: str, name: str) -> None:
        import boto3
        from botocore.config import Config

        self.endpoint = endpoint
        self.name = name
        self.client: Any = boto3.client(
            "s3",
            endpoint_url=endpoint,
            aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
            region_name=KEYS["AWS_DEFAULT_REGION"],
            config=Config(s3={"addressing_style": "path"}),
        )

    def uri(self, path: str = "", **options: str) -> str:
        """The URI of an object or folder, with the server's address."""
        more = "".join(f"&{name}={value}" for name, value in options.items())
        return f"s3://{self.name}/{path}?endpoint_override={self.endpoint}{more}"

    def put(self, key: str, data: bytes) -> None:
        """Write an object."""
        self.client.put_object(Bucket=self.name, Key=key, Body=data)

    def read(self, key: str) -> bytes:
        """The bytes of an object."""
        data: bytes = self.client.get_object(Bucket=self.name, Key=key)["Body"].read()
        return data

    def delete(self, key: str) -> None:
        """Remove an object."""
        self.client.delete_object(Bucket=self.name, Key=key)

    def visible(self, prefix: str = "") -> list[str]:
        """The objects whose keys begin with a prefix, but for hidden ones."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.name, Prefix=prefix)
        found = [each["Key"] for page in pages for each in page.get("Contents", ())]
        return [key for key in found if not any(part.startswith(".") for part in key.split("/"))]

    def lines(self, prefix: str = "") -> list[str]:
        """The lines of these objects."""
        return [line for key in self.visible(prefix) for line in self.read(key).decode().splitlines()]

    def uploads(self) -> list[str]:
        """The keys of the uploads that are neither completed nor aborted."""
        found = self.client.list_multipart_uploads(Bucket=self.name)
        return [each["Key"] for each in found.get("Uploads", ())]
