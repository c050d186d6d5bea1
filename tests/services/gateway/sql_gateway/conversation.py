"""A conversation with a SQL gateway, which Flink's and ours answer alike.

``python -m tests.services.gateway.sql_gateway.conversation URL [NAME=VALUE...]`` has it with the one at a URL, in a
session of these properties, and prints what that has answered; ``flink.json`` is what Flink 2.3's has.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import httpx

from tests.support.waiting import wait_until

_HANDLE = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_JOB = re.compile(r"\b[0-9a-f]{32}\b")
_PATIENCE_S = 120

#: Statements of one session, in their order, with the version of the API and the form of rows that they are asked with.
STATEMENTS = [
    ("v1", "JSON", "SHOW TABLES"),
    ("v2", "JSON", "SHOW CATALOGS"),
    ("v3", "JSON", "SHOW CURRENT DATABASE"),
    ("v2", "JSON", "SET 'execution.runtime-mode' = 'batch'"),
    ("v2", "JSON", "CREATE TABLE nowhere (n BIGINT, word STRING) WITH ('connector' = 'blackhole')"),
    ("v2", "JSON", "DESCRIBE nowhere"),
    ("v2", "PLAIN_TEXT", "DESCRIBE nowhere"),
    ("v1", "JSON", "SHOW TABLES"),
    ("v2", "JSON", "SELECT n, word FROM (VALUES (1, 'to'), (2, 'be'), (3, CAST(NULL AS STRING))) AS t (n, word)"),
    ("v2", "PLAIN_TEXT", "SELECT n, word FROM (VALUES (1, 'to'), (2, CAST(NULL AS STRING))) AS t (n, word)"),
    (
        "v2",
        "JSON",
        "SELECT CAST(1 AS TINYINT) AS a, CAST(2 AS SMALLINT) AS b, CAST(3 AS BIGINT) AS c, CAST(1.5 AS FLOAT) AS d, "
        "CAST(2.25 AS DOUBLE) AS e, CAST(3.14 AS DECIMAL(10, 2)) AS f, TRUE AS g, CAST('x' AS CHAR(3)) AS h, "
        "CAST('xy' AS VARCHAR(5)) AS i, CAST(X'00ff' AS BYTES) AS j, X'01' AS k",
    ),
    (
        "v2",
        "JSON",
        "SELECT DATE '2024-02-29' AS a, TIME '12:34:56' AS b, TIMESTAMP '2024-02-29 12:34:56.123' AS c, "
        "CAST(TIMESTAMP '2024-02-29 12:34:56' AS TIMESTAMP_LTZ(3)) AS d, TIMESTAMP '2024-02-29 12:34:56' AS e",
    ),
    (
        "v2",
        "JSON",
        "SELECT ARRAY[1, 2] AS a, MAP['k', 1] AS b, ROW(1, 'x') AS c, ARRAY[ROW(1, MAP['m', ARRAY[2.50]])] AS d",
    ),
    ("v2", "JSON", "SELECT INTERVAL '1' DAY AS a, INTERVAL '14' MONTH AS b"),
    (
        "v2",
        "PLAIN_TEXT",
        "SELECT DATE '2024-02-29' AS a, TIME '12:34:56' AS b, ARRAY[1, 2] AS c, MAP['k', 1] AS d, ROW(1, 'x') AS e, "
        "X'00ff' AS f, TRUE AS g, CAST(1.5 AS DOUBLE) AS h",
    ),
    ("v2", "JSON", "SET 'execution.runtime-mode' = 'streaming'"),
    ("v2", "JSON", "SELECT COUNT(*) AS n FROM (VALUES ('to'), ('to')) AS t (word)"),
    ("v2", "PLAIN_TEXT", "SELECT COUNT(*) AS n FROM (VALUES ('to'), ('to')) AS t (word)"),
    ("v2", "JSON", "SET 'table.dml-sync' = 'true'"),
    ("v2", "JSON", "INSERT INTO nowhere VALUES (1, 'a'), (2, 'b')"),
    ("v2", "JSON", "SET 'table.dml-sync' = 'false'"),
    ("v2", "JSON", "INSERT INTO nowhere VALUES (1, 'a'), (2, 'b')"),
    ("v2", "JSON", "RESET 'table.dml-sync'"),
    ("v2", "JSON", "DROP TABLE nowhere"),
    ("v1", "JSON", "BEGIN STATEMENT SET"),
    ("v1", "JSON", "END"),
]


class Conversation:
    """What is asked, and what was answered.

    Args:
        client: Asks the gateway.
    """

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        self.said: list[dict[str, Any]] = []

    def ask(self, method: str, path: str, body: Any = None, note: bool = True) -> Any:
        """What the gateway answers to one request.

        Args:
            method: Of the request.
            path: Of its URL.
            body: Its JSON; None: nothing.
            note: It is a part of the record.
        """
        answer = self._client.request(method, path, json=body)
        found = answer.json() if answer.content else None
        if note:
            self.said.append({"ask": f"{method} {path}", "body": body, "status": answer.status_code, "answer": found})
        return found

    def state(self, operation: str, version: str = "v2") -> str:
        """The state that an operation ends in."""
        path = f"/{version}{operation}/status"

        def ended() -> str | None:
            found = str(self.ask("GET", path, note=False)["status"])
            return None if found in ("INITIALIZED", "PENDING", "RUNNING") else found

        return wait_until(ended, f"end of {operation}") or ""

    def _page(self, path: str) -> dict[str, Any]:
        """A page of a result, once it is there."""

        def there() -> dict[str, Any] | None:
            found: dict[str, Any] = self.ask("GET", path, note=False)
            return None if found.get("resultType") == "NOT_READY" else found

        return wait_until(there, path) or {}

    def run(self, session: str, version: str, form: str, statement: str) -> None:
        """Note the whole result of a statement: its first page, the rows of all, and its last page."""
        body = {"statement": statement}
        handle = self.ask("POST", f"/{version}{session}/statements", body, note=False)["operationHandle"]
        operation = f"{session}/operations/{handle}"
        state = self.state(operation, version)
        query = "" if version == "v1" else f"?rowFormat={form}"
        path: str | None = f"/{version}{operation}/result/0{query}"
        first: dict[str, Any] | None = None
        rows: list[Any] = []
        page: dict[str, Any] = {}
        while path is not None:
            page = self._page(path)
            if "errors" in page:
                break
            rows += page["results"].pop("data")
            first = first or {**page, "nextResultUri": page.get("nextResultUri", "").replace("/result/0", "/result/N")}
            path = page.get("nextResultUri")
        closed = self.ask("DELETE", f"/{version}{operation}/close", note=False)
        self.said.append(
            {
                "statement": statement,
                "version": version,
                "form": form,
                "state": state,
                "first": first,
                "rows": rows,
                "last": page,
                "closed": closed,
            }
        )


def converse(client: httpx.Client, properties: dict[str, str]) -> list[dict[str, Any]]:
    """What a gateway answers to all that is asked of it, without what differs from time to time.

    Args:
        client: Asks it.
        properties: Of the session.
    """
    talk = Conversation(client)
    talk.ask("GET", "/v1/info")
    talk.ask("GET", "/v3/info")
    talk.ask("GET", "/info")
    talk.ask("GET", "/v1/api_versions")
    talk.ask("GET", "/api_versions")
    session_handle = talk.ask("POST", "/v1/sessions", {"properties": properties}, note=False)["sessionHandle"]
    session = f"/sessions/{session_handle}"
    other = talk.ask("POST", "/v2/sessions", {})["sessionHandle"]
    talk.ask("DELETE", f"/v2/sessions/{other}")
    talk.ask("POST", f"/v1{session}/heartbeat")
    configured = {"statement": "CREATE TABLE gone (n INT) WITH ('connector' = 'blackhole')", "executionTimeout": 0}
    talk.ask("POST", f"/v2{session}/configure-session", configured)
    talk.ask("POST", f"/v2{session}/configure-session", {"statement": "SELECT 1"})
    talk.ask("POST", f"/v2{session}/configure-session", {"statement": "DROP TABLE gone"})
    for version, form, statement in STATEMENTS:
        talk.run(session, version, form, statement)
    for statement in ("SELECT nothing FROM nowhere", "SELEC 1", "DROP TABLE nowhere", "SELECT 1; SELECT 2"):
        talk.run(session, "v2", "JSON", statement)
    properties = talk.ask("GET", f"/v1{session}", note=False)
    talk.said.append({"ask": "properties", "form": {name: type(of).__name__ for name, of in properties.items()}})
    handle = talk.ask("POST", f"/v2{session}/statements", {"statement": "SHOW CATALOGS"})["operationHandle"]
    operation = f"{session}/operations/{handle}"
    talk.state(operation)
    talk.ask("GET", f"/v2{operation}/status")
    talk.ask("GET", f"/v2{operation}/result/0?rowFormat=JSON")
    talk.ask("GET", f"/v2{operation}/result/0?rowFormat=json")
    talk.ask("GET", f"/v2{operation}/result/0")
    talk.ask("GET", f"/v2{operation}/result/0?rowFormat=XML")
    talk.ask("GET", f"/v2{operation}/result/7?rowFormat=JSON")
    talk.ask("GET", f"/v2{operation}/result/1?rowFormat=JSON")
    talk.ask("GET", f"/v2{operation}/result/x?rowFormat=JSON")
    talk.ask("POST", f"/v2{operation}/cancel")
    talk.ask("DELETE", f"/v2{operation}/close")
    talk.ask("GET", f"/v2{operation}/status")
    endless = "CREATE TABLE endless (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '1')"
    talk.run(session, "v2", "JSON", endless)
    ask = {"statement": "SELECT * FROM endless"}
    handle = talk.ask("POST", f"/v2{session}/statements", ask)["operationHandle"]
    operation = f"{session}/operations/{handle}"
    talk.state(operation)
    talk.ask("POST", f"/v2{operation}/cancel")
    talk.ask("GET", f"/v2{operation}/status")
    talk.ask("DELETE", f"/v2{operation}/close")
    talk.ask("POST", f"/v2{session}/statements", {})
    talk.ask("POST", f"/v2{session}/statements", {"statement": "SHOW TABLES", "other": 1})
    talk.ask("DELETE", f"/v1{session}")
    talk.ask("DELETE", f"/v1{session}")
    talk.ask("POST", f"/v1{session}/heartbeat")
    talk.ask("GET", "/v1/sessions/wrong")
    talk.ask("POST", f"/v2{session}/statements", {"statement": "SHOW TABLES"})
    return [_settled(each) for each in talk.said]


def _settled(said: dict[str, Any]) -> dict[str, Any]:
    """Without handles, and without the texts of errors: Flink's are stacks of Java."""
    for answer in (said.get("answer"), said.get("last")):
        if isinstance(answer, dict) and "errors" in answer:
            answer["errors"] = "..."
    text = json.dumps(said)
    settled: dict[str, Any] = json.loads(_JOB.sub("JOB", _HANDLE.sub("HANDLE", text)))
    return settled


if __name__ == "__main__":
    with httpx.Client(base_url=sys.argv[1], timeout=_PATIENCE_S) as asked:
        given = dict(each.split("=", 1) for each in sys.argv[2:])
        print(json.dumps(converse(asked, given), indent=1, ensure_ascii=False))
