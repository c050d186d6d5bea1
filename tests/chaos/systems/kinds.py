"""The systems: each is filled, a job reads all and writes all, and what it wrote is compared."""

from __future__ import annotations

import json
import time
import uuid
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from tests.support.processes import visible_lines
from tests.support.waiting import wait_until


class System(ABC):
    """A system of its own for one trial.

    Attributes:
        name: Its name.
        victims: What may be killed.
        twice: Records may be there twice: at least once.
        ends: The job ends by itself.
        environment: Variables of the job.
        epoch_records: Records of an epoch; None: a 25th of all.
    """

    name: ClassVar[str]
    victims: ClassVar[tuple[str, ...]] = ("driver", "worker", "server")
    twice: ClassVar[bool] = False
    ends: ClassVar[bool] = True
    environment: Mapping[str, str] = {}
    epoch_records: ClassVar[int | None] = None

    #: Made by `begin`: a server with `kill`, `start` and `stop`.
    _server: Any

    @abstractmethod
    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        """Start it, and fill it with so many records; what the job's script needs."""

    @abstractmethod
    def results(self) -> list[tuple[int, str]]:
        """What the job has written."""

    def kill(self) -> None:
        """End the server at once."""
        self._server.kill()

    def start(self) -> None:
        """Start it again."""
        self._server.start()

    def stop(self) -> None:
        """End it for good."""
        self._server.stop()

    def written(self) -> int:
        """About how many records are written."""
        return len(self.results())


def problems(system: System, count: int) -> list[str]:
    """What is wrong with the results."""
    found = Counter(system.results())
    wanted = {(n, f"N{n}") for n in range(count)}
    missing, unknown = wanted - found.keys(), found.keys() - wanted
    twice = sum(n - 1 for n in found.values())
    return [
        *([f"{len(missing):,} are missing, such as {min(missing)}"] if missing else []),
        *([f"{len(unknown):,} are unknown, such as {min(unknown)}"] if unknown else []),
        *([f"{twice:,} are there twice"] if twice and not system.twice else []),
    ]


class Postgres(System):
    """JdbcSource and exactly_once_sink, with plain INSERTs into a table without a key."""

    name = "jdbc"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from tests.support.servers.postgres import OwnPostgres

        self._server = OwnPostgres()
        self._run("CREATE TABLE numbers (id bigint PRIMARY KEY, name text)")
        self._run("CREATE TABLE results (id bigint, name text)")
        self.more(range(count))
        return {"url": f"jdbc:{self._server.url}"}

    def more(self, numbers: range) -> None:
        """Let more records come."""
        self._run(f"INSERT INTO numbers SELECT n, 'n' || n FROM generate_series({numbers[0]}, {numbers[-1]}) n")

    def _run(self, statement: str) -> list[Any]:
        import psycopg

        with psycopg.connect(self._server.url) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def results(self) -> list[tuple[int, str]]:
        return self._run("SELECT id, name FROM results")

    def written(self) -> int:
        return int(self._run("SELECT count(*) FROM results")[0][0])


