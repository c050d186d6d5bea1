"""HTTPS: the certificate and the name of a server are verified."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from datastream import Configuration, JobError, StreamExecutionEnvironment
from datastream.connectors.http import HttpConnection, HttpSink, HttpSource, HttpTls, ServerSentEventSource
from datastream.errors import ValidationError
from datastream.formats import SimpleStringSchema
from datastream.io import Backoff
from datastream.time import WatermarkStrategy
from tests.support.servers.kafka.certificate import certificate_for
from tests.support.servers.web import EventLog, Reply, WebServer

_ONCE = Backoff(retries=0)


pytestmark = pytest.mark.usefixtures("in_this_process")


def files_for(folder: Path, host: str) -> tuple[str, str]:
    made = certificate_for([host])
    chain, key = folder / f"{host}.pem", folder / f"{host}.key"
    chain.write_text(made.chain)
    key.write_text(made.key)
    return str(chain), str(key)


def environment() -> StreamExecutionEnvironment:
    configuration = Configuration()
    configuration.set_string("restart-strategy.type", "none")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    return env


def post(url: str, tls: HttpTls | None) -> list[Any]:
    builder = HttpSink.builder().set_connection(HttpConnection(url, tls=tls)).set_backoff(_ONCE)
    env = environment()
    env.from_collection(["1"]).sink_to(builder.set_serializer(SimpleStringSchema()).build())
    env.execute("post")
    return []


def first(source: Any) -> list[Any]:
    return list(environment().from_source(source, WatermarkStrategy.no_watermarks(), "s").execute_and_collect(limit=1))


def get(url: str, tls: HttpTls | None) -> list[Any]:
    return first(HttpSource.builder().set_connection(HttpConnection(url, tls=tls)).set_backoff(_ONCE).build())


def follow(url: str, tls: HttpTls | None) -> list[Any]:
    connection = HttpConnection(f"{url}/events", tls=tls)
    return first(ServerSentEventSource.builder().set_connection(connection).set_backoff(_ONCE).build())


@pytest.mark.parametrize("use", [post, get, follow])
def test_certificates_are_verified(tmp_path: Path, use: Callable[[str, HttpTls | None], list[Any]]) -> None:
    trusted = files_for(tmp_path, "127.0.0.1")
    with WebServer(trusted) as web:
        events = EventLog(sends_all=True)
        events.send("1")
        web.pages.update({"/": lambda request: Reply(200, {}, b"[1]"), "/events": events})
        assert use(web.url, HttpTls(trusted[0])) == ([] if use is post else ["1"])
        assert web.requests
        with pytest.raises(JobError, match="is away: .*CERTIFICATE_VERIFY_FAILED"):
            use(web.url, None)


def test_names_are_verified(tmp_path: Path) -> None:
    other = files_for(tmp_path, "other.example")
    with WebServer(other) as web:
        with pytest.raises(JobError, match="CERTIFICATE_VERIFY_FAILED.*127.0.0.1"):
            post(web.url, HttpTls(other[0]))
        assert not web.requests


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="its files cannot be used"):
        post("https://127.0.0.1:9", HttpTls(str(tmp_path / "none.pem")))
