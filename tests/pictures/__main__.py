"""Starts a gateway with jobs, and takes pictures of its dashboard."""

from __future__ import annotations

import argparse
import io
import os
import shutil
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.services.gateway.conftest import GatewayServer
from tests.support.processes import Runs
from tests.support.servers.chromium import chromium
from tests.support.servers.unavailable import UnavailableError

JOBS = Path(__file__).parent / "jobs"
MOST_BYTES = 200_000
#: Short epochs, so that the charts have many.
ORDERS = {"pythonEntryModule": "orders", "flinkConfiguration": {"datastream.epoch.max-records": "900"}}
#: Width on a desk.
WIDE = 1280


def main() -> int:
    """Take the pictures; the exit code."""
    parser = argparse.ArgumentParser(prog="scripts/screenshots", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("docs/assets"), help="where the pictures go")
    parser.add_argument("--seconds", type=float, default=65, help="what the charts show, at least")
    options = parser.parse_args()
    try:
        program = chromium()
    except UnavailableError as error:
        print(f"screenshots: {error}", file=sys.stderr)
        return 1
    options.folder.mkdir(parents=True, exist_ok=True)
    with _gateway() as gateway, sync_playwright() as playwright:
        jobs = _run_jobs(gateway, options.seconds)
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        with closing(playwright.chromium.launch(executable_path=program, args=arguments)) as browser:
            return _take(browser, gateway, jobs, options.folder)


@contextmanager
def _gateway() -> Iterator[GatewayServer]:
    folder = Path(tempfile.mkdtemp(prefix="pictures-"))
    runs = Runs(folder)
    try:
        with closing(GatewayServer(runs, folder / "data")) as gateway:
            yield gateway
    finally:
        runs.end()
        shutil.rmtree(folder, ignore_errors=True)


def _run_jobs(gateway: GatewayServer, seconds: float) -> dict[str, str]:
    """Run a job that has ended, one that has failed and one that runs; their ids by name."""
    gateway.until_pool_is_ready()
    jobs = {"report": _run(gateway, "daily_report.py")}
    gateway.until_state(jobs["report"], "FINISHED")
    jobs["invoices"] = _run(gateway, "invoices.py")
    gateway.until_state(jobs["invoices"], "FAILED")
    gateway.until_pool_is_ready()
    jobs["orders"] = _run(gateway, "orders.zip", ORDERS)
    gateway.until_epoch(jobs["orders"])
    print(f"screenshots: the job runs; its charts need {seconds:.0f} s", flush=True)
    deadline = time.monotonic() + 4 * seconds + 60
    while not _is_lively(gateway.client.get(f"/jobs/{jobs['orders']}/metrics").json(), seconds):
        if time.monotonic() > deadline:
            raise TimeoutError(f"the job has no back-pressure or too few figures\n{gateway.log(jobs['orders'])}")
        time.sleep(0.3)
    return jobs


def _run(gateway: GatewayServer, name: str, request: dict[str, object] | None = None) -> str:
    artifact = gateway.upload(name, _packed() if name.endswith(".zip") else (JOBS / name).read_bytes())
    answer = gateway.client.post(f"/artifacts/{artifact}/run", json=request or {})
    answer.raise_for_status()
    return str(answer.json()["jobid"])


def _packed() -> bytes:
    """The job that runs, with the module of its source."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("orders.py", "partitions.py"):
            archive.write(JOBS / name, name)
    return packed.getvalue()


def _is_lively(metrics: dict, seconds: float) -> bool:
    samples = metrics["samples"]
    pressed = any(operator["backpressure"] > 0.5 for operator in metrics["operators"].values())
    return bool(samples) and samples[-1]["time_ms"] - samples[0]["time_ms"] > 1000 * seconds and pressed


def _take(browser: Browser, gateway: GatewayServer, jobs: dict[str, str], folder: Path) -> int:
    orders, invoices = f"/jobs/{jobs['orders']}", f"/jobs/{jobs['invoices']}"
    pictures = [
        ("graph", f"{orders}/graph", ".bottleneck.hot", (WIDE, 820), "light"),
        ("dark", f"{orders}/graph", ".bottleneck.hot", (WIDE, 820), "dark"),
        ("phone", f"{orders}/graph", ".bottleneck.hot", (390, 844), "light"),
        ("charts", f"{orders}/charts", ".chart canvas", (WIDE, 1185), "light"),
        ("jobs", "/", ".spark", (WIDE, 500), "light"),
        ("exceptions", f"{invoices}/exceptions", ".exception", (WIDE, 650), "light"),
        ("sql", "/sql", "text=Insert an example", (WIDE, 990), "light"),
    ]
    too_large = 0
    for name, way, ready, (width, height), theme in pictures:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            device_scale_factor=1 if width == WIDE else 2,
            color_scheme=theme,
            reduced_motion="reduce",
            timezone_id="UTC",
            locale="en-GB",
        )
        with closing(context):
            page = context.new_page()
            page.goto(f"{gateway.url}/#token={gateway.token}")
            page.wait_for_selector("#bar nav")
            page.goto(f"{gateway.url}/#{way}")
            page.wait_for_selector(ready, state="attached")
            if name == "sql":
                _run_example(page)
            path = folder / f"dashboard-{name}.png"
            _picture(page, path)
        size = path.stat().st_size
        too_large += size > MOST_BYTES
        print(f"{path}: {size / 1000:.0f} kB{', too large' if size > MOST_BYTES else ''}", flush=True)
    return 1 if too_large else 0


def _run_example(page: Page) -> None:
    """Run the statements that the page for SQL offers, to their end."""
    page.get_by_role("button", name="Insert an example").click()
    page.keyboard.press("Control+Enter")
    block = page.get_by_role("region", name="Result of statement 2", exact=True)
    block.locator(".sql-head .state", has_text="done").wait_for(timeout=120_000)


def _picture(page: Page, path: Path) -> None:
    """Take a picture, once what was fetched is drawn."""
    page.wait_for_timeout(1500)
    page.screenshot(path=path)


if __name__ == "__main__":
    sys.exit(main())
