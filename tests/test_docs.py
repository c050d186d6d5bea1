"""Code in the README and in users' pages runs and shows what they say, and what they name exists."""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import uuid
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml

from datastream.config.settings import settings
from tests.support import warm_python
from tests.support.doc_blocks import Block, blocks, commands, session
from tests.support.servers.cassandra import Node
from tests.support.servers.elasticsearch import ElasticsearchServer
from tests.support.servers.kafka import Broker
from tests.support.servers.kinesis import KinesisServer
from tests.support.servers.mqtt import MqttServer
from tests.support.servers.nifi import NiFiServer
from tests.support.servers.postgres_command import ListeningPostgres
from tests.support.servers.processes import free_ports
from tests.support.servers.pubsub import PROJECT, PubSubServer
from tests.support.servers.pulsar import PulsarServer
from tests.support.servers.rabbitmq import RabbitServer
from tests.support.servers.redis import RedisServer
from tests.support.servers.twitter import TOKEN, TwitterServer
from tests.support.servers.web import EventLog, Reply, Request, WebServer
from tests.support.sql_prompt import SqlPrompt
from tests.support.warm_python import run_job, run_session

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ALL_PAGES = [*PAGES, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs" / "contributing").glob("*.md"))]
BROKER = "127.0.0.1:9092"
POSTGRES = "127.0.0.1:5432"
ELASTICSEARCH = ROOT / "docs" / "elasticsearch.md"
RABBITMQ = ROOT / "docs" / "rabbitmq.md"
MQTT = ROOT / "docs" / "mqtt.md"
HTTP = ROOT / "docs" / "http.md"
NIFI = ROOT / "docs" / "nifi.md"
TWITTER = ROOT / "docs" / "twitter.md"
PUBSUB = ROOT / "docs" / "pubsub.md"
PULSAR = ROOT / "docs" / "pulsar.md"
KINESIS = ROOT / "docs" / "kinesis.md"
REDIS = ROOT / "docs" / "redis.md"
CASSANDRA = ROOT / "docs" / "cassandra.md"

#: Commands that cannot run in a test: the page and how the command begins -> why.
NOT_RUN = {
    ("README.md", "pip install"): "it would install into the environment of the tests",
    ("README.md", "scripts/kafka"): "it runs until Ctrl-C; the tests have a broker",
    ("README.md", "datastream run --master spark://master.example:7077"): "there is no cluster at this address",
    ("README.md", "scripts/compose"): "needs a Docker engine; .ci/run runs it",
    ("docs/files.md", "datastream run"): "needs a bucket of S3; tests/connectors/test_remote_job.py runs it",
    ("docs/elasticsearch.md", "pip install"): "it would install into the environment of the tests",
    ("docs/cassandra.md", "pip install"): "it would install into the environment of the tests",
    ("docs/lakehouse.md", "pip install"): "it would install into the environment of the tests",
    ("docs/kinesis.md", "pip install"): "it would install into the environment of the tests",
    ("docs/pubsub.md", "pip install"): "it would install into the environment of the tests",
    ("docs/pulsar.md", "pip install"): "it would install into the environment of the tests",
    ("docs/rabbitmq.md", "pip install"): "it would install into the environment of the tests",
    ("docs/mqtt.md", "pip install"): "it would install into the environment of the tests",
    ("docs/redis.md", "pip install"): "it would install into the environment of the tests",
    ("docs/tutorial-kafka-sql.md", "scripts/kafka"): "it runs until Ctrl-C; the tests have a broker",
    ("docs/tutorial-kafka-postgres.md", "scripts/kafka"): "it runs until Ctrl-C; the tests have a broker",
    ("docs/tutorial-kafka-postgres.md", "scripts/postgres"): "it runs until Ctrl-C; the tests have a server",
    ("docs/kafka.md", "scripts/kafka"): "it runs until Ctrl-C; the tests have a broker",
    ("docs/kafka.md", "kafka-acls.sh"): "a program of Kafka's, for a broker with access control",
    ("docs/cluster.md", "datastream run --master spark://"): "tests/integration/test_cluster_page.py runs it",
    ("docs/cluster.md", "HADOOP_CONF_DIR=/etc/hadoop/conf datastream run"): "there is no YARN",
    ("docs/cluster.md", "datastream run --master k8s://"): "there is no Kubernetes",
    ("docs/cluster.md", "python -m venv environment"): "installs all dependencies anew",
    ("docs/cluster.md", "environment/bin/pip install"): "installs all dependencies anew",
    ("docs/cluster.md", "environment/bin/venv-pack"): "venv-pack is no dependency",
    ("docs/cluster.md", "datastream run --master yarn"): "there is no YARN",
    ("docs/metrics.md", "datastream run -D datastream.metrics.port"): "it runs until Ctrl-C",
    ("docs/metrics.md", "curl"): "the job runs meanwhile; tests/prometheus does the same",
    ("docs/containers.md", "scripts/compose"): "needs a Docker engine; .ci/run runs it",
    ("docs/containers.md", "DOCKER_BUILDKIT=1 docker build"): "needs a Docker engine; scripts/compose runs it",
    ("docs/containers.md", "docker"): "needs a Docker engine, and the reader's image",
    ("docs/containers.md", "scripts/kafka topic"): "needs the stack of compose.yaml",
    ("docs/containers.md", "curl"): "needs a Docker engine, and the reader's image",
    ("README.md", "datastream-gateway"): "it runs until Ctrl-C; tests/services/gateway has one",
    ("README.md", "datastream submit"): "needs a gateway; tests/client does the same",
    ("README.md", "datastream jobs"): "needs a gateway; tests/client does the same",
    ("docs/gateway.md", "pip install"): "it would install into the environment of the tests",
    ("docs/gateway.md", "datastream-gateway"): "it runs until Ctrl-C; tests/services/gateway has one",
    ("docs/gateway.md", "datastream submit"): "needs a gateway; tests/client does the same",
    ("docs/gateway.md", "datastream jobs"): "needs a gateway; tests/client does the same",
    ("docs/gateway.md", "curl"): "needs a gateway; tests/services/gateway/test_flip38.py does the same",
    ("docs/sql-gateway.md", "URL="): "needs a gateway; tests/services/gateway/sql_gateway does the same",
    ("docs/sql-gateway.md", "AUTH="): "needs a gateway; tests/services/gateway/sql_gateway does the same",
    ("docs/sql-gateway.md", "curl"): "needs a gateway; tests/services/gateway/sql_gateway does the same",
    ("docs/sql-gateway.md", "export FLINK_REST_CLIENT_HEADERS"): "tests/services/gateway/sql_gateway does the same",
    ("docs/containers.md", "export DATASTREAM_GATEWAY_TOKEN"): "needs the stack of compose.yaml",
    ("docs/containers.md", "datastream jobs"): "needs the stack of compose.yaml",
    ("docs/containers.md", "datastream submit"): "needs the stack of compose.yaml",
    ("docs/gateway-launchers.md", "datastream-gateway serve --launcher docker"): "it runs until Ctrl-C",
    ("docs/kubernetes.md", "kubectl"): "needs a cluster; scripts/kubernetes does the same",
    ("docs/kubernetes.md", "helm"): "needs a cluster; scripts/kubernetes does the same",
    ("docs/kubernetes-storage.md", "kubectl"): "needs a cluster; scripts/kubernetes does the same",
    ("docs/kubernetes-runbook.md", "kubectl"): "needs a cluster; scripts/kubernetes does the same",
    ("docs/kubernetes-storage.md", "helm"): "needs a cluster; scripts/kubernetes does the same",
    ("README.md", "helm"): "needs a cluster; scripts/kubernetes does the same",
    ("docs/kubernetes.md", "export DATASTREAM_GATEWAY_TOKEN"): "needs a cluster; scripts/kubernetes does the same",
    ("docs/kubernetes-runbook.md", "TOKEN=$(kubectl"): "needs a cluster; scripts/kubernetes does the same",
    ("docs/kubernetes.md", "datastream submit"): "needs a cluster; scripts/kubernetes does the same",
    ("docs/gateway-client.md", "datastream-gateway"): "it runs until Ctrl-C; tests/client has a gateway",
    ("docs/gateway-client.md", "datastream submit"): "needs a gateway; tests/client does the same",
    ("docs/gateway-client.md", "datastream jobs"): "needs a gateway; tests/client does the same",
    ("docs/gateway-client.md", "datastream artifacts"): "needs a gateway; tests/client does the same",
    ("docs/gateway-client.md", "python deploy.py"): "needs a gateway; tests/client/test_real_gateway.py runs it",
    ("docs/savepoints.md", "datastream stop"): "tests/integration/test_stop_with_savepoint.py runs it",
    ("docs/savepoints.md", "datastream savepoint checkpoints/job"): "tests/savepoints runs it",
    ("docs/savepoints.md", "datastream run --from-savepoint"): "job.py stands for the reader's script",
    ("docs/savepoints.md", "datastream state write totals.csv"): "tests/savepoints runs it",
    ("docs/testing.md", "datastream run --executor local main.py"): "main.py stands for the reader's script",
}


class Reader:
    """Does what a page says, block by block, in a folder.

    Args:
        folder: Where the page's files and commands are.
        page: The page.
        broker: Gives a broker, for pages that name one.
        elasticsearch: Gives an Elasticsearch, for its page.
        rabbitmq: Gives a RabbitMQ, for its page.
        mqtt: Gives a server of MQTT 5, for its page.
        pubsub: Gives a Pub/Sub, for its page.
        pulsar: Gives a Pulsar, for its page.
        kinesis: Gives a Kinesis, for its page.
        redis: Gives a Redis, for its page.
        cassandra: Gives a Cassandra, for its page.
        twitter: Gives a server of X's streams, for its page.
        web: Gives a server of HTTP, for its page.
        nifi: Gives a NiFi, for its page.
        postgres: Gives a PostgreSQL, for pages that name one.
    """

    def __init__(
        self,
        folder: Path,
        page: Path,
        broker: Callable[[], Broker],
        elasticsearch: Callable[[], ElasticsearchServer],
        rabbitmq: Callable[[], RabbitServer],
        mqtt: Callable[[], MqttServer],
        pubsub: Callable[[], PubSubServer],
        pulsar: Callable[[], PulsarServer],
        kinesis: Callable[[], KinesisServer],
        redis: Callable[[], RedisServer],
        cassandra: Callable[[], Node],
        twitter: Callable[[], TwitterServer],
        web: Callable[[], WebServer],
        nifi: Callable[[], NiFiServer],
        postgres: Callable[[], ListeningPostgres],
    ) -> None:
        self.folder = folder
        self.page = page
        self.blocks = blocks(page, ROOT)
        self.shown: list[str] | None = None
        text = page.read_text("utf-8")
        self.broker = broker() if BROKER in text else None
        self.elasticsearch = elasticsearch() if page == ELASTICSEARCH else None
        self.rabbitmq = rabbitmq() if page == RABBITMQ else None
        self.mqtt = mqtt() if page == MQTT else None
        self.topic = self.mqtt.topic("shop") if self.mqtt else ""
        self.pubsub = pubsub() if page == PUBSUB else None
        self.pulsar = pulsar() if page == PULSAR else None
        self.orders = self.pulsar.topic() if self.pulsar else ""
        self.kinesis = kinesis() if page == KINESIS else None
        self.stream = self.kinesis.stream() if self.kinesis else ""
        self.redis = redis() if page == REDIS else None
        self.key = self.redis.key() if self.redis else ""
        self.lines = self.pubsub.topic()[0] if self.pubsub else ""
        self.cassandra = cassandra() if page == CASSANDRA else None
        self.twitter = twitter() if page == TWITTER else None
        self.web = web() if page == HTTP else None
        self.nifi = nifi() if page == NIFI else None
        self.flow = self.nifi and self.nifi.flow()
        self.postgres = postgres() if POSTGRES in text else None
        self.keyspace = f"shop_{uuid.uuid4().hex[:8]}"
        topics = re.findall(r"^scripts/kafka topic (\S+)", text, re.M)
        self.names = {topic: f"{topic}-{uuid.uuid4().hex[:8]}" for topic in topics}
        self.queue = f"lines-{uuid.uuid4().hex[:8]}"

    def read(self) -> None:
        for block in self.blocks:
            do = getattr(self, f"do_{block.language}", None)
            assert do is not None, f"{block}: nothing runs or checks blocks of {block.language}"
            do(block)

    def do_python(self, block: Block) -> None:
        """A job; one that a command of the page names runs by that command."""
        name = block.title or "block.py"
        (self.folder / name).write_text(self._with_topics(block.text))
        written = [other.text for other in self.blocks if other.language in ("sh", "console")]
        if block.title and any(block.title in text for text in written):
            return
        self.shown = self._warm(block, run_job, name)

    def do_sql(self, block: Block) -> None:
        """A file of statements; one that a command of the page names runs by that command."""
        name = block.title or "block.sql"
        (self.folder / name).write_text(self._with_topics(block.text))
        written = [other.text for other in self.blocks if other.language in ("sh", "console")]
        if block.title and any(block.title in text for text in written):
            return
        self.shown = self._warm(block, run_job, name)

    def do_pycon(self, block: Block) -> None:
        (self.folder / "session.txt").write_text(block.text)
        self.shown = self._warm(block, run_session, "session.txt")

    def do_sh(self, block: Block) -> None:
        shown: list[str] | None = []
        for command in commands(block.text):
            if reason_not_to_run(block.page, command):
                check_options(block, command)
                shown = None
            else:
                shown = (shown or []) + self._shell(block, command)
        self.shown = shown

    def do_console(self, block: Block) -> None:
        for command, expected in session(block.text):
            assert sorted(self._shell(block, command)) == sorted(expected), f"{block}: {command}"

    def do_terminal(self, block: Block) -> None:
        """A session at the prompt of `datastream sql`."""
        prompt = SqlPrompt(self.folder)
        try:
            prompt.replay(block.text)
            assert prompt.end() == 0, str(block)
        finally:
            prompt.kill()

    def do_text(self, block: Block) -> None:
        """What the block before shows, in any order."""
        assert self.shown is not None, f"{block}: shows the output of a block that does not run"
        assert sorted(self.shown) == sorted(block.text.splitlines()), str(block)
        self.shown = None

    def do_toml(self, block: Block) -> None:
        tomllib.loads(block.text)
        if block.title:
            (self.folder / block.title).write_text(block.text)

    def do_dockerfile(self, block: Block) -> None:
        """Instructions that there are, behind a base; of the example, the example's own."""
        known = {"FROM", "USER", "RUN", "COPY", "CMD"}
        assert block.text.startswith("FROM ") and {line.split()[0] for line in block.text.splitlines()} <= known
        if block.title == "Dockerfile":
            assert block.text == (ROOT / "examples" / "container" / "Dockerfile").read_text(), str(block)

    def do_java(self, block: Block) -> None:
        """A part of a program over JDBC: it calls what the test of Flink's driver calls."""
        called = re.compile(r"\b[A-Z]\w+\.(\w+)\(|\b(?:statement|rows|connection)\.(\w+)\(")
        tested = (ROOT / "tests" / "services" / "gateway" / "sql_gateway" / "Talk.java").read_text()
        assert set(called.findall(block.text)) <= set(called.findall(tested)), str(block)

    def do_ini(self, block: Block) -> None:
        unit = configparser.ConfigParser(interpolation=None)
        unit.read_string(block.text)
        command = unit.get("Service", "ExecStart", fallback="")
        check_options(block, command[command.index("datastream") :])

    def do_yaml(self, block: Block) -> None:
        assert yaml.safe_load(block.text), str(block)
        if block.title:
            (self.folder / block.title).write_text(block.text)

    def do_json(self, block: Block) -> None:
        json.loads(block.text)

    def do_jsonl(self, block: Block) -> None:
        """An object a line."""
        for line in block.text.splitlines():
            json.loads(line)
        if block.title:
            file = self.folder / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)

    def _with_topics(self, code: str) -> str:
        for name, own in self.names.items():
            code = code.replace(f'"{name}"', f'"{own}"').replace(f"'topic' = '{name}'", f"'topic' = '{own}'")
        if self.elasticsearch:
            code = code.replace("localhost:9200", self.elasticsearch.address)
            code = code.replace('"elastic"', f'"{self.elasticsearch.user}"')
        if self.cassandra:
            code = code.replace('"127.0.0.1"', f'"{self.cassandra.host}"').replace("9042", str(self.cassandra.port))
            code = code.replace("shop", self.keyspace)
        if self.nifi and self.flow:
            code = code.replace("localhost:8080", self.nifi.address)
            code = code.replace('"to NiFi"', f'"{self.flow.input}"').replace('"from NiFi"', f'"{self.flow.output}"')
        if self.web:
            code = code.replace("http://localhost:8000", self.web.url)
        if self.twitter:
            host = f', TwitterSource.CLIENT_HOSTS: "{self.twitter.url}"}}'
            code = code.replace('["X_BEARER_TOKEN"]}', f'["X_BEARER_TOKEN"]{host}')
        if self.rabbitmq:
            address = f'set_host("{self.rabbitmq.host}").set_port({self.rabbitmq.port})'
            code = code.replace('set_host("localhost").set_port(5672)', address).replace('"lines"', f'"{self.queue}"')
        if self.mqtt:
            code = code.replace("mqtt://localhost:1883", f"mqtt://{self.mqtt.host}:{self.mqtt.port}")
            code = code.replace("shop", self.topic)
        if self.kinesis:
            given = ", ".join(f'"{name}": "{value}"' for name, value in self.kinesis.properties.items())
            code = code.replace('"lines"', f'"{self.stream}"').replace('"aws.region": "eu-west-1"', given)
        if self.redis:
            code = code.replace("redis://localhost", f"redis://{self.redis.host}:{self.redis.port}")
            code = code.replace('"lines"', f'"{self.key}"')
        if self.pulsar:
            code = code.replace("pulsar://localhost:6650", self.pulsar.url)
            code = code.replace('set_topics("orders")', f'set_topics("{self.orders}")')
        if self.pubsub:
            code = code.replace('"lines"', f'"{self.lines}"').replace('"shop"', f'"{PROJECT}"')
            emulator = f'.with_host_and_port_for_emulator("{self.pubsub.address}").build()'
            code = code.replace(".build()", emulator)
        if self.postgres:
            code = code.replace(POSTGRES, self.postgres.address)
        return code.replace(BROKER, self.broker.bootstrap) if self.broker else code

    def _shell(self, block: Block, command: str) -> list[str]:
        called = re.search(r"scripts/kafka (topic|write|read) (\S+)", command)
        if called:
            assert self.broker is not None, f"{block}: a page about Kafka names the broker {BROKER}"
            program = f"{shlex.quote(sys.executable)} -m tests.support.servers.kafka.command"
            own = f"{program} {called[1]} {self.names[called[2]]} --at {self.broker.bootstrap}"
            command = command.replace(called[0], own)
        if command.startswith("scripts/postgres sql"):
            assert self.postgres is not None, f"{block}: a page about PostgreSQL names the server {POSTGRES}"
            program = f"{shlex.quote(sys.executable)} -m tests.support.servers.postgres_command"
            command = command.replace("scripts/postgres", program) + f" --at {self.postgres.address}"
        return self._run(block, ["bash", "-euo", "pipefail", "-c", command])

    def _warm(self, block: Block, do: Callable[[str], None], name: str) -> list[str]:
        code, shown, said = warm_python.run(do, name, folder=self.folder, environment=self._environment())
        assert code == 0, f"{block}: {name}\n{shown}{said}"
        return shown.splitlines()

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": "",
            "X_BEARER_TOKEN": TOKEN,
            "ELASTIC_PASSWORD": (self.elasticsearch and self.elasticsearch.password) or "",
        }

    def _run(self, block: Block, command: list[str]) -> list[str]:
        environment = self._environment() | {"PYTHONPATH": str(ROOT) if "tests.support.servers" in command[-1] else ""}
        silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        run = subprocess.run(command, text=True, timeout=200, cwd=self.folder, env=environment, **silent)
        assert run.returncode == 0, f"{block}: {shlex.join(command)}\n{run.stdout}{run.stderr}"
        return run.stdout.splitlines()


