"""Tables and sinks of OpenSearch, on a real server."""

from __future__ import annotations

import pytest

from datastream import StreamExecutionEnvironment
from datastream.config.settings import settings
from datastream.connectors.elasticsearch import (
    ElasticsearchEmitter,
    ElasticsearchSink,
    ElasticsearchSource,
    OpenSearchConnection,
)
from datastream.errors import DataStreamError, JobError, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from tests.support.servers.opensearch import OpenSearchServer


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def environment(columns: str, address: str, index: str, **more: str) -> TableEnvironment:
    made = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    made.get_config().set("parallelism.default", "2")
    given = {"connector": "opensearch", "hosts": f"http://{address}", "index": index}
    given |= {name.replace("__", ".").replace("_", "-"): value for name, value in more.items()}
    made.execute_sql(
        f"CREATE TABLE t ({columns}) WITH ({', '.join(f'{key!r} = {value!r}' for key, value in given.items())})"
    )
    return made


@pytest.mark.long
@pytest.mark.parametrize("connector", ["opensearch", "opensearch-2"])
def test_rows_of_a_key_replace_and_delete_documents(opensearch: OpenSearchServer, connector: str) -> None:
    index = opensearch.name()
    env = environment(
        "word STRING, n BIGINT, PRIMARY KEY (word) NOT ENFORCED",
        opensearch.address,
        index,
        connector=connector,
        username="anyone",
        password="s3cret",
    )
    words = "(VALUES ('a', 1), ('b', 2), ('a', 3), ('c', 4), ('c', -4)) AS v(word, n)"
    env.execute_sql(
        f"INSERT INTO t SELECT word, n FROM (SELECT word, SUM(n) AS n FROM {words} GROUP BY word) WHERE n > 0"
    ).wait()
    assert opensearch.documents(index) == {"a": {"word": "a", "n": 4}, "b": {"word": "b", "n": 2}}


@pytest.mark.long
def test_indexes_by_values_and_what_is_refused(opensearch: OpenSearchServer) -> None:
    index = opensearch.index(n="integer")
    env = environment("n STRING, day DATE", opensearch.address, f"{index}-{{day|yyyy.MM}}")
    env.execute_sql("INSERT INTO t VALUES ('x', DATE '2024-02-03')").wait()
    assert [each["n"] for each in opensearch.documents(f"{index}-2024.02").values()] == ["x"]
    env.execute_sql(f"ALTER TABLE t SET ('index' = '{index}')")
    with pytest.raises(JobError, match="OpenSearch at .* refuses to index a document of .*failed to parse field"):
        env.execute_sql("INSERT INTO t (n) VALUES ('x')").wait()
    env.execute_sql("ALTER TABLE t SET ('failure-handler' = 'ignore')")
    env.execute_sql("INSERT INTO t (n) VALUES ('x'), ('7')").wait()
    assert [each["n"] for each in opensearch.documents(index).values()] == ["7"]


@pytest.mark.long
def test_a_stream_is_written(opensearch: OpenSearchServer) -> None:
    index = opensearch.name()
    env = StreamExecutionEnvironment.get_execution_environment()
    builder = ElasticsearchSink.builder().set_hosts(OpenSearchConnection((opensearch.address,)))
    builder.set_emitter(ElasticsearchEmitter.static_index(index, "id"))
    env.from_collection([{"id": "1", "name": "ann"}, {"id": "2", "name": "bob"}]).sink_to(builder.build())
    env.execute()
    assert opensearch.documents(index) == {"1": {"id": "1", "name": "ann"}, "2": {"id": "2", "name": "bob"}}


def test_a_server_that_is_away() -> None:
    env = environment("n INT", "127.0.0.1:9", "i", sink__bulk_flush__backoff__strategy="disabled")
    with pytest.raises(JobError, match="OpenSearch at 127.0.0.1:9: "):
        env.execute_sql("INSERT INTO t VALUES (1)").wait()


def test_what_is_refused() -> None:
    env = environment("n INT", "127.0.0.1:9", "i", allow_insecure="true")
    with pytest.raises(DataStreamError, match="the connector 'opensearch' can only be used as a sink"):
        env.execute_sql("SELECT * FROM t")
    with pytest.raises(ValidationError, match="api_key is for Elasticsearch; use user_name and password"):
        OpenSearchConnection(("localhost",), api_key="x")
    with pytest.raises(ValidationError, match="ElasticsearchSource reads Elasticsearch"):
        ElasticsearchSource("i", {"match_all": {}}, OpenSearchConnection(("localhost",)))
