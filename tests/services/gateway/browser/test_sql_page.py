"""The page for SQL in a real browser. Its sessions are processes of their own, so each test takes some seconds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.services.gateway.browser.conftest import PHONE, WIDE, Dashboard
from tests.services.gateway.browser.test_dashboard import HARMFUL, serious
from tests.services.gateway.conftest import GatewayServer
from tests.support.waiting import wait_until

pytestmark = pytest.mark.long

Dashboards = Callable[..., Dashboard]

LIMIT_MS = 120_000
ENDLESS = "CREATE TABLE endless (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '50');"


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """What is expected of a page hangs on its session, whose process takes a while to begin beside a load."""
    expect.set_options(timeout=LIMIT_MS)
    yield
    expect.set_options(timeout=5_000)


def opened(one: Dashboard) -> Page:
    """The page for SQL."""
    one.sign_in()
    one.page.get_by_role("link", name="SQL", exact=True).click()
    one.page.get_by_role("heading", name="SQL", exact=True).wait_for()
    return one.page


def run(page: Page, text: str, button: str = "Run") -> None:
    page.get_by_label("Statements").fill(text)
    page.get_by_role("button", name=button, exact=True).click()


def result(page: Page, number: int, state: str) -> Locator:
    """What has come of a statement, when it is in a state."""
    block = page.get_by_role("region", name=f"Result of statement {number}", exact=True)
    expect(block.locator(".sql-head .state")).to_have_text(state)
    return block


def cells(block: Locator) -> list[list[str]]:
    return [row.locator("td").all_inner_texts() for row in block.locator("tbody tr").all()]


def until_jobs_are(page: Page, *states: str) -> None:
    """Wait until the session's jobs are in some states."""

    def found() -> bool:
        run(page, "SHOW JOBS;")
        return [row[2] for row in cells(result(page, 1, "done"))] == list(states)

    wait_until(found, f"jobs that are {states}", every_s=0.2)


def noted_errors(one: Dashboard, count: int) -> None:
    """The browser itself notes answers with status 500, which errors of statements have."""
    # Each call of the page lets its events come.
    wait_until(lambda: one.page.evaluate("true") and len(one.said) >= count, "notes", seen=lambda: one.said)
    assert len(one.said) == count
    assert all("500" in text for text in one.said), one.said
    one.said.clear()


def test_the_example_runs_and_its_table_follows_the_changes(dashboard: Dashboards) -> None:
    page = opened(dashboard())
    page.get_by_role("button", name="Insert an example").click()
    page.keyboard.press("Control+Enter")
    expect(result(page, 1, "done")).to_contain_text("OK")
    block = result(page, 2, "done")
    expect(block.locator("thead th")).to_have_text(["shopINT", "ordersBIGINT NOT NULL", "totalINT"])
    assert sum(int(row[1]) for row in cells(block)) == 100
    assert sorted(row[0] for row in cells(block)) == ["1", "2", "3", "4"]
    block.get_by_role("button", name="Changes").click()
    expect(block).to_contain_text("196 changes")
    kinds = [row[0] for row in cells(block)]
    assert (kinds.count("+I"), kinds.count("-U"), kinds.count("+U")) == (4, 96, 96)


def test_values_are_texts_and_null_is_no_text(dashboard: Dashboards) -> None:
    page = opened(dashboard())
    literal = HARMFUL.replace("'", "''")
    run(page, f"SELECT '{literal}' AS `{HARMFUL}`, CAST(NULL AS STRING) AS a, 'NULL' AS b, 9007199254740993 AS c;")
    block = result(page, 1, "done")
    assert cells(block) == [[HARMFUL, "NULL", "NULL", "9007199254740993"]]
    assert block.locator("tbody .sql-null").all_inner_texts() == ["NULL"]
    expect(block.locator("thead th").first).to_contain_text(HARMFUL)
    assert page.locator("main img").count() == 0


def test_an_error_has_its_place_in_the_text_and_ends_the_run(dashboard: Dashboards) -> None:
    one = dashboard()
    page = opened(one)
    run(page, "SELECT 1 AS n;\n\nSELECT 2,\n  nothing;\nSELECT 3;")
    result(page, 1, "done")
    error = result(page, 2, "failed").get_by_role("alert")
    expect(error).to_contain_text("line 4, column 3: ")
    line, caret = error.inner_text().splitlines()[-2:]
    assert (line.strip(), caret.strip(), line.index("n")) == ("nothing", "^", caret.index("^"))
    expect(page.get_by_role("region", name="Result of statement 3")).to_have_count(0)
    run(page, "SELECT 1;\nSELECT nothing;", "Explain")
    expect(result(page, 2, "failed").get_by_role("alert")).to_contain_text("line 2, column 8: ")
    noted_errors(one, 2)


def test_plans_of_queries_are_explained_and_nothing_else_runs(dashboard: Dashboards) -> None:
    page = opened(dashboard())
    run(page, "CREATE TABLE t (n INT) WITH ('connector' = 'blackhole');\nSELECT 1 AS n;", "Explain")
    result(page, 1, "not explained")
    expect(result(page, 2, "done")).to_contain_text("== Optimized Execution Plan ==")
    run(page, "SHOW TABLES;")
    expect(result(page, 1, "done")).to_contain_text("0 rows")