#: Commands that run a server; with more words they do something else.
_SERVERS = ("scripts/kafka", "scripts/postgres")


def reason_not_to_run(page: str, command: str) -> str | None:
    """Why a command is not run, or None."""
    exact = NOT_RUN.get((page, command))
    if exact or command in _SERVERS:
        return exact
    starts = [start for of, start in NOT_RUN if of == page and start not in _SERVERS and command.startswith(start)]
    return NOT_RUN[page, starts[0]] if starts else None


def check_options(block: Block, command: str) -> None:
    """A command of ours that is not run names options that there are."""
    words = shlex.split(command)
    if "datastream" not in words or {"docker", "kubectl", "helm"} & set(words):
        return
    from datastream.cli.run import command as run

    words = words[words.index("datastream") + 1 :]
    if words[0] != "run":
        found: Any = import_module(f"datastream.cli.{words[0]}").command
        for word in words[1:]:
            found = getattr(found, "commands", {}).get(word, found)
        known = {option for parameter in found.params for option in parameter.opts}
        assert {word for word in words if word.startswith("-")} <= known, f"{block}: {command}"
        return
    script = next(word for word in words if word.endswith((".py", ".sql")))
    arguments = [word if word != script else __file__ for word in words[1:]]
    with mock.patch.object(settings(), "properties", {}):  # where options leave what they say
        run.make_context("run", arguments)


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


