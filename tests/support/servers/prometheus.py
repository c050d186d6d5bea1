"""A Prometheus that scrapes what a test shows it, its interface, and a Pushgateway."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from tests.support.servers.debian import program
from tests.support.servers.processes import ServerProcess, free_ports

_PACKAGE = "prometheus"


def promtool() -> Path:
    """Prometheus' tool for rules and configurations.

    Raises:
        UnavailableError: It cannot be had.
    """
    return program(_PACKAGE, "promtool")


class PrometheusApi:
    """What a Prometheus answers.

    Args:
        address: Where it is, as ``http://127.0.0.1:9090``.
    """

    def __init__(self, address: str) -> None:
        self.address = address

    def query(self, expression: str) -> list[dict[str, Any]]:
        """The series of an instant query, each with ``metric`` and ``value``.

        Raises:
            AssertionError: Prometheus does not understand it.
        """
        found = self._get("/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
        assert found["status"] == "success", f"{expression}: {found}"
        result: list[dict[str, Any]] = found["data"]["result"]
        return result

    def alerts(self) -> list[str]:
        """Names of the alerts that fire."""
        found = self._get("/api/v1/alerts")["data"]["alerts"]
        return [alert["labels"]["alertname"] for alert in found if alert["state"] == "firing"]

    def down(self) -> list[str]:
        """The targets that it cannot scrape, each with the reason."""
        targets = self._get("/api/v1/targets?state=active")["data"]["activeTargets"]
        return [f"{each['scrapeUrl']}: {each['lastError']}" for each in targets if each["health"] != "up"]

    def _get(self, path: str) -> Any:
        try:
            with urllib.request.urlopen(self.address + path, timeout=10) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return json.load(error)


class Prometheus(PrometheusApi):
    """A server that scrapes one port of this machine every second.

    Args:
        port: What it scrapes.
        rules: Files of rules.

    Raises:
        UnavailableError: The program cannot be had, or does not start.
    """

    def __init__(self, port: int, rules: tuple[Path, ...] = ()) -> None:
        command = program(_PACKAGE, "prometheus")
        (own,) = free_ports(1)
        super().__init__(f"http://127.0.0.1:{own}")
        self._process = ServerProcess("prometheus")
        config = {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(path.resolve()) for path in rules],
            "scrape_configs": [
                {"job_name": "datastream", "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]},
            ],
        }
        file = self._process.folder / "prometheus.json"  # JSON is YAML
        file.write_text(json.dumps(config))
        arguments = [
            f"--config.file={file}",
            f"--storage.tsdb.path={self._process.folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{own}",
        ]
        try:
            self._process.start([str(command), *arguments], self._is_ready)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End it and delete what it wrote."""
        self._process.stop()

    def _is_ready(self) -> bool:
        return _answers(f"{self.address}/-/ready")


class Pushgateway:
    """A server that keeps what jobs push.

    Raises:
        UnavailableError: The program cannot be had, or does not start.
    """

    def __init__(self) -> None:
        command = program("prometheus-pushgateway", "prometheus-pushgateway")
        (own,) = free_ports(1)
        self.address = f"http://127.0.0.1:{own}"
        self._process = ServerProcess("pushgateway")
        arguments = [str(command), f"--web.listen-address=127.0.0.1:{own}"]
        try:
            self._process.start(arguments, lambda: _answers(f"{self.address}/-/ready"))
        except BaseException:
            self.stop()
            raise

    def metrics(self) -> str:
        """What a Prometheus would be shown."""
        with urllib.request.urlopen(f"{self.address}/metrics", timeout=10) as answer:
            text: str = answer.read().decode()
        return text

    def stop(self) -> None:
        """End it and delete what it wrote."""
        self._process.stop()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2):
            return True
    except OSError:
        return False