def test_an_endless_query_shows_its_latest_rows_until_it_is_stopped(dashboard: Dashboards) -> None:
    page = opened(dashboard())
    run(page, "CREATE TABLE endless (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '2000');")
    result(page, 1, "done")
    run(page, "SELECT n FROM endless;\nSELECT 1;")
    block = result(page, 1, "running")
    expect(block).to_contain_text("the latest 1,000 are kept on this page")
    assert block.locator("tbody tr").count() == 1000
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Stop", exact=True).click()
    result(page, 1, "stopped")
    expect(page.get_by_role("region", name="Result of statement 2")).to_have_count(0)
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_disabled()
    until_jobs_are(page, "CANCELED")


def test_a_job_of_the_session_is_shown_and_stopped(dashboard: Dashboards) -> None:
    page = opened(dashboard())
    run(
        page,
        f"{ENDLESS}\nCREATE TABLE nowhere (n INT) WITH ('connector' = 'blackhole');\n"
        "INSERT INTO nowhere SELECT n FROM endless;",
    )
    job = result(page, 3, "done").locator("code.break").inner_text()
    with page.expect_popup() as tab:
        page.get_by_role("link", name="Show the job in a new tab").click()
    shown = tab.value
    expect(shown.get_by_role("heading", name=re.compile("^insert-into"))).to_be_visible()
    shown.get_by_role("link", name="Configuration").click()
    expect(shown.locator(".statement")).to_have_text("INSERT INTO nowhere SELECT n FROM endless")
    shown.close()
    page.get_by_role("button", name="Show the session's jobs").click()
    assert [row[0] for row in cells(result(page, 1, "done"))] == [job]
    until_jobs_are(page, "RUNNING")
    run(page, "INSERT INTO nowhere SELECT n FROM endless;")
    result(page, 1, "done").get_by_role("button", name="Stop this job").click()
    expect(result(page, 1, "done")).to_contain_text("STOP JOB")
    until_jobs_are(page, "RUNNING", "CANCELED")


def test_leaving_closes_the_session_and_the_text_stays(dashboard: Dashboards, gateway: GatewayServer) -> None:
    one = dashboard()
    page = opened(one)
    run(page, f"{ENDLESS}\nSELECT n FROM endless;")
    expect(result(page, 2, "running")).to_contain_text(re.compile("[0-9] rows"))
    with page.expect_response(re.compile(r"/sessions/[^/]+$")) as end:
        one.go("/artifacts")
    assert (end.value.request.method, end.value.status) == ("DELETE", 200)
    session = end.value.url.rpartition("/")[2]
    assert "does not exist" in gateway.client.get(f"/sessions/{session}").text
    one.go("/sql")
    expect(page.get_by_label("Statements")).to_have_value(re.compile("FROM endless"))
    page.get_by_text("History (1)").click()
    page.get_by_label("Statements").fill("")
    page.get_by_role("button", name=re.compile("FROM endless")).click()
    expect(page.get_by_label("Statements")).to_have_value(re.compile("FROM endless"))


def test_a_session_that_has_gone_is_followed_by_another(dashboard: Dashboards, gateway: GatewayServer) -> None:
    one = dashboard()
    page = opened(one)
    with page.expect_response(lambda answer: answer.url.endswith("/sessions")) as opening:
        run(page, "SELECT 1 AS n;")
    result(page, 1, "done")
    handle = opening.value.json()["sessionHandle"]
    assert gateway.client.delete(f"/sessions/{handle}").status_code == 200
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("The next statement opens another one.")
    page.get_by_role("button", name="Run", exact=True).click()
    result(page, 1, "done")
    noted_errors(one, 1)


def test_readers_do_not_see_the_page(dashboard: Dashboards, gateway: GatewayServer) -> None:
    token = gateway.command("token", "create", "--name", "viewer", "--scope", "read").succeed().strip()
    one = dashboard()
    one.sign_in(token)
    expect(one.page.get_by_role("link", name="SQL", exact=True)).to_have_count(0)
    one.go("/sql")
    expect(one.page.locator("main")).to_contain_text("Running SQL needs the scope write")
    expect(one.page.locator("textarea")).to_have_count(0)


def test_a_gateway_without_sql_has_no_page_for_it(
    dashboard: Dashboards, own_gateway: Callable[..., GatewayServer]
) -> None:
    one = dashboard()
    one.gateway = own_gateway("--sql-sessions", "0")
    one.sign_in()
    expect(one.page.get_by_role("link", name="SQL", exact=True)).to_have_count(0)
    one.go("/sql")
    expect(one.page.locator("main")).to_contain_text("This gateway runs no SQL")


@pytest.mark.parametrize(("viewport", "scheme"), [(WIDE, "dark"), (PHONE, "light")], ids=["wide", "phone"])
def test_no_serious_fault_of_accessibility(dashboard: Dashboards, viewport: dict[str, int], scheme: str) -> None:
    one = dashboard(viewport, scheme)
    page = opened(one)
    faults = {"at first": serious(one)}
    run(
        page,
        "CREATE TEMPORARY TABLE t (a_long_name INT, another STRING) WITH ('connector' = 'blackhole');\n"
        "SELECT a, COUNT(*) AS n, CAST(NULL AS STRING) AS s, REPEAT('long ', 100) AS l "
        "FROM (VALUES (1), (1)) AS t (a) GROUP BY a;\n"
        "EXPLAIN SELECT 1;\nSELECT nothing;",
    )
    error = result(page, 4, "failed")
    result(page, 2, "done").get_by_role("button", name="Changes").click()
    page.get_by_text("History (1)").click()
    faults["results"] = serious(one)
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0, f"{over} px too wide"
    assert {what: found for what, found in faults.items() if found} == {}
    expect(error.get_by_role("alert")).to_be_visible()
    noted_errors(one, 1)