#: Pages that run many jobs, or want a server that starts slowly.
_LONG = (
    "cassandra",
    "elasticsearch",
    "jdbc",
    "kafka",
    "nifi",
    "operations",
    "pulsar",
    "python-environments",
    "runner",
    "testing",
    "tutorial-kafka-postgres",
    "tutorial-kafka-sql",
    "tutorial-pyflink",
    "upgrades",
)
LONG = ("README.md", *(f"docs/{name}.md" for name in _LONG))


def marked(page: Path) -> Any:
    return pytest.param(page, marks=[pytest.mark.long] if page_id(page) in LONG else [])


@pytest.fixture
def web() -> Iterator[WebServer]:
    """A server of HTTP with orders."""
    orders = [b'{"id": %d, "item": "%s"}' % (number, item) for number, item in enumerate((b"tea", b"jam", b"tea"), 1)]

    def page(request: Request) -> Reply:
        found = orders[int(request.query.get("after", 0)) :]
        return Reply(200, {}, b'{"orders": [%s]}' % b", ".join(found))

    with WebServer() as server:
        events = EventLog(sends_all=True)
        events.send("tea is out", "jam is here", "tea is here")
        server.pages.update({"/orders": page, "/events": events})
        yield server


@pytest.fixture
def twitter() -> Iterator[TwitterServer]:
    """X's streams, of three posts."""
    with TwitterServer() as server:
        server.post("to be", "or not", "to be")
        server.sends_all = True
        yield server


