"""Models behind servers that speak OpenAI's HTTP."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from datastream.config.settings import settings
from datastream.errors import FunctionError, JobError, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from datastream.table.connectors.models import openai

KEY = "k-8d1f02"


class Answers(BaseHTTPRequestHandler):
    """Echoes what it is asked; fails as the text says: ``fails 503 2`` twice with this status."""

    protocol_version = "HTTP/1.1"
    requests: list[tuple[str, str, dict[str, Any]]]
    failed: Counter[str]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.requests.append((self.path, self.headers["Authorization"], body))
        text = body["input"] if "input" in body else body["messages"][-1]["content"]
        if text.startswith("fails"):
            _, status, times = text.split()
            self.failed[text] += 1
            if self.failed[text] <= int(times):
                self._answer(int(status), {"error": {"message": f"not for {KEY}"}})
                return
        if "input" in body:
            self._answer(200, {"data": [{"embedding": [0.5, len(text)]}]})
        else:
            choices = [{"message": {"content": f"{i}: {text}"}} for i in range(body.get("n", 1))]
            self._answer(200, {"choices": choices})

    def _answer(self, status: int, answer: Any) -> None:
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[type[Answers]]:
    class Own(Answers):
        requests: list[tuple[str, str, dict[str, Any]]] = []
        failed: Counter[str] = Counter()

    with ThreadingHTTPServer(("127.0.0.1", 0), Own) as made:
        made.daemon_threads = True
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        Own.at = f"http://127.0.0.1:{made.server_port}/v1"  # type: ignore[attr-defined]
        yield Own
        made.shutdown()
        thread.join()


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> TableEnvironment:
    monkeypatch.setattr(settings(), "executor", "local")
    monkeypatch.setattr(openai, "FIRST_PAUSE_S", 0.01)
    made = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    made.get_config().set("parallelism.default", "1")
    return made


def declare(tables: TableEnvironment, endpoint: str, columns: str = "", **options: str) -> None:
    columns = columns or "INPUT (question STRING) OUTPUT (answer STRING)"
    given = {"provider": "openai", "endpoint": endpoint, "api-key": KEY, "model": "small", **options}
    text = ", ".join(f"'{key.replace('_', '-')}' = '{value}'" for key, value in given.items())
    tables.execute_sql(f"CREATE TEMPORARY MODEL m {columns} WITH ({text})")


def answers(tables: TableEnvironment, *texts: str) -> list[tuple[Any, ...]]:
    values = ", ".join(f"('{text}')" for text in texts)
    query = f"SELECT * FROM ML_PREDICT((SELECT * FROM (VALUES {values}) AS t (q)), MODEL m, DESCRIPTOR(q))"
    with tables.execute_sql(query).collect() as rows:
        return [tuple(row) for row in rows]


def test_chat(tables: TableEnvironment, server: Any) -> None:
    declare(tables, f"{server.at}/chat/completions", temperature="0.5", stop="a,b", n="2", system_prompt="Be brief.")
    assert answers(tables, "one", "two") == [("one", "0: one"), ("one", "1: one"), ("two", "0: two"), ("two", "1: two")]
    path, authorization, body = server.requests[0]
    assert (path, authorization) == ("/v1/chat/completions", f"Bearer {KEY}")
    asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": body["messages"][1]["content"]}]
    assert body == {"model": "small", "messages": asked, "temperature": 0.5, "stop": ["a", "b"], "n": 2}


def test_no_request_is_made_for_null(tables: TableEnvironment, server: Any) -> None:
    declare(tables, f"{server.at}/chat/completions")
    query = "SELECT answer FROM ML_PREDICT((SELECT CAST(NULL AS STRING) AS q), MODEL m, DESCRIPTOR(q))"
    with tables.execute_sql(query).collect() as rows:
        assert list(rows) == []
    assert server.requests == []


def test_embeddings(tables: TableEnvironment, server: Any) -> None:
    declare(tables, f"{server.at}/embeddings/", "INPUT (t STRING) OUTPUT (v ARRAY<FLOAT>)", dimension="2")
    assert answers(tables, "four") == [("four", [0.5, 4.0])]
    assert server.requests[0][2] == {"model": "small", "input": "four", "dimensions": 2}


def test_what_can_pass_is_tried_again(tables: TableEnvironment, server: Any) -> None:
    declare(tables, f"{server.at}/chat/completions")
    assert answers(tables, "fails 503 2") == [("fails 503 2", "0: fails 503 2")]
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("text", "options", "requests"),
    [
        ("fails 400 9", {}, 1),
        ("fails 429 9", {"retry_num": "2"}, 3),
        ("fails 500 9", {"error_handling_strategy": "failover"}, 1),
    ],
)
def test_failures_hide_the_key(
    tables: TableEnvironment,
    server: Any,
    caplog: pytest.LogCaptureFixture,
    text: str,
    options: dict[str, str],
    requests: int,
) -> None:
    declare(tables, f"{server.at}/chat/completions", **options)
    with pytest.raises((FunctionError, JobError), match=f"{text.split()[1]}: not for \\[hidden\\]") as caught:
        answers(tables, text)
    assert len(server.requests) == requests
    shown = tables.explain_sql("SELECT * FROM ML_PREDICT((SELECT 'a' AS q), MODEL m, DESCRIPTOR(q))")
    with tables.execute_sql("SHOW CREATE MODEL m").collect() as rows:
        shown += str(list(rows))
    assert "'api-key' = '[hidden]'" in shown
    tables.execute_sql("CREATE TABLE kept (q STRING, a STRING) WITH ('connector' = 'blackhole')")
    kept = "INSERT INTO kept SELECT * FROM ML_PREDICT((SELECT 'a' AS q), MODEL m, DESCRIPTOR(q))"
    shown += tables.compile_plan_sql(kept).as_json_string()
    assert KEY not in shown + str(caught.value) + repr(caught.value) + caplog.text


@pytest.mark.parametrize(
    "options", [{"error_handling_strategy": "ignore"}, {"retry_num": "1", "retry_fallback_strategy": "IGNORE"}]
)
def test_failures_may_be_left_out(tables: TableEnvironment, server: Any, options: dict[str, str]) -> None:
    declare(tables, f"{server.at}/chat/completions", **options)
    assert answers(tables, "fails 500 9", "fine") == [("fine", "0: fine")]


def test_a_server_that_is_away(tables: TableEnvironment) -> None:
    declare(tables, "http://127.0.0.1:9/chat/completions", retry_num="1")
    with pytest.raises((FunctionError, JobError), match="ConnectionError: http://127.0.0.1:9/chat/completions"):
        answers(tables, "a")


@pytest.mark.parametrize(
    ("endpoint", "columns", "options", "message"),
    [
        ("http://x/v1", "", {}, "the endpoint must end with chat/completions or embeddings, got http://x/v1"),
        ("http://x/embeddings", "", {"temperature": "1"}, "there is no option 'temperature'"),
        ("http://x/chat/completions", "", {"temperature": "warm"}, "'temperature' must be a number, got 'warm'"),
        ("http://x/chat/completions", "", {"error_handling_strategy": "pray"}, "must be RETRY, FAILOVER, IGNORE, got"),
        (
            "http://x/chat/completions",
            "INPUT (a STRING, b INT) OUTPUT (c STRING)",
            {},
            "Model should have exactly one input physical column, but actually has 2 physical columns: [a, b]",
        ),
        ("http://x/embeddings", "", {}, "output column answer should be ARRAY<FLOAT>, but is a STRING."),
    ],
)
def test_wrong_models(
    tables: TableEnvironment, endpoint: str, columns: str, options: dict[str, str], message: str
) -> None:
    declare(tables, endpoint, columns, **options)
    columns = "a, b" if "a STRING, b" in columns else "a"
    with pytest.raises(ValidationError) as caught:
        tables.sql_query(f"SELECT * FROM ML_PREDICT((SELECT 'x' AS a, 1 AS b), MODEL m, DESCRIPTOR({columns}))")
    assert message in str(caught.value)
    assert KEY not in str(caught.value)


def test_a_missing_option(tables: TableEnvironment) -> None:
    options = "'provider' = 'openai', 'endpoint' = 'http://x/embeddings', 'model' = 'x'"
    tables.execute_sql(f"CREATE MODEL m INPUT (a STRING) OUTPUT (b STRING) WITH ({options})")
    with pytest.raises(ValidationError, match="the option 'api-key' is missing"):
        tables.sql_query("SELECT * FROM ML_PREDICT((SELECT 'x' AS a), MODEL m, DESCRIPTOR(a))")
