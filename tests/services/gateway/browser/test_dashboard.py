"""The dashboard in a real browser, beside a gateway whose jobs really run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.services.gateway.browser.conftest import PHONE, WIDE, Dashboard
from tests.services.gateway.conftest import COUNT, WRONG, GatewayServer

pytestmark = pytest.mark.long

Dashboards = Callable[..., Dashboard]
TABS = ("graph", "charts", "checkpoints", "exceptions", "logs", "configuration")


#: A name that is harmful where it is not taken for text.
HARMFUL = "<img src=x onerror=\"console.error('run')\">"


@pytest.fixture(scope="module")
def running(shared_gateway: GatewayServer) -> Iterator[str]:
    """A job with a few epochs, which the tests leave as it is."""
    gateway = shared_gateway
    # It goes on beside all the tests of this file, so its epochs are few.
    jid = gateway.submit(COUNT, name="the count", flinkConfiguration={"execution.checkpointing.min-pause": "3 s"})
    gateway.until_epoch(jid, 3)
    gateway.until(jid, lambda _: len(gateway.client.get(f"/jobs/{jid}/metrics").json()["samples"]) > 1)
    yield jid
    gateway.end({jid})


@pytest.fixture(scope="module")
def failed(shared_gateway: GatewayServer) -> str:
    """A job that has failed in a function, with a harmful name."""
    jid = shared_gateway.submit(WRONG, name=HARMFUL)
    shared_gateway.until_state(jid, "FAILED")
    return jid


def test_signing_in(dashboard: Dashboards, gateway: GatewayServer) -> None:
    one = dashboard()
    one.page.goto(gateway.url)
    one.page.get_by_label("Token").fill("dsg_wrong")
    one.page.get_by_role("button", name="Sign in").click()
    expect(one.page.get_by_role("alert")).to_contain_text("The gateway refused the token")
    one.page.get_by_label("Token").fill(gateway.token)
    one.page.keyboard.press("Enter")
    expect(one.page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    one.page.reload()
    expect(one.page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    one.page.get_by_role("button", name="Sign out").click()
    expect(one.page.get_by_label("Token")).to_be_visible()
    asked: list[str] = []
    one.page.on("request", lambda request: asked.append(request.url))
    one.page.evaluate("location.hash = '/artifacts'")
    one.page.wait_for_timeout(500)
    assert not any(url.endswith("/artifacts") for url in asked), "nobody is signed in"
    expect(one.page.get_by_label("Token")).to_be_visible()
    # The browser itself notes answers with status 401.
    assert all("401" in text for text in one.said)
    one.said.clear()


def test_the_token_leaves_the_address(dashboard: Dashboards, gateway: GatewayServer) -> None:
    one = dashboard()
    one.sign_in()
    assert gateway.token not in one.page.url


def test_who_may_only_read_sees_no_buttons(dashboard: Dashboards, gateway: GatewayServer, running: str) -> None:
    token = gateway.command("token", "create", "--name", "viewer", "--scope", "read").succeed().strip()
    one = dashboard()
    one.sign_in(token)
    for route in (f"/jobs/{running}", "/artifacts"):
        one.go(route)
        for name in ("Cancel…", "Stop…", "Savepoint", "Upload a file", "Run"):
            expect(one.page.get_by_role("button", name=name, exact=True)).to_have_count(0)


def test_upload_run_watch_stop_and_run_again(dashboard: Dashboards, gateway: GatewayServer, tmp_path: Path) -> None:
    script = tmp_path / "counter.py"
    script.write_text(COUNT)
    one = dashboard()
    page = one.page
    one.sign_in()
    one.go("/artifacts")
    page.get_by_label("File to upload").set_input_files(script)
    page.get_by_role("link", name="Run it").click()
    page.get_by_role("button", name="Show the plan").click()
    expect(page.get_by_role("heading", name="Plan of count")).to_be_visible(timeout=60_000)
    page.get_by_label("Job name").fill("from the browser")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("heading", name="from the browser")).to_be_visible()
    expect(page.locator(".head")).to_contain_text("RUNNING", timeout=60_000)
    epoch = page.locator(".facts div", has_text="Epoch").locator("dd")
    expect(epoch).to_have_text(re.compile(r"[1-9]"), timeout=60_000)
    before = epoch.inner_text()
    expect(epoch).not_to_have_text(before)
    row = page.get_by_role("row", name=re.compile("numbers"))
    expect(row).to_contain_text(re.compile(r"[1-9][0-9.]*.*/s"), timeout=30_000)
    page.get_by_role("button", name="Stop…").click()
    page.get_by_role("button", name="Stop with a savepoint").click()
    expect(page.locator(".head")).to_contain_text("FINISHED", timeout=60_000)
    page.get_by_role("link", name=re.compile("Run again from")).first.click()
    expect(page.get_by_label("Start from savepoint")).to_have_value(re.compile("savepoint-"))
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".head")).to_contain_text("RUNNING", timeout=60_000)
    page.get_by_role("button", name="Cancel…").click()
    page.get_by_role("button", name="Cancel the job").click()
    expect(page.locator(".head")).to_contain_text("CANCELED", timeout=60_000)


@pytest.mark.long
def test_exceptions_show_the_users_line(dashboard: Dashboards, failed: str) -> None:
    one = dashboard()
    one.sign_in()
    one.go(f"/jobs/{failed}/exceptions")
    article = one.page.get_by_role("article").first
    expect(article).to_contain_text("ZeroDivisionError")
    expect(article).to_contain_text(re.compile(r"job\.py, line 5"))
    expect(article).to_contain_text("divide")
    article.get_by_text("Trace", exact=True).click()
    expect(article.get_by_label("Trace")).to_contain_text("1 // (n - 3)")


def test_logs_are_followed(dashboard: Dashboards, gateway: GatewayServer) -> None:
    jid = gateway.submit('import time\ntime.sleep(5)\nprint("<b>here</b>")\n')
    one = dashboard()
    one.sign_in()
    one.go(f"/jobs/{jid}/logs")
    lines = one.page.locator(".page-job section.tab")
    expect(lines).to_contain_text("<b>here</b>", timeout=60_000)
    expect(lines).to_contain_text("exit", timeout=60_000)


def test_a_name_is_text(dashboard: Dashboards, failed: str) -> None:
    one = dashboard()
    one.sign_in()
    expect(one.page.get_by_role("link", name=HARMFUL)).to_be_visible()
    one.go(f"/jobs/{failed}")
    expect(one.page.get_by_role("heading", name=HARMFUL)).to_be_visible()
    assert one.page.locator("main img").count() == 0


def test_the_keyboard_reaches_everything(dashboard: Dashboards, running: str) -> None:
    one = dashboard()
    page = one.page
    one.sign_in()
    one.go(f"/jobs/{running}")
    operator = page.locator("svg [tabindex='0'], svg a, svg [role=button]").first
    operator.wait_for()
    page.evaluate("document.activeElement.blur()")
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "() => { const e = document.activeElement; return e === document.body ? null"
            " : (e.getAttribute('aria-label') || e.textContent).trim().slice(0, 60); }"
        )
        visible = page.evaluate(
            "() => { const e = document.activeElement; const s = getComputedStyle(e);"
            " return e === document.body || s.outlineStyle !== 'none' || s.boxShadow !== 'none'"
            " || !!e.querySelector('rect, path'); }"
        )
        assert visible, name
        reached.add(name)
    for name in ("Skip to the content", "Jobs", "Artifacts", "Savepoint", "Stop…", "Cancel…", "Charts", "Logs"):
        assert name in reached, reached
    operator.focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("complementary", name="Operator")
    expect(panel).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    page.get_by_role("button", name="Cancel…").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_no_serious_fault_of_accessibility(
    dashboard: Dashboards, gateway: GatewayServer, running: str, failed: str, viewport: dict[str, int], scheme: str
) -> None:
    artifact = gateway.job(running)["artifact"]["id"]
    routes = ["/", "/artifacts", f"/artifacts/{artifact}", f"/jobs/{failed}/exceptions"]
    routes += [f"/jobs/{running}/{tab}" for tab in TABS]
    faults: dict[str, list[str]] = {}
    one = dashboard(viewport, scheme)
    one.page.goto(gateway.url)
    one.page.get_by_label("Token").wait_for()
    faults["sign in"] = serious(one)
    one.said.clear()  # 401, as nobody is signed in
    one.sign_in()
    for route in routes:
        one.go(route)
        faults[route] = serious(one)
        over = one.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, f"{route} is {over} px too wide"
    assert {route: found for route, found in faults.items() if found} == {}


@pytest.mark.long
def test_a_gateway_that_goes_away_and_comes_back(
    dashboard: Dashboards, own_gateway: Callable[..., GatewayServer], browser: object
) -> None:
    gateway = own_gateway()
    one = dashboard()
    one.gateway = gateway
    one.sign_in()
    gateway.run.process.kill()
    gateway.run.wait()
    status = one.page.locator("#connection")
    expect(status).to_contain_text("The gateway does not answer", timeout=30_000)
    gateway.start()
    expect(status).not_to_contain_text("does not answer", timeout=30_000)
    one.said.clear()  # the browser notes each request that found nobody


def serious(one: Dashboard) -> list[str]:
    """The serious and critical findings of axe."""
    found = Axe().run(one.page).response["violations"]
    return [
        f"{each['id']}: {each['help']}: {each['nodes'][0]['html'][:200]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
