from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.services.gateway.conftest import GatewayServer
from tests.support.servers.choice import REQUIRE
from tests.support.servers.chromium import chromium
from tests.support.servers.unavailable import UnavailableError

WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. Playwright's event loop is that of the thread, so it must not outlive the module's tests."""
    try:
        program = chromium()
    except UnavailableError as error:
        if os.environ.get(REQUIRE) == "1":
            pytest.fail(f"{error} ({REQUIRE}=1 forbids to skip)", pytrace=False)
        pytest.skip(str(error))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class Dashboard:
    """A page of the dashboard, and what its console said.

    Attributes:
        page: Playwright's.
        said: Errors and warnings.
    """

    def __init__(self, gateway: GatewayServer, page: Page) -> None:
        self.gateway, self.page = gateway, page
        self.said: list[str] = []
        page.set_default_timeout(20_000)
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.said.append(f"{kind}: {text}")

    def sign_in(self, token: str | None = None) -> None:
        """Open the dashboard with a token."""
        self.page.goto(f"{self.gateway.url}/#token={token or self.gateway.token}")
        self.page.get_by_role("heading", name="Jobs", exact=True).wait_for()

    def go(self, route: str) -> None:
        """Show another page."""
        self.page.evaluate("route => { location.hash = route; }", route)
        self.page.locator("main h1").first.wait_for()
        self.page.wait_for_timeout(300)


@pytest.fixture
def dashboard(browser: Browser, gateway: GatewayServer) -> Iterator[Callable[..., Dashboard]]:
    """Opens dashboards of the shared gateway; their consoles have to stay silent."""
    made: list[Dashboard] = []
    contexts = []

    def make(viewport: dict[str, int] = WIDE, scheme: str = "light", **more: Any) -> Dashboard:
        context = browser.new_context(
            viewport=viewport,  # type: ignore[arg-type]
            color_scheme=scheme,  # type: ignore[arg-type]
            reduced_motion="reduce",
            **more,
        )
        contexts.append(context)
        made.append(Dashboard(gateway, context.new_page()))
        return made[-1]

    yield make
    for context in contexts:
        context.close()
    for one in made:
        assert one.said == []
