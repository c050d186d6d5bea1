from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from datastream.config.settings import settings
from datastream.services.gateway.sql.operations import OperationFailed, Operations
from datastream.services.gateway.sql.results import MOST_ROWS
from tests.support.waiting import wait_until


@pytest.fixture
def operations(monkeypatch: pytest.MonkeyPatch) -> Operations:
    monkeypatch.setattr(settings(), "executor", "local")
    return Operations()


def run(operations: Operations, text: str, **config: str) -> str:
    """Carry out a statement; its handle."""
    handle = operations.submit(text, config)
    wait_until(lambda: operations.status(handle) not in ("PENDING", "RUNNING"), "end of the statement")
    return handle


def rows_of(page: dict[str, Any]) -> list[list[Any]]:
    return [row["fields"] for row in json.loads(page["rows"])]


def all_rows(operations: Operations, handle: str) -> list[list[Any]]:
    """The rows of all pages."""
    found: list[list[Any]] = []
    token, ended = 0, False
    while not ended:
        page = operations.fetch(handle, token, "JSON")
        assert len(page["rows"]) < 2_000_000
        rows = rows_of(page)
        assert len(rows) <= MOST_ROWS
        found += rows
        token, ended = token + 1, page["ended"]
    return found


def test_no_more_rows_wait_than_a_page_has_and_each_comes_once(operations: Operations) -> None:
    run(
        operations,
        "CREATE TABLE numbers (n BIGINT) WITH ('connector' = 'datagen', 'fields.n.kind' = 'sequence', "
        "'fields.n.start' = '1', 'fields.n.end' = '12000', 'number-of-rows' = '12000')",
    )
    handle = run(operations, "SELECT n FROM numbers")
    found = [row[0] for row in all_rows(operations, handle)]
    assert sorted(found) == list(range(1, 12001))


def test_sessions_share_a_catalog_of_files(operations: Operations, tmp_path: Path) -> None:
    for session in (operations, Operations()):
        run(session, f"CREATE CATALOG c WITH ('type' = 'file', 'path' = '{tmp_path}')")
        run(session, "USE CATALOG c")
        run(session, "CREATE VIEW IF NOT EXISTS v AS SELECT 7 AS n")
        assert all_rows(session, run(session, "SHOW VIEWS")) == [["v"]]
        assert all_rows(session, run(session, "SELECT n FROM v")) == [[7]]


def test_the_last_page_may_be_fetched_again_and_no_other_one(operations: Operations) -> None:
    handle = run(operations, "SHOW CATALOGS")
    page = operations.fetch(handle, 0, "JSON")
    assert rows_of(page) == [["default_catalog"]]
    assert operations.fetch(handle, 0, "PLAIN_TEXT") == page
    with pytest.raises(OperationFailed, match="Expecting token to be 1 or 0, but found 2"):
        operations.fetch(handle, 2, "JSON")
    assert operations.fetch(handle, 1, "JSON")["ended"]
    assert operations.fetch(handle, 1, "JSON")["ended"]


def test_a_page_ends_after_the_row_that_makes_it_long_enough(operations: Operations) -> None:
    handle = run(operations, "SELECT REPEAT('x', 800000) AS x FROM (VALUES (1), (2), (3)) AS t (n)")
    lengths = [len(row[0]) for row in all_rows(operations, handle)]
    assert lengths == [800_000] * 3


def test_settings_of_a_statement_count_for_it_alone(operations: Operations) -> None:
    counted = "SELECT COUNT(*) AS n FROM (VALUES (1), (2)) AS t (n)"
    of_batch = run(operations, counted, **{"execution.runtime-mode": "batch", "pipeline.name": "counts"})
    of_stream = run(operations, counted)
    assert all_rows(operations, of_batch) == [[2]]
    assert all_rows(operations, of_stream) == [[1], [1], [2]]
    assert "pipeline.name" not in operations.statements.t_env.get_config().to_map()


def test_an_error_names_the_place_in_the_statement(operations: Operations) -> None:
    handle = run(operations, "SELECT 1,\n  nothing")
    assert operations.status(handle) == "ERROR"
    with pytest.raises(OperationFailed, match="line 2, column 3: .*nothing"):
        operations.fetch(handle, 0, "JSON")


def test_only_some_statements_configure(operations: Operations) -> None:
    handle = operations.submit("SELECT 1", {}, configure=True)
    wait_until(lambda: operations.status(handle) == "ERROR", "error")
    with pytest.raises(OperationFailed, match="Unsupported statement for configuring session: SELECT 1"):
        operations.fetch(handle, 0, "JSON")


def test_texts_may_be_fetched_before_the_rows_begin(operations: Operations) -> None:
    run(operations, "CREATE TABLE endless (t TIMESTAMP_LTZ(3)) WITH ('connector' = 'datagen')")
    handle = run(operations, "SELECT t FROM endless")
    assert operations.fetch(handle, 0, "PLAIN_TEXT")["columns"][0]["name"] == "t"
    operations.close(handle)


def test_a_query_ends_when_it_is_closed(operations: Operations) -> None:
    run(operations, "CREATE TABLE endless (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '100')")
    settings().on_started = operations.statements.jobs.note
    try:
        handle = run(operations, "SELECT n FROM endless")
        assert operations.busy
        operations.close(handle)
        wait_until(lambda: not operations.busy, "end of the query")
    finally:
        settings().on_started = None
    with pytest.raises(OperationFailed, match="Can not find the submitted operation"):
        operations.status(handle)