@pytest.fixture
def listening_postgres() -> Iterator[ListeningPostgres]:
    server = ListeningPostgres(free_ports(1)[0])
    try:
        yield server
    finally:
        server.stop()


@pytest.mark.parametrize("page", [marked(page) for page in PAGES], ids=page_id)
def test_a_page_does_what_it_says(page: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    Reader(
        tmp_path,
        page,
        lambda: request.getfixturevalue("kafka"),
        lambda: request.getfixturevalue("elasticsearch"),
        lambda: request.getfixturevalue("rabbitmq"),
        lambda: request.getfixturevalue("mqtt"),
        lambda: request.getfixturevalue("pubsub"),
        lambda: request.getfixturevalue("pulsar"),
        lambda: request.getfixturevalue("kinesis"),
        lambda: request.getfixturevalue("redis_server"),
        lambda: request.getfixturevalue("cassandra"),
        lambda: request.getfixturevalue("twitter"),
        lambda: request.getfixturevalue("web"),
        lambda: request.getfixturevalue("nifi"),
        lambda: request.getfixturevalue("listening_postgres"),
    ).read()


def test_every_reason_not_to_run_a_command_belongs_to_one() -> None:
    every = [
        (page_id(page), command)
        for page in PAGES
        for block in blocks(page, ROOT)
        if block.language in ("sh", "console")
        for command in (commands(block.text) if block.language == "sh" else [c for c, _ in session(block.text)])
    ]
    for page, start in NOT_RUN:
        assert any(of == page and command.startswith(start) for of, command in every), f"{page}: {start}"


@pytest.mark.parametrize("page", ALL_PAGES, ids=page_id)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_option_of_run_is_in_the_docs() -> None:
    from datastream.cli.run import command

    text = (ROOT / "docs" / "command-line.md").read_text()
    for parameter in command.params:
        for option in parameter.opts:
            if option.startswith("--"):
                assert option in text, f"docs/command-line.md does not name {option}"
