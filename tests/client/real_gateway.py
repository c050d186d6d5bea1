"""A gateway as a process, and the command as its users call it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from datastream.client import GatewayClient
from tests.support.processes import Run, Runs, datastream

GATEWAY = (sys.executable, "-m", "datastream.services.gateway")


class RealGateway:
    """A gateway, with a token that the command and the client find in the user's settings.

    Args:
        runs: Its processes.
        folder: Of its data, the user's settings and jobs.
    """

    def __init__(self, runs: Runs, folder: Path) -> None:
        self.folder = folder
        self._runs = runs
        self._port = "0"
        self.environment: dict[str, str | None] = {
            "XDG_CONFIG_HOME": str(folder / "settings"),
            "DATASTREAM_GATEWAY_URL": None,
            "DATASTREAM_GATEWAY_TOKEN": None,
        }
        self.run: Run
        self.start()
        self._command(
            "token", "create", "--name", "tests", "--scope", "read", "--scope", "write", "--save", "--url", self.url
        ).succeed()

    def start(self) -> None:
        """Start it; once more on the same port."""
        self.run = self._command("serve", "--pool", "0", "--port", self._port)
        self.run.until(lambda: "listens on" in self.run.err, "gateway that listens")
        self.url = self.run.err.partition("listens on ")[2].partition(",")[0]
        self._port = self.url.rpartition(":")[2]

    def kill(self) -> None:
        """Kill the gateway's process; its jobs go on."""
        self.run.process.kill()
        self.run.process.wait()

    def token(self, scope: str) -> Path:
        """A file with a new token."""
        path = self.folder / f"{scope}.token"
        path.write_text(self._command("token", "create", "--name", scope, "--scope", scope).succeed())
        return path

    def client(self) -> GatewayClient:
        """A client with the settings of the command."""
        return GatewayClient.configured(environ={"XDG_CONFIG_HOME": str(self.folder / "settings")})

    def begin(self, *args: object) -> Run:
        """Start ``datastream ARGS``."""
        return self._runs.start(*datastream(*args), folder=self.folder, environment=self.environment)

    def call(self, *args: object, code: int = 0) -> str:
        """Run ``datastream ARGS``; what it wrote to stdout, or to stderr if it fails as it should."""
        run = self.begin(*args)
        assert run.wait() == code, run.told()
        return run.err if code else run.out

    def python(self, script: str) -> str:
        """Run a Python script of the folder; what it wrote to stdout."""
        return self._runs.start(sys.executable, script, folder=self.folder, environment=self.environment).succeed()

    def jobs(self) -> list[dict[str, Any]]:
        """All jobs, as ``jobs ls`` shows them."""
        return [json.loads(line) for line in self.call("jobs", "ls", "--all", "--json").splitlines()]

    def complete(self, words: str) -> list[str]:
        """What bash offers for the last word."""
        environment = {
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
            "_DATASTREAM_COMPLETE": "bash_complete",
        }
        run = self._runs.start(*datastream(), environment={**self.environment, **environment})
        return [line.partition(",")[2] for line in run.succeed().splitlines() if line]

    def _command(self, *args: str) -> Run:
        words = args[:2] if args[0] == "token" else args[:1]
        line = (*GATEWAY, *words, "--data", self.folder / "data", *args[len(words) :])
        return self._runs.start(*line, environment=self.environment)
