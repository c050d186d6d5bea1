"""Tables and results in a notebook, in a real kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

from datastream.config.settings import settings
from datastream.table import EnvironmentSettings, TableEnvironment
from datastream.table.results.html import cell, html_table

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))
#: For messages of a kernel, in seconds.
LIMIT_S = 120

BEGIN = """
from datastream.config.settings import settings
settings().executor = "local"
from datastream.table import EnvironmentSettings, TableEnvironment
batch = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
streaming = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
streaming.execute_sql(
    "CREATE TABLE endless (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '100')"
) and None
"""


class Kernel:
    """A kernel that runs cells."""

    def __init__(self) -> None:
        self._manager, self._client = start_new_kernel(startup_timeout=LIMIT_S, cwd=str(ROOT))

    def run(self, code: str) -> dict[str, Any]:
        """The output of a cell as it is at the end: a bundle, or an error with ``ename``."""
        return list(self.outputs(code))[-1]

    def outputs(self, code: str) -> Iterator[dict[str, Any]]:
        """What a cell shows, one after the other; all but the first take the place of the one before."""
        request = self._client.execute(code)
        yield {}
        while True:
            message = self._client.get_iopub_msg(timeout=LIMIT_S)
            if message["parent_header"].get("msg_id") != request:
                continue
            content = message["content"]
            if message["msg_type"] == "status" and content["execution_state"] == "idle":
                return
            if message["msg_type"] == "error":
                yield content
            elif "data" in content:
                yield content["data"]

    def interrupt(self) -> None:
        self._manager.interrupt_kernel()

    def close(self) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module", autouse=True)
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What kernels keep about themselves is the test's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
        patch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
        yield


@pytest.fixture(scope="module")
def kernel(folders: None) -> Iterator[Kernel]:
    made = Kernel()
    try:
        assert made.run(BEGIN) == {}
        yield made
    finally:
        made.close()


def cells(html: str) -> list[str]:
    return re.findall(r"<td[^>]*>(.*?)</td>", html)


def line(html: str) -> str:
    return re.findall(r"<small>(.*?)</small>", html)[-1]


def test_a_table_shows_columns_and_plan_and_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    t_env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    started = settings().jobs_started
    html = t_env.from_elements([(1, "<b>")], ["n", "a < b"])._repr_html_()
    assert cells(html) == ["n", "BIGINT", "a &lt; b", "STRING"]
    assert "not run: execute() shows its rows" in html
    assert "<details><summary><small>plan</small></summary><pre>Logical" in html
    assert "<b>" not in html
    assert settings().jobs_started == started


def test_texts_are_escaped_and_cut() -> None:
    assert "<script>" not in html_table(["<script>"], [["<script>"]], "<script>")
    assert cell("x" * 500) == "x" * 500
    assert len(cell("x" * 501)) == 500


def test_rows_of_a_query(kernel: Kernel) -> None:
    html = kernel.run("batch.sql_query(\"SELECT * FROM (VALUES (1, 'a'), (2, '<i>')) AS t (n, w)\").execute()")[
        "text/html"
    ]
    assert cells(html) == ["1", "a", "2", "&lt;i&gt;"]
    assert re.fullmatch(r"finished in [\d.]+ s, 2 rows", line(html))


def test_rows_in_batch_mode_are_the_first(kernel: Kernel) -> None:
    html = kernel.run("batch.from_elements([(n,) for n in range(5000)], ['n']).execute()")["text/html"]
    assert len(cells(html)) == 100
    assert line(html).endswith("the first 100 rows: collect() returns all")


def test_rows_that_change(kernel: Kernel) -> None:
    query = "SELECT w, COUNT(*) FROM (VALUES ('a'), ('b'), ('a')) AS t (w) GROUP BY w"
    html = kernel.run(f'streaming.execute_sql("{query}")')["text/html"]
    assert sorted(cells(html)) == ["1", "2", "a", "b"]
    assert line(html).endswith("2 rows, 4 changes")


def test_statements_without_a_query(kernel: Kernel) -> None:
    assert "<pre>OK</pre>" in kernel.run("batch.execute_sql(\"SET 'x.y' = 'z'\")")["text/html"]
    assert cells(kernel.run('batch.execute_sql("SHOW CATALOGS")')["text/html"]) == ["default_catalog"]
    taken = "result = batch.sql_query('SELECT 1').execute(); list(result.collect()); result"
    assert "have been taken already" in kernel.run(taken)["text/html"]
    kernel.run("batch.execute_sql(\"CREATE TABLE none (n INT) WITH ('connector' = 'blackhole')\")")
    assert re.search(
        "job insert-into_.*none ", kernel.run('batch.execute_sql("INSERT INTO none VALUES (1)")')["text/html"]
    )


def test_a_query_that_fails_is_an_error(kernel: Kernel) -> None:
    shown = list(kernel.outputs("batch.sql_query(\"SELECT CAST('x' AS INT)\").execute()"))
    assert any("could not" in str(each) or "CAST" in str(each) for each in shown if "ename" in each), shown
    assert any(line(each["text/html"]).startswith("failed") for each in shown if "text/html" in each)


def test_a_query_without_an_end_is_shown_while_it_runs_until_it_is_interrupted(kernel: Kernel) -> None:
    last: dict[str, Any] = {}
    lines = []
    interrupted = False
    for shown in kernel.outputs("streaming.from_path('endless').execute()"):
        last = shown
        lines += [line(shown["text/html"])] if "text/html" in shown else []
        if not interrupted and shown and cells(shown.get("text/html", "")):
            assert line(shown["text/html"]).startswith("running for ")
            interrupted = True
            kernel.interrupt()
    assert interrupted
    assert lines[-1].startswith("stopped, ")
    assert last["ename"] == "KeyboardInterrupt"
    assert kernel.run("6 * 7") == {"text/plain": "42"}


@pytest.mark.long
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_has_stored(notebook: Path) -> None:
    stored = nbformat.read(notebook, 4)
    nbformat.validate(stored)
    run = nbformat.read(notebook, 4)
    NotebookClient(run, timeout=LIMIT_S, resources={"metadata": {"path": str(ROOT)}}).execute()
    assert [sorted(texts(each)) for each in run.cells] == [sorted(texts(each)) for each in stored.cells]


def texts(of: Any) -> list[str]:
    """The cells of tables of a cell's outputs, and its texts."""
    found = []
    for output in of.get("outputs", ()):
        assert output["output_type"] != "error", output
        data = output.get("data", {})
        found += cells(data["text/html"]) if "text/html" in data else [str(data.get("text/plain"))]
    return found