class Changes(Postgres):
    """PostgresChangeSource: half of the rows are there at the start, the others come while the job runs."""

    name = "changes"
    ends = False

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = super().begin(folder, count // 2)
        for begin in range(count // 2, count, 1000):
            self._waiting.append(range(begin, min(begin + 1000, count)))
        return where

    def __init__(self) -> None:
        self._waiting: list[range] = []

    def written(self) -> int:
        if self._waiting:  # as the job is looked at, rows come
            self.more(self._waiting.pop(0))
        return super().written()


class MySqlCdc(System):
    """The table connector mysql-cdc: its changes as they are, written once each, must make the table when added up.

    Half of the rows are there at the start. The others come while the job runs; meanwhile some rows are changed and
    changed back, some are deleted and come back, and the table gets another column.
    """

    name = "mysql-cdc"
    ends = False

    def __init__(self) -> None:
        self._waiting: list[str] = []

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from tests.support.servers.mysql import DATABASE, LOG, PASSWORD, USER, OwnMySQL
        from tests.support.servers.postgres import OwnPostgres

        self._count = count
        self._server = OwnMySQL(*LOG)
        self._target = OwnPostgres()
        self._found("CREATE TABLE results (id bigint, name text)")
        half = count // 2
        new = "INSERT INTO numbers (id, name) SELECT seq, CONCAT('n', seq) FROM seq_{0}_to_{1}"
        self._run("CREATE TABLE numbers (id BIGINT PRIMARY KEY, name VARCHAR(20))")
        self._run(new.format(0, half - 1))
        for begin in range(half, count, 1000):
            first, last = begin - half, min(begin + 1000, count) - half - 1
            some = f"id BETWEEN {first} AND {last}"
            self._waiting += [
                f"UPDATE numbers SET name = CONCAT('m', id) WHERE {some} AND id % 5 = 0",
                f"DELETE FROM numbers WHERE {some} AND id % 10 = 3",
                f"{new.format(first, last)} WHERE seq % 10 = 3",
                f"UPDATE numbers SET name = CONCAT('n', id) WHERE {some} AND id % 5 = 0",
                new.format(begin, last + half),
            ]
        self._waiting.insert(len(self._waiting) // 2, "ALTER TABLE numbers ADD more INT DEFAULT 5 FIRST")
        return {
            "port": self._server.port,
            "user": USER,
            "password": PASSWORD,
            "database": DATABASE,
            "url": f"jdbc:{self._target.url}",
        }

    def _run(self, statement: str) -> None:
        import pymysql

        from tests.support.servers.mysql import DATABASE, PASSWORD, USER

        with pymysql.connect(
            host="127.0.0.1", port=self._server.port, user=USER, password=PASSWORD, database=DATABASE, autocommit=True
        ) as connection:
            connection.cursor().execute(statement)

    def _found(self, statement: str) -> list[Any]:
        import psycopg

        with psycopg.connect(self._target.url) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def results(self) -> list[tuple[int, str]]:
        net: Counter[tuple[int, str]] = Counter()
        for id, name in self._found("SELECT id, name FROM results"):
            net[id, name[2:].upper()] += 1 if name[0] == "+" else -1
        taken = [(id, f"taken away {-n} times too often: {name}") for (id, name), n in net.items() if n < 0]
        return [*net.elements(), *taken]

    def written(self) -> int:
        for _ in range(5):  # as the job is looked at, changes come
            if self._waiting:
                self._run(self._waiting[0])
                del self._waiting[0]
        ((rows,),) = self._found(
            "SELECT count(*) FILTER (WHERE name LIKE '+_n%') - count(*) FILTER (WHERE name LIKE '-_n%') FROM results"
        )
        return min(int(rows), self._count - bool(self._waiting))

    def stop(self) -> None:
        super().stop()
        self._target.stop()


class Cassandra(System):
    """CassandraSource and CassandraRowSink, by upserts."""

    name = "cassandra"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from cassandra.concurrent import execute_concurrent_with_args

        from tests.support.servers.cassandra import OwnNode

        self._server = OwnNode()
        tables = [f"CREATE TABLE {name} (id bigint PRIMARY KEY, name text)" for name in ("numbers", "results")]
        self._keyspace = self._server.keyspace(*tables)
        with self._server.session(self._keyspace) as session:
            insert = session.prepare("INSERT INTO numbers (id, name) VALUES (?, ?)")
            execute_concurrent_with_args(session, insert, [(n, f"n{n}") for n in range(count)], concurrency=128)
        return {"address": self._server.address, "keyspace": self._keyspace}

    def results(self) -> list[tuple[int, str]]:
        return [(row.id, row.name) for row in self._server.run(f"SELECT id, name FROM {self._keyspace}.results")]


class Elasticsearch(System):
    """ElasticsearchSource and ElasticsearchSink, with ids that follow from the epoch.

    The server is not killed: its only node forgets the point in time, and the job ends with an error that says so.
    """

    name = "elasticsearch"
    victims = ("driver", "worker", "committer")

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from elasticsearch.helpers import bulk

        from tests.support.servers.elasticsearch import OwnElasticsearch

        self._server = server = OwnElasticsearch()
        self._in, self._out = (server.index(name, id="long", text="keyword") for name in ("numbers", "results"))
        documents = ({"_index": self._in, "_id": str(n), "id": n, "text": f"n{n}"} for n in range(count))
        bulk(server.api, documents, chunk_size=5000, refresh=True)
        server.api.indices.flush(index=self._in)
        where = {"address": server.address, "user": server.user, "password": server.password}
        return {**where, "in": self._in, "out": self._out}

    def results(self) -> list[tuple[int, str]]:
        from elasticsearch.helpers import scan

        self._server.api.indices.refresh(index=self._out)
        found = scan(self._server.api, index=self._out, size=5000)
        return [(hit["_source"]["id"], hit["_source"]["text"]) for hit in found]

    def written(self) -> int:
        self._server.api.indices.refresh(index=self._out)
        return int(self._server.api.count(index=self._out)["count"])


class ElasticsearchSink(Elasticsearch):
    """ElasticsearchSink alone."""

    name = "elasticsearch-sink"
    victims = System.victims

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        return {**super().begin(folder, 1), "count": count}


class _Rabbit(System):
    def _begin(self) -> dict[str, Any]:
        from tests.support.servers.rabbitmq import OwnRabbitServer

        self._server = OwnRabbitServer()
        self._queue = self._server.queue("numbers")
        return {"address": f"{self._server.host}:{self._server.port}"}


class RabbitSource(_Rabbit):
    """RMQSource with correlation ids, into files."""

    name = "rabbitmq-source"
    ends = False

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = self._begin()
        self._server.publish(self._queue, ((str(n), f"{n},n{n}".encode()) for n in range(count)))
        self._out = folder / "out"
        return {**where, "in": self._queue, "out": str(self._out)}

    def results(self) -> list[tuple[int, str]]:
        return list(_parsed(visible_lines(self._out))) if self._out.exists() else []


class RabbitSink(_Rabbit):
    """RMQSink: at least once, so messages come twice when an epoch runs again."""

    name = "rabbitmq-sink"
    twice = True

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        self._found: list[tuple[int, str]] = []
        return {**self._begin(), "out": self._queue, "count": count}

    def results(self) -> list[tuple[int, str]]:
        if not self._found:
            with self._server.channel() as channel:
                channel.basic_qos(prefetch_count=5000)
                for method, _, body in channel.consume(self._queue, auto_ack=True, inactivity_timeout=2):
                    if method is None:
                        break
                    self._found += _parsed([body.decode()])
        return self._found

    def written(self) -> int:
        return self._server.size(self._queue)


class _Mqtt(System):
    def _begin(self) -> dict[str, Any]:
        from tests.support.servers.mqtt import OwnMqttServer

        self._server = OwnMqttServer()
        return {"port": self._server.port}


class MqttSource(_Mqtt):
    """MqttSource with ids, into files. A killed server delivers again what was acknowledged since it last saved."""

    name = "mqtt-source"
    ends = False

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = self._begin()
        self._server.keep("reader-0", "numbers")
        self._server.publish_each(("numbers", f"{n},n{n}".encode(), str(n)) for n in range(count))
        self._out = folder / "out"
        return {**where, "in": "numbers", "out": str(self._out)}

    def results(self) -> list[tuple[int, str]]:
        return list(_parsed(visible_lines(self._out))) if self._out.exists() else []


class MqttSink(_Mqtt):
    """MqttSink: at least once, so messages come twice when an epoch runs again.

    A server that is killed has forgotten what it confirmed since it last saved, so it is asked to end.
    """

    name = "mqtt-sink"
    twice = True

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = self._begin()
        self._received: list[bytes] = []
        self._reader = self._server.connected(
            "drain", 3600, lambda message: self._received.append(message.payload), "numbers", 1
        )
        self._reader.__enter__()
        return {**where, "out": "numbers", "count": count}

    def results(self) -> list[tuple[int, str]]:
        end = uuid.uuid4().hex.encode()
        self._server.publish([("numbers", end)])
        wait_until(lambda: end in self._received[-5000:], "the end of the numbers", 60.0, 0.05)
        return list(_parsed(payload.decode() for payload in self._received if b"," in payload))

    def written(self) -> int:
        return len(self._received)

    def kill(self) -> None:
        self._server.stop_gently()

    def stop(self) -> None:
        self._reader.__exit__(None, None, None)
        super().stop()


class _PubSub(System):
    """Google's in-memory server forgets all when it is killed, so it is not."""

    victims = ("driver", "worker")

    def _begin(self) -> dict[str, Any]:
        from tests.support.servers.pubsub import OwnPubSubServer

        self._server = OwnPubSubServer()
        self._topic, _ = self._server.topic()
        return {"address": self._server.address}


class PubSubSource(_PubSub):
    """PubSubSource, into files."""

    name = "pubsub-source"
    ends = False

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = self._begin()
        self._server.publish(self._topic, (f"{n},n{n}".encode() for n in range(count)))
        self._out = folder / "out"
        return {**where, "in": self._topic, "out": str(self._out)}

    def results(self) -> list[tuple[int, str]]:
        return list(_parsed(visible_lines(self._out))) if self._out.exists() else []


class PubSubSink(_PubSub):
    """PubSubSink: at least once, so messages come twice when an epoch runs again."""

    name = "pubsub-sink"
    twice = True

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        self._found: list[tuple[int, str]] = []
        return {**self._begin(), "out": self._topic, "count": count}

    def results(self) -> list[tuple[int, str]]:
        self._found += _parsed(data.decode() for data in self._server.drain(self._topic))
        return self._found

    def written(self) -> int:
        self._found += _parsed(data.decode() for data in self._server.drain(self._topic, 0.2))
        return len(self._found)


class Pulsar(System):
    """PulsarSource of two partitions, and PulsarSink with EXACTLY_ONCE, into a topic whose brokers know repetitions."""

    name = "pulsar"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from tests.support.servers.pulsar import ONCE, OwnPulsarServer

        self._server = server = OwnPulsarServer()
        numbers, self._results = server.topic(2), server.topic(namespace=ONCE)
        for partition in range(2):
            contents = (f"{n},n{n}".encode() for n in range(partition, count, 2))
            server.publish(f"{numbers}-partition-{partition}", contents, 100)
        return {"url": server.url, "admin": server.admin_url, "in": numbers, "out": self._results}

    def results(self) -> list[tuple[int, str]]:
        return list(_parsed(data.decode() for data in self._server.drain(self._results)))

    def written(self) -> int:
        stats = self._server.call("GET", f"{self._results.replace('://', '/')}/internalStats")
        return int(stats["numberOfEntries"])


class Http(System):
    """HttpSource with a cursor, and HttpSink to a receiver that heeds keys; both are away for a while."""

    name = "http"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from tests.support.servers.web import Reply, Request, WebServer

        def numbers(request: Request) -> Reply:
            first = int(request.query.get("after", -1)) + 1
            found = [{"n": n, "name": f"n{n}"} for n in range(first, min(first + 1000, count))]
            return Reply(200, {}, json.dumps(found).encode())

        self._server = WebServer()
        self._server.pages["/numbers"] = numbers
        self._server.__enter__()
        return {"url": self._server.url}

    def kill(self) -> None:
        self._server.away = True

    def start(self) -> None:
        self._server.away = False

    def stop(self) -> None:
        self._server.__exit__(None, None, None)

    def results(self) -> list[tuple[int, str]]:
        bodies = list(self._server.taken.get("/results", []))
        return [(found["n"], found["name"]) for body in bodies for found in json.loads(body)]


class _Kinesis(System):
    def _begin(self) -> dict[str, Any]:
        from tests.support.servers.kinesis import OwnKinesalite

        self._server = OwnKinesalite(kept=True)
        self._stream = self._server.stream(2)
        return {"properties": self._server.properties, "stream": self._stream}


class KinesisSource(_Kinesis):
    """KinesisStreamsSource of a stream whose shards were split and merged, into files."""

    name = "kinesis-source"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = self._begin()
        reshard = [self._server.split, self._server.merge, self._server.split]
        step = -(-count // 4)
        for first in range(0, count, step):
            if first:
                reshard.pop()(self._stream)
            numbers = range(first, min(count, first + step))
            self._server.put(self._stream, ((f"k{n}", f"{n},n{n}".encode()) for n in numbers))
        self._out = folder / "out"
        return {**where, "out": str(self._out)}

    def results(self) -> list[tuple[int, str]]:
        return list(_parsed(visible_lines(self._out))) if self._out.exists() else []


class KinesisSink(_Kinesis):
    """KinesisStreamsSink: at least once, so records come twice when an epoch runs again."""

    name = "kinesis-sink"
    twice = True

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = self._begin()
        self._found: list[tuple[int, str]] = []
        self._places = self._server.beginnings(self._stream)
        return {**where, "count": count}

    def results(self) -> list[tuple[int, str]]:
        while self._read():
            pass
        return self._found

    def written(self) -> int:
        self._read()  # once: the job may write as fast as this reads
        return len(self._found)

    def _read(self) -> int:
        """Read on in each shard by one request; how many records there were."""
        before = len(self._found)
        for shard, place in list(self._places.items()):
            answer = self._server.boto().get_records(ShardIterator=place, Limit=10_000)
            self._places[shard] = answer["NextShardIterator"]
            self._found += _parsed(record["Data"].decode() for record in answer["Records"])
        return len(self._found) - before


class _Redis(System):
    def _begin(self) -> dict[str, Any]:
        from tests.support.servers.redis import OwnRedisServer

        self._server = OwnRedisServer()
        self._key = self._server.key("numbers")
        return {"port": self._server.port}


class RedisSource(_Redis):
    """RedisStreamsSource of two streams, into files."""

    name = "redis-source"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = self._begin()
        keys = [f"{self._key}-{place}" for place in range(2)]
        for place, key in enumerate(keys):
            self._server.add(key, (f"{n},n{n}".encode() for n in range(place, count, 2)))
        self._out = folder / "out"
        return {**where, "in": keys, "out": str(self._out)}

    def results(self) -> list[tuple[int, str]]:
        return list(_parsed(visible_lines(self._out))) if self._out.exists() else []


class RedisSink(_Redis):
    """RedisSink: exactly once, into a list, where a command that is repeated shows."""

    name = "redis-sink"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        return {**self._begin(), "out": self._key, "count": count}

    def results(self) -> list[tuple[int, str]]:
        with self._server.api as api:
            return list(_parsed(value.decode() for value in api.lrange(self._key, 0, -1)))

    def written(self) -> int:
        with self._server.api as api:
            return int(api.llen(self._key))


class S3(System):
    """FileSource and FileSink. The server keeps its objects in memory, so it is not killed."""

    name = "s3"
    victims = ("driver", "worker", "committer")
    epoch_records = 1_000

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from tests.support.servers.s3 import KEYS, OwnS3

        self.environment = KEYS
        self._server = OwnS3()
        self._bucket = self._server.bucket()
        step = -(-count // 8)
        for file in range(8):
            lines = "".join(f"{n},n{n}\n" for n in range(file * step, min(count, file * step + step)))
            self._bucket.put(f"in/{file}.csv", lines.encode())
        return {"in": self._bucket.uri("in"), "out": self._bucket.uri("out")}

    def results(self) -> list[tuple[int, str]]:
        return list(_parsed(self._bucket.lines("out/")))


def _parsed(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    for line in lines:
        number, name = line.split(",")
        yield int(number), name


_KINDS = (
    Postgres,
    Changes,
    MySqlCdc,
    Cassandra,
    Elasticsearch,
    ElasticsearchSink,
    RabbitSource,
    RabbitSink,
    MqttSource,
    MqttSink,
    PubSubSource,
    PubSubSink,
    Pulsar,
    Http,
    KinesisSource,
    KinesisSink,
    RedisSource,
    RedisSink,
    S3,
)
SYSTEMS: dict[str, type[System]] = {kind.name: kind for kind in _KINDS}


def as_argument(where: dict[str, Any]) -> str:
    """What the script takes."""
    return json.dumps(where)


def patiently(call: Any, limit_s: float = 60.0) -> Any:
    """Call until it does not fail: the server may be on its way back."""
    deadline = time.monotonic() + limit_s
    while True:
        try:
            return call()
        except Exception:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)
