"""Kinesis for the tests: kinesalite of npm, whose numbers of records, splits and merges are as Amazon's.

def test_copy(kinesis):                      # shared by the whole run
    stream = kinesis.stream(2)               # of the test's own, with two shards
    kinesis.put(stream, [("key", b"a")])
    ...
    assert kinesis.contents(stream) == [b"a"]

moto's server, which moves the records of a shard that is split, has times to start from, ARNs and Firehose; see
`tests.support.servers.s3`.
"""

from __future__ import annotations

import shutil
import subprocess
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.support.servers.choice import Kind
from tests.support.servers.installs import install_once
from tests.support.servers.processes import ServerProcess, free_ports, listens
from tests.support.servers.s3 import Bucket
from tests.support.servers.unavailable import UnavailableError
from tests.support.waiting import wait_until

VERSION = "3.3.3"
SECRET = "s3cret-of-the-tests"
_INSTALL_S = 300
_RESETS = Path(__file__).with_name("kinesalite.js")


class KinesisServer:
    """A server.

    Args:
        endpoint: Its URL.
    """

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self._clients: dict[str, Any] = {}

    @property
    def properties(self) -> dict[str, str]:
        """Those of a source or sink."""
        return {
            "aws.region": "us-east-1",
            "aws.endpoint": self.endpoint,
            "aws.credentials.provider.basic.accesskeyid": "tester",
            "aws.credentials.provider.basic.secretkey": SECRET,
        }

    def __getstate__(self) -> dict[str, Any]:
        return {"endpoint": self.endpoint, "_clients": {}}

    def client(self) -> KinesisServer:
        """The same server for another process."""
        return KinesisServer(self.endpoint)

    def stop(self) -> None:
        """Another process ends it."""

    def is_ready(self) -> bool:
        """Whether it answers."""
        host, _, port = self.endpoint.rpartition("/")[2].rpartition(":")
        return listens(host, int(port))

    def boto(self, name: str = "kinesis") -> Any:
        """A client of boto3."""
        import boto3

        if name not in self._clients:
            self._clients[name] = boto3.client(
                name,
                endpoint_url=self.endpoint,
                region_name="us-east-1",
                aws_access_key_id="tester",
                aws_secret_access_key=SECRET,
            )
        return self._clients[name]

    def stream(self, shards: int = 1) -> str:
        """The name of a new stream."""
        name = f"s-{uuid.uuid4().hex[:12]}"
        self.boto().create_stream(StreamName=name, ShardCount=shards)
        self.settled(name)
        return name

    def settled(self, stream: str) -> None:
        """Wait until a stream can be used."""
        client = self.boto()

        def active() -> bool:
            status: str = client.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]["StreamStatus"]
            return status == "ACTIVE"

        wait_until(active, f"the stream {stream}", 30)

    def put(self, stream: str, records: Iterable[tuple[str, bytes]]) -> None:
        """Put records, given as pairs of partition key and content, in order."""
        client, entries = self.boto(), [{"PartitionKey": key, "Data": data} for key, data in records]
        for first in range(0, len(entries), 500):
            answer = client.put_records(StreamName=stream, Records=entries[first : first + 500])
            assert answer["FailedRecordCount"] == 0, answer

    def open_shards(self, stream: str) -> list[dict[str, Any]]:
        """The shards that take records, in the order of their hash keys."""
        listed = self.boto().list_shards(StreamName=stream)["Shards"]
        found = [shard for shard in listed if "EndingSequenceNumber" not in shard["SequenceNumberRange"]]
        return sorted(found, key=lambda shard: int(shard["HashKeyRange"]["StartingHashKey"]))

    def split(self, stream: str, index: int = 0) -> None:
        """Split an open shard in its middle."""
        shard = self.open_shards(stream)[index]
        first, last = (int(shard["HashKeyRange"][end]) for end in ("StartingHashKey", "EndingHashKey"))
        self.boto().split_shard(
            StreamName=stream, ShardToSplit=shard["ShardId"], NewStartingHashKey=str((first + last) // 2)
        )
        self.settled(stream)

    def merge(self, stream: str) -> None:
        """Merge the first two open shards."""
        one, other = self.open_shards(stream)[:2]
        self.boto().merge_shards(StreamName=stream, ShardToMerge=one["ShardId"], AdjacentShardToMerge=other["ShardId"])
        self.settled(stream)

    def delivery_stream(self) -> str:
        """The name of a new delivery stream of Firehose, and of the bucket that it delivers to; moto's alone."""
        name = f"d-{uuid.uuid4().hex[:12]}"
        self.boto("s3").create_bucket(Bucket=name)
        target = {"RoleARN": "arn:aws:iam::123456789012:role/r", "BucketARN": f"arn:aws:s3:::{name}"}
        self.boto("firehose").create_delivery_stream(DeliveryStreamName=name, S3DestinationConfiguration=target)
        return name

    def delivered(self, name: str) -> str:
        """What a delivery stream has delivered."""
        bucket = self.bucket(name)
        return "".join(bucket.read(key).decode() for key in bucket.visible())

    def bucket(self, name: str) -> Bucket:
        """The bucket of a delivery stream."""
        return Bucket(self.endpoint, name)

    def beginnings(self, stream: str) -> dict[str, str]:
        """An iterator at the oldest record of each shard."""
        client, oldest = self.boto(), {"StreamName": stream, "ShardIteratorType": "TRIM_HORIZON"}
        shards = [shard["ShardId"] for shard in client.list_shards(StreamName=stream)["Shards"]]
        return {shard: client.get_shard_iterator(ShardId=shard, **oldest)["ShardIterator"] for shard in shards}

    def contents(self, stream: str) -> list[bytes]:
        """The content of all records, shard by shard."""
        client, found = self.boto(), []
        for text in self.beginnings(stream).values():
            while text:
                answer = client.get_records(ShardIterator=text)
                found += [record["Data"] for record in answer["Records"]]
                text = answer.get("NextShardIterator") if answer["Records"] else None
        return found


class OwnKinesalite(KinesisServer):
    """kinesalite as a process.

    Args:
        kept: Its streams are on the disk, so that they are there again after `kill` and `start`; else in memory.
    """

    def __init__(self, kept: bool = False) -> None:
        folder = install_once(f"kinesalite-{VERSION}", _install)
        (port,) = free_ports(1)
        super().__init__(f"http://127.0.0.1:{port}")
        self._process = ServerProcess("kinesalite")
        program = str(folder / "node_modules" / "kinesalite" / "cli.js")
        self._command = ["node", "--require", str(_RESETS), program, "--port", str(port), "--shardLimit", "10000"]
        for name in ("create", "delete", "update"):
            self._command += [f"--{name}StreamMs", "10"]
        if kept:
            self._command += ["--path", str(self._process.folder / "streams")]
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self) -> None:
        """Start it again after `kill`, at the same port."""
        self._process.start(self._command, self.is_ready)

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def stop(self) -> None:
        self._process.stop()


class Kinesis(Kind[KinesisServer]):
    """The kind of server that Kinesis is."""

    name = "kinesis"
    image = "none"

    def at(self, address: str) -> KinesisServer:
        server = KinesisServer(f"http://{address}")
        return self.answering(server, server.is_ready, address, "Kinesis")

    def in_container(self) -> KinesisServer:
        raise UnavailableError("kinesalite's makers have no image, and moto's moves the records of a shard")

    def as_process(self) -> KinesisServer:
        return OwnKinesalite()


def _install(folder: Path) -> None:
    if shutil.which("npm") is None or shutil.which("node") is None:
        raise UnavailableError("kinesalite needs node and npm, which are not there")
    command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), f"kinesalite@{VERSION}"]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_INSTALL_S)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"kinesalite cannot be installed: {error}") from error
